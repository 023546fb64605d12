import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { createRandom } from '../runtime/random.ts';
import { drawScenario } from './draw/scenario.ts';
import { parseScenarioData } from './scenario-data.ts';
import type { ScenarioData } from './scenario-data.ts';
import { MAX_SHRINK_TRIALS, reductionsOf, shrink } from './shrink.ts';
import { LARGE, SITE } from './testing/ground.ts';

const showing =
  (isShown: (data: ScenarioData) => boolean) =>
  (candidates: readonly ScenarioData[]): Promise<boolean[]> =>
    Promise.resolve(candidates.map(isShown));

test('only what is needed is left, with the random numbers of the original', async () => {
  const isShown = ({ faults, workloads }: ScenarioData): boolean =>
    faults.some(({ fault }) => fault === 'slow-answer') && workloads.some(({ replicas }) => replicas >= 2);
  const { data, trials } = await shrink(LARGE, showing(isShown));
  expect(data.origin).toBe('large');
  expect(data.pools).toHaveLength(1);
  expect(data.workloads).toEqual([expect.objectContaining({ replicas: 2 })]);
  expect(Object.keys(data.workloads[0] ?? {}).sort()).toEqual(['cpu', 'memory', 'name', 'replicas']);
  expect(data.faults).toEqual([{ name: 'fault-2', fault: 'slow-answer', params: { operations: ['*'], delayMs: 1_000 } }]);
  expect(data.steps.map((step) => step.do)).toEqual(['inject', 'deploy']);
  expect(trials).toBeLessThan(MAX_SHRINK_TRIALS);
});

test('nothing is left to make smaller', async () => {
  const { data } = await shrink(
    LARGE,
    showing(() => true),
  );
  expect(reductionsOf(data)).toEqual([]);
});

test('every reduction is a valid, different scenario, and reducing ends', () => {
  fc.assert(
    fc.property(fc.nat(100_000), (seed) => {
      const data = drawScenario(createRandom(seed), 'any', SITE);
      for (const one of reductionsOf(data)) {
        expect(parseScenarioData(JSON.parse(JSON.stringify(one)))).toEqual(one);
        expect(one).not.toEqual(data);
      }
    }),
    { numRuns: 60 },
  );
});

test('a finding that vanishes with every change costs a limited number of trials', async () => {
  const { data, trials } = await shrink(
    LARGE,
    showing(() => false),
  );
  expect({ ...data, origin: undefined }).toEqual({ ...LARGE, origin: undefined });
  expect(trials).toBeLessThanOrEqual(reductionsOf(LARGE).length);
});

test('no scenario is tried twice', async () => {
  const tried: string[] = [];
  await shrink(LARGE, (candidates) => {
    tried.push(...candidates.map((one) => JSON.stringify(one)));
    return Promise.resolve(candidates.map(({ workloads, faults }) => workloads.length > 0 && faults.length % 2 === 1));
  });
  expect(tried.length).toBeGreaterThan(50);
  expect(new Set(tried).size).toBe(tried.length);
});
