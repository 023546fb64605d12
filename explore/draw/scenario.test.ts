import { expect, test } from '@playwright/test';
import { faultCatalogue } from '../../faults/catalogue.ts';
import { daemonSetSchema, poolOptionsSchema, workloadSchema } from '../../harness/schemas.ts';
import { LABEL } from '../../model/kube.ts';
import { createRandom } from '../../runtime/random.ts';
import { ingredientsOf } from '../findings.ts';
import { featuresOf, scenarioOf } from '../generated.ts';
import type { ScenarioData } from '../scenario-data.ts';
import { LARGE, SITE, SMALL } from '../testing/ground.ts';
import { drawFault, namesIn, possibleFaults } from './params.ts';
import { truthsOf } from '../truths.ts';
import { drawOneFault, drawScenario } from './scenario.ts';

const NAMES = namesIn({ ...LARGE, pools: [{ name: 'a', capacityTypes: ['spot'] }] }, SITE);
const drawn = Array.from({ length: 600 }, (_one, seed) => drawScenario(createRandom(seed), `s${seed}`, SITE));

for (const fault of faultCatalogue) {
  test(`${fault.name} is drawn, with different parameters each time`, () => {
    const random = createRandom(fault.name);
    const faults = Array.from({ length: 150 }, () => drawFault(random, 'fault-1', fault, NAMES));
    expect(faults).not.toContain(undefined);
    const given = new Set(faults.flatMap((one) => Object.keys(one?.params ?? {})));
    const forms = [fault.params, ...('options' in fault.params ? (fault.params.options as { shape?: object }[]) : [])];
    const fields = forms.flatMap((form) => Object.keys((form as { shape?: object }).shape ?? {}));
    expect(
      [...new Set(fields)].filter((field) => !given.has(field)),
      'fields that are never given',
    ).toEqual([]);
  });
}

test('nothing is repeated more often than twice a second', () => {
  const periods = drawn.flatMap(({ faults }) =>
    faults.flatMap(({ params: { periodMs } }) => (typeof periodMs === 'number' ? [periodMs] : [])),
  );
  expect(periods.length).toBeGreaterThan(10);
  expect(Math.min(...periods)).toBeGreaterThanOrEqual(500);
});

test('every fault that the world allows is drawn', () => {
  const names = new Set(drawn.flatMap(({ faults }) => faults.map(({ fault }) => fault)));
  expect(possibleFaults(SITE).filter(({ name }) => !names.has(name))).toEqual([]);
});

test('a drawn scenario can be loaded, and the same seed draws the same', () => {
  expect(drawn.filter((data) => scenarioOf(data).id !== `explore/${data.name}`)).toEqual([]);
  expect(drawScenario(createRandom(17), 's17', SITE)).toEqual(drawn[17]);
});

test('every step and every feature is drawn', () => {
  const steps = new Set(drawn.flatMap((data) => data.steps.map((step) => step.do)));
  expect(steps.size).toBe(13);
  const features = new Set(drawn.flatMap(featuresOf));
  expect([...features].sort()).toEqual([
    'consolidation',
    'disruption-budgets',
    'do-not-disrupt',
    'drift',
    'expiry',
    'gpus',
    'minimum-values',
    'node-limits',
    'node-settings',
    'open-labels',
    'pool-removal',
    'spot',
    'static-capacity',
    'taints',
    'termination-grace',
    'volumes',
    'weights',
  ]);
  const fields = new Set(drawn.flatMap(ingredientsOf));
  const parts = [
    'workload.hostPort',
    'workload.near',
    'workload.ephemeralStorage',
    'workload.gpus',
    'workload.schedulingGates',
    'workload.schedulerName',
    'volume existing',
    'volume created-with-pod',
    'volume created-at-once',
    'volume of-missing-class',
    'Job',
    'workload.runSeconds',
    'pool.requirements',
    'pool.startupTaints',
  ];
  expect(parts.filter((part) => !fields.has(part))).toEqual([]);
});

