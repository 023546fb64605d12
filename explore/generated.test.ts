import { expect, test } from '@playwright/test';
import { endingSlowly } from '../harness/shapes.ts';
import { scenarioOf } from './generated.ts';
import type { WorkloadData } from './scenario-data.ts';
import { SMALL, withSteps } from './testing/ground.ts';

const [web] = SMALL.workloads;
if (web === undefined) throw new Error('the small scenario has a workload');

const CASES: readonly { readonly kind: NonNullable<WorkloadData['kind']>; readonly stopMs: number }[] = [
  { kind: 'Deployment', stopMs: 100_000 },
  { kind: 'StatefulSet', stopMs: 700_000 },
];

for (const { kind, stopMs } of CASES) {
  test(`what pods of a ${kind} need to stop counts, all of them at their most`, () => {
    const slow = { ...web, kind, ...endingSlowly({ seconds: 100, graceSeconds: 300 }) };
    const data = withSteps({ ...SMALL, workloads: [slow] }, { do: 'scale', workload: 'web', replicas: 7 });
    expect(scenarioOf(data).podStopMs).toBe(stopMs);
  });
}
