import { expect, test } from '@playwright/test';
import { formatTime } from '../../model/time.ts';
import { createRandom } from '../../runtime/random.ts';
import { createVirtualTimeline } from '../../runtime/timeline.ts';
import { KARPENTER } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import type { Context } from '../context.ts';
import { writeAttempt } from '../launch/attempt.ts';
import { Metrics } from '../metrics.ts';
import { STANDARD } from '../periods.ts';
import { createTerminator } from './terminator.ts';

const START_MS = Date.parse('2026-01-01T00:00:00Z');
const FOUR_MINUTES_MS = 240_000;

for (const aheadMs of [0, FOUR_MINUTES_MS, -FOUR_MINUTES_MS]) {
  test(`an instance that may still become visible is searched as long as EC2 may not show it, with a clock ${aheadMs / 1_000} s ahead`, async () => {
    const timeline = createVirtualTimeline({ startMs: START_MS, random: createRandom(1) });
    const clock = timeline.scope('test');
    const claim: NodeClaim = {
      metadata: {
        name: 'c1',
        uid: 'c1',
        finalizers: [KARPENTER.finalizer],
        deletionTimestamp: formatTime(START_MS - aheadMs),
        annotations: writeAttempt({
          number: 1,
          request: { LaunchTemplateConfigs: [], TargetCapacitySpecification: { TotalTargetCapacity: 1 } },
          state: 'open',
        }),
      },
      spec: {} as NodeClaim['spec'],
    };
    const context = {
      runtime: { clock, random: createRandom(2), log: () => undefined, signal: new AbortController().signal },
      metrics: new Metrics(),
      periods: STANDARD,
      instances: { findByClaim: () => Promise.resolve([]) },
      state: { claims: { onChange: () => () => undefined, get: () => undefined, remember: () => undefined, forget: () => undefined } },
      kube: { patch: () => Promise.resolve(claim) },
    } as unknown as Context;
    const main = async (): Promise<void> => {
      const terminator = createTerminator(context);
      for (;;) {
        const waitMs = await terminator.terminate(claim);
        if (waitMs === undefined) return;
        await clock.sleep(waitMs);
      }
    };
    await timeline.run(main());
    expect(clock.nowMs() - START_MS).toBe(STANDARD.lookupSettleMs);
  });
}
