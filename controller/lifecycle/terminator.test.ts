import { expect, test } from '@playwright/test';
import type { Node } from '../../model/kube.ts';
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

test('a node is drained although EC2 does not say what its instance does; the instance is terminated once it does', async () => {
  const timeline = createVirtualTimeline({ startMs: START_MS, random: createRandom(1) });
  const clock = timeline.scope('test');
  const node: Node = {
    metadata: { name: 'n', uid: 'n', deletionTimestamp: formatTime(START_MS), finalizers: [KARPENTER.finalizer] },
    spec: { providerID: 'aws:///us-east-1a/i-1' },
  };
  const did: string[] = [];
  let answersWith: () => Promise<unknown> = () => Promise.reject(new Error('Request has expired'));
  const context = {
    runtime: { clock, random: createRandom(2), log: () => undefined, signal: new AbortController().signal },
    metrics: new Metrics(),
    periods: STANDARD,
    instances: {
      find: () => answersWith(),
      terminate: (id: string) => Promise.resolve(void did.push(`terminated ${id}`)),
    },
    state: { claims: { onChange: () => () => undefined } },
  } as unknown as Context;
  const waits = [1_000, undefined, undefined];
  const drainer = {
    cordon: (one: Node) => Promise.resolve(one),
    drain: () => Promise.resolve(void did.push('drained')).then(() => waits.shift()),
  };
  await timeline.run(
    (async () => {
      const terminator = createTerminator(context, drainer);
      expect(await terminator.terminateNode(node)).toBe(1_000);
      await expect(terminator.terminateNode(node)).rejects.toThrow('Request has expired');
      expect(did).toEqual(['drained', 'drained']);
      answersWith = () => Promise.resolve({ InstanceId: 'i-1', State: { Name: 'running' } });
      await terminator.terminateNode(node);
      expect(did).toEqual(['drained', 'drained', 'drained', 'terminated i-1']);
    })(),
  );
});
