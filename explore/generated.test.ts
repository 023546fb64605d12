import { expect, test } from '@playwright/test';
import { endingSlowly } from '../harness/shapes.ts';
import { scenarioOf } from './generated.ts';
import type { WorkloadData } from './scenario-data.ts';
import { SMALL, withSteps } from './testing/ground.ts';

const [web] = SMALL.workloads;
if (web === undefined) throw new Error('the small scenario has a workload');

const CASES: readonly { readonly kind: NonNullable<WorkloadData['kind']>; readonly then: number; readonly stopMs: number }[] = [
  { kind: 'Deployment', then: 1, stopMs: 100_000 },
  { kind: 'StatefulSet', then: 1, stopMs: 700_000 },
  { kind: 'StatefulSet', then: 7, stopMs: 100_000 },
];

for (const { kind, then, stopMs } of CASES) {
  test(`what pods of a ${kind} need to stop counts: of 7, of which ${then} stay, ${stopMs / 1_000} s`, () => {
    const slow = { ...web, kind, ...endingSlowly({ seconds: 100, graceSeconds: 300 }) };
    const data = withSteps(
      { ...SMALL, workloads: [slow] },
      { do: 'scale', workload: 'web', replicas: 7 },
      { do: 'scale', workload: 'web', replicas: then },
    );
    expect(scenarioOf(data).podStopMs).toBe(stopMs);
  });
}
