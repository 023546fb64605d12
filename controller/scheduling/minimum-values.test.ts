import { expect, test } from '@playwright/test';
import { LABEL } from '../../model/kube.ts';
import { chooseKeeping, findShortfall, minimumsOf } from './minimum-values.ts';
import { createSimulator } from './simulator.ts';
import { pod, pool } from './testing/simulator.ts';
import type { Plan, PoolOptions } from './types.ts';

function simulate(...pools: PoolOptions[]): Plan {
  return createSimulator().simulate({ pods: [pod('a', '1')], nodes: [], pools, namespaces: new Map() });
}

test('the largest minimum of a label counts; a minimum of one is none', () => {
  const requirements = [
    { key: 'x', operator: 'Exists', minValues: 2 },
    { key: 'x', operator: 'In', values: ['a', 'b', 'c'], minValues: 3 },
    { key: 'y', operator: 'Exists', minValues: 1 },
    { key: 'z', operator: 'Exists' },
  ] as const;
  const minimums = minimumsOf(requirements.map((one) => ({ ...one, ...('values' in one ? { values: [...one.values] } : {}) }) as never));
  expect([...minimums]).toEqual([['x', 3]]);
  expect(
    findShortfall(
      minimums,
      ['a', 'b', 'b'].map((x) => ({ labels: { x } })),
    ),
  ).toEqual({ key: 'x', least: 3, found: 2 });
  expect(
    findShortfall(
      minimums,
      ['a', 'b', 'c'].map((x) => ({ labels: { x } })),
    ),
  ).toBeUndefined();
});

test('if there is no room for all, those that a minimum needs come first', () => {
  const things = ['a1', 'a2', 'a3', 'b1', 'c1'];
  const labelsOf = (thing: string): { x: string }[] => [{ x: thing.slice(0, 1) }];
  expect(chooseKeeping(new Map(), things, 3, labelsOf)).toEqual(['a1', 'a2', 'a3']);
  expect(chooseKeeping(new Map([['x', 3]]), things, 3, labelsOf)).toEqual(['a1', 'b1', 'c1']);
  expect(chooseKeeping(new Map([['x', 2]]), things, 3, labelsOf)).toEqual(['a1', 'a2', 'b1']);
  expect(chooseKeeping(new Map([['x', 9]]), things, 9, labelsOf)).toEqual(things);
});

test("a pool with a satisfied minimum puts it into its claims, even for labels that they don't name otherwise", () => {
  const minimums = new Map([
    [LABEL.instanceType, 3],
    [LABEL.arch, 1],
  ]);
  const [launch] = simulate(pool('default', { minimums })).launches;
  expect(launch?.requirements).toContainEqual({
    key: LABEL.instanceType,
    operator: 'In',
    values: ['large', 'medium', 'small'],
    minValues: 3,
  });
});

test('a pool with an unsatisfied minimum launches nothing and reports why; another pool launches', () => {
  const narrow = pool('narrow', { weight: 9, minimums: new Map([[LABEL.zone, 4]]) });
  expect(simulate(narrow, pool('other')).launches.map((launch) => launch.pool)).toEqual(['other']);
  expect(simulate(narrow).refusals[0]?.reason).toContain(`minValues: 4 values of ${LABEL.zone} are demanded, 3 would be left`);
});
