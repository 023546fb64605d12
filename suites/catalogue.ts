import { extname } from 'node:path';
import type { ModuleRef } from '../harness/load.ts';
import type { TrialSource } from '../harness/run.ts';
import type { Scenario } from '../harness/scenario.ts';
import * as apiPressure from './api-pressure.ts';
import * as capacity from './capacity.ts';
import * as consolidation from './consolidation.ts';
import * as crashes from './crashes.ts';
import * as disruption from './disruption.ts';
import * as faultyApi from './faulty-api.ts';
import * as incidents from './incidents.ts';
import * as interruption from './interruption.ts';
import * as others from './others.ts';
import * as pools from './pools.ts';
import * as promises from './promises.ts';
import * as provisioning from './provisioning.ts';
import * as registration from './registration.ts';
import * as scheduling from './scheduling.ts';
import * as staleness from './staleness.ts';

/** A suite: the scenarios of one area. */
export interface Suite {
  readonly name: string;
  readonly summary: string;
  readonly scenarios: readonly { readonly ref: ModuleRef; readonly scenario: Scenario }[];
}

/** Every bundled scenario, by suite. */
export const suites: readonly Suite[] = [
  suite('provisioning', 'nodes come for pods that need them and go when they are not needed', provisioning),
  suite('scheduling', 'what is launched is what the pods ask for', scheduling),
  suite('promises', 'what users take for granted', promises),
  suite('pools', 'what pools ask of their nodes, and pods of their pools', pools),
  suite('capacity', 'capacity that cannot be had', capacity),
  suite('registration', 'nodes that come late, never, or wrongly', registration),
  suite('interruption', 'spot instances that are taken back', interruption),
  suite('disruption', 'nodes that are lost or have to go', disruption),
  suite('consolidation', 'nodes that are taken though nothing is wrong with them: underused, outdated, or neither', consolidation),
  suite('crashes', 'the autoscaler dies at the worst moments', crashes),
  suite('incidents', 'what has happened to others', incidents),
  suite('others', 'what others do beside the autoscaler, and what they ask of it', others),
  suite('api-pressure', 'answers that are lost, late or refused', apiPressure),
  suite(
    'faulty-api',
    'requests that fail, permissions and zones that are gone, a target that stands still or has the wrong time',
    faultyApi,
  ),
  suite('staleness', 'what is read is old: watches, lists and descriptions', staleness),
];

/** Every bundled scenario as trials are made of it: replay lines name it by its id. */
export const sources: readonly (TrialSource & { readonly scenario: Scenario })[] = suites.flatMap((suite) =>
  suite.scenarios.map(({ ref, scenario }) => ({ ref, scenario, suite: suite.name, label: scenario.id })),
);

/** @param name of the suite and of its module in this folder */
function suite(name: string, summary: string, exports: Readonly<Record<string, Scenario>>): Suite {
  const module = new URL(`./${name}${extname(import.meta.url)}`, import.meta.url).href;
  const scenarios = Object.entries(exports).map(([key, scenario]) => ({ ref: { module, export: key }, scenario }));
  return { name, summary, scenarios: scenarios.sort((a, b) => (a.scenario.id < b.scenario.id ? -1 : 1)) };
}
