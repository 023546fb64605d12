import { expect, test } from '@playwright/test';
import { Combinations } from './combinations.ts';
import type { ScenarioData } from './scenario-data.ts';
import { SMALL } from './testing/ground.ts';

const [pool] = SMALL.pools;
const [web] = SMALL.workloads;
if (pool === undefined || web === undefined) throw new Error('the small scenario has a pool and a workload');

const THREE: ScenarioData = { ...SMALL, workloads: [{ ...web, kind: 'Job', runSeconds: 5, hostPort: 80 }] };

test('what was together in a scenario is not new in the next one', () => {
  const combinations = new Combinations();
  expect(combinations.countNew(THREE)).toBe(1);
  expect(combinations.countNew(THREE)).toBe(1);
  combinations.add(THREE);
  expect(combinations.countNew(THREE)).toBe(0);
  expect(combinations.countNew({ ...THREE, workloads: [{ ...web, kind: 'Job', runSeconds: 9, hostPort: 81, graceSeconds: 1 }] })).toBe(3);
});

test('two ingredients are no combination, and those of two workloads or two pools are not together', () => {
  const two = { ...web, runSeconds: 5, hostPort: 80 };
  const other = { ...web, name: 'api', graceSeconds: 5, ephemeralStorage: '1Gi' };
  const combinations = new Combinations();
  expect(combinations.countNew({ ...SMALL, workloads: [two] })).toBe(0);
  expect(combinations.countNew({ ...SMALL, workloads: [two, other] })).toBe(0);
  const pools = [
    { ...pool, weight: 5 },
    { ...pool, name: 'b', zones: ['us-east-1a'] },
  ];
  expect(combinations.countNew({ ...SMALL, pools, workloads: [two] })).toBe(2);
});

test('faults and steps are together with everything', () => {
  const faults = [{ name: 'f', fault: 'pause', params: {} }];
  const combinations = new Combinations();
  combinations.add(THREE);
  expect(combinations.countNew({ ...THREE, faults })).toBe(3);
});