test('every option of pools, workloads and DaemonSets is drawn', () => {
  const missing = (schema: { readonly shape: object }, all: readonly object[], ...others: readonly string[]): string[] => {
    const given = new Set(all.flatMap(Object.keys));
    return Object.keys(schema.shape).filter((field) => !given.has(field) && !others.includes(field));
  };
  expect(
    missing(
      poolOptionsSchema,
      drawn.flatMap(({ pools }) => pools),
    ),
  ).toEqual([]);
  // What is true of a workload follows from its pools, and `volume` stands for the two others.
  expect(
    missing(
      workloadSchema,
      drawn.flatMap(({ workloads }) => workloads),
      'truth',
      'volumes',
      'claimTemplates',
    ),
  ).toEqual([]);
  expect(
    missing(
      daemonSetSchema,
      drawn.flatMap(({ daemonSets }) => daemonSets),
    ),
  ).toEqual([]);
});

test('nothing is drawn that the target lacks', () => {
  const poor = { ...SITE, features: [] };
  const scenarios = Array.from({ length: 200 }, (_one, seed) => drawScenario(createRandom(seed), 'any', poor));
  expect(scenarios.flatMap(featuresOf)).toEqual([]);
  expect(JSON.stringify(scenarios.map(({ workloads }) => workloads))).not.toContain(LABEL.capacityType);
});

test('nearly all scenarios owe nodes to a workload, faults aside', () => {
  const serving = drawn.filter((data) =>
    [...truthsOf({ ...data, faults: [] }).values()].some(({ truth }) => truth.kind === 'schedulable'),
  ).length;
  expect(serving).toBeGreaterThan(0.85 * drawn.length);
  expect(serving).toBeLessThan(drawn.length);
});

test('faults name what there is', () => {
  const random = createRandom('names');
  const names = namesIn({ ...SMALL, pools: [{ name: 'a', instanceTypes: ['m6i.large'], zones: ['us-east-1b'] }] }, SITE);
  const faults = Array.from({ length: 400 }, () => drawOneFault(random, 'f', names));
  const given = (field: string): unknown[] => [...new Set(faults.flatMap((one) => one?.params[field] ?? []))];
  expect(given('instanceTypes')).toEqual(['m6i.large']);
  expect(given('zones')).toEqual(['us-east-1b']);
  // The pool has no spot instances, and no pod wants a GPU.
  const drawnNames = new Set(faults.map((one) => one?.fault));
  expect(['spot-interruption', 'second-handler', 'late-devices'].filter((name) => drawnNames.has(name))).toEqual([]);
});

test('a further fault may disturb the same part of the world', () => {
  const spot = { name: 'one', fault: 'spot-interruption', params: {} };
  const random = createRandom('related');
  const related = new Set(Array.from({ length: 50 }, () => drawOneFault(random, 'f', NAMES, spot)?.fault));
  expect([...related].sort()).toEqual(['second-handler', 'spot-interruption']);
});

test('most scenarios have faults that overlap', () => {
  const several = drawn.filter(({ faults }) => faults.length >= 2).length;
  expect(several).toBeGreaterThan(drawn.length / 2);
});

test('some scenarios have no fault, also if those with more news are preferred', () => {
  const mostNews = (data: ScenarioData): number => data.faults.length;
  const calm = Array.from({ length: 60 }, (_one, seed) => drawScenario(createRandom(seed), 'any', SITE, mostNews)).filter(
    ({ faults }) => faults.length === 0,
  );
  expect(calm.length).toBeGreaterThan(6);
});

test('a target is killed a few times only', () => {
  const crash = faultCatalogue.filter(({ name }) => name === 'crash');
  const random = createRandom('crash');
  const drawn = crash.flatMap((fault) => Array.from({ length: 100 }, () => drawFault(random, 'f', fault, NAMES)));
  expect(drawn).toHaveLength(100);
  expect(new Set(drawn.map((one) => (one?.params['when'] as { kind: string }).kind))).toEqual(new Set(['first', 'nth']));
});

test('of several draws, that which is newest by any measure is taken', () => {
  const stepsOf = ({ steps }: ScenarioData): number => steps.length;
  const sumOf = (newnessOf?: (data: ScenarioData) => number): number =>
    Array.from({ length: 30 }, (_one, seed) => stepsOf(drawScenario(createRandom(seed), 'any', SITE, newnessOf))).reduce(
      (a, b) => a + b,
      0,
    );
  expect(sumOf(stepsOf)).toBeGreaterThan(1.2 * sumOf());
  expect(sumOf((data) => -stepsOf(data))).toBeLessThan(0.8 * sumOf());
});
