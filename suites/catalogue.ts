import { extname } from 'node:path';
import type { ModuleRef } from '../harness/load.ts';
import type { TrialSource } from '../harness/run.ts';
import type { Scenario } from '../harness/scenario.ts';
import * as apiPressure from './api-pressure.ts';
import * as capacity from './capacity.ts';
import * as consolidation from './consolidation.ts';
import * as consolidationDrift from './consolidation-drift.ts';
import * as crashes from './crashes.ts';
import * as disruption from './disruption.ts';
import * as endurance from './endurance.ts';
import * as faultyApi from './faulty-api.ts';
import * as interruption from './interruption.ts';
import * as pools from './pools.ts';
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
  suite('provisioning', 'nodes are launched for pods that need them and removed when they are not needed', provisioning),
  suite('scheduling', 'launched nodes match the scheduling constraints of pods', scheduling),
  suite('pools', 'what pools require of their nodes, and pods of their pools', pools),
  suite('capacity', 'capacity errors, quotas and fallback', capacity),
  suite('registration', 'nodes that register late, never, or incorrectly', registration),
  suite('interruption', 'spot interruptions and other notices about instances', interruption),
  suite('disruption', 'nodes that are lost or must be drained', disruption),
  suite('consolidation', 'voluntary disruption: consolidation, drift and disruption budgets', consolidation, {
    'consolidation-drift': consolidationDrift,
  }),
  suite('crashes', 'the autoscaler is killed or restarted at the worst moments', crashes),
  suite('api-pressure', 'API requests that are throttled, and answers that are late or lost', apiPressure),
  suite(
    'faulty-api',
    'failed requests, missing permissions, zone outages, and an autoscaler that is paused or has a wrong clock',
    faultyApi,
  ),
  suite('staleness', 'stale reads: watches, lists and EC2 Describe calls', staleness),
  suite('endurance', 'a day of work, a storm of interruptions, a large cluster: only run if they are asked for', endurance),
];

/** Every bundled scenario as a source of trials: replay lines name it by its id. */
export const allSources: readonly (TrialSource & { readonly scenario: Scenario })[] = suites.flatMap((suite) =>
  suite.scenarios.map(({ ref, scenario }) => ({ ref, scenario, suite: suite.name, label: scenario.id })),
);

/** Those that are run unless others are asked for: the profile endurance costs too much. */
export const sources = allSources.filter(({ scenario }) => scenario.profile !== 'endurance');

type Exports = Readonly<Record<string, Scenario>>;

/**
 * @param name of the suite, and of its module in this folder
 * @param more scenarios of the suite, by the names of their modules
 */
function suite(name: string, summary: string, exports: Exports, more: Readonly<Record<string, Exports>> = {}): Suite {
  const scenarios = [[name, exports] as const, ...Object.entries(more)].flatMap(([file, exported]) => {
    const module = new URL(`./${file}${extname(import.meta.url)}`, import.meta.url).href;
    return Object.entries(exported).map(([key, scenario]) => ({ ref: { module, export: key }, scenario }));
  });
  return { name, summary, scenarios: scenarios.sort((a, b) => (a.scenario.id < b.scenario.id ? -1 : 1)) };
}
