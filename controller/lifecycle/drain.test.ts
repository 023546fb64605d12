import { expect, test } from '@playwright/test';
import { KubeError } from '../../clients/kube-client.ts';
import type { Node, Pod, PodSpec } from '../../model/kube.ts';
import { formatTime } from '../../model/time.ts';
import { createRandom } from '../../runtime/random.ts';
import { createVirtualTimeline } from '../../runtime/timeline.ts';
import type { Context } from '../context.ts';
import { STANDARD } from '../periods.ts';
import { Metrics } from '../metrics.ts';
import { createDrainer } from './drain.ts';

const NODE: Node = { metadata: { name: 'n1', uid: 'n1' }, spec: {} };
const START_MS = Date.parse('2026-01-01T00:00:00Z');

function pod(name: string, spec: Partial<PodSpec> = {}, metadata: Partial<Pod['metadata']> = {}): Pod {
  return {
    metadata: { name, namespace: 'default', uid: name, ...metadata },
    spec: { containers: [], nodeName: 'n1', ...spec },
    status: { phase: 'Running' },
  };
}

function ownedBy(kind: string): Partial<Pod['metadata']> {
  return { ownerReferences: [{ apiVersion: 'v1', kind, name: 'x', uid: 'x', controller: true }] };
}

/** A pod as the server returns it once it was told to terminate, at this server time. */
function deleted(one: Pod, atMs: number): Pod {
  const deletionGracePeriodSeconds = one.spec.terminationGracePeriodSeconds ?? 30;
  const deletionTimestamp = formatTime(atMs + deletionGracePeriodSeconds * 1_000);
  return { ...one, metadata: { ...one.metadata, deletionTimestamp, deletionGracePeriodSeconds } };
}

/** Drains until nothing is left, for at most ten minutes. @returns the requests, by second, and how long it took */
async function drain(
  pods: Pod[],
  options: {
    readonly endMs?: number;
    readonly refuse?: (name: string, asked: number) => KubeError | undefined;
    /** How long pods take to terminate; by default no time. */
    readonly endsAfterMs?: number;
    /** How far the server's clock is behind. */
    readonly aheadMs?: number;
    /** After this many seconds the process is restarted. */
    readonly restartAtS?: number;
  } = {},
): Promise<{ asked: string[]; seconds: number }> {
  const timeline = createVirtualTimeline({ startMs: START_MS, random: createRandom(1) });
  const clock = timeline.scope('test');
  const asked: string[] = [];
  const counts = new Map<string, number>();
  let left = pods;
  const secondsNow = (): number => Math.round((clock.nowMs() - START_MS) / 1_000);
  const remove = (name: string): Promise<void> => {
    left = left.filter(({ metadata }) => metadata.name !== name);
    return Promise.resolve();
  };
  const end = (name: string, afterMs: number): Promise<void> => {
    left = left.map((one) => (one.metadata.name === name ? deleted(one, clock.nowMs() - (options.aheadMs ?? 0)) : one));
    void clock.sleep(afterMs).then(() => remove(name));
    return Promise.resolve();
  };
  const context = {
    runtime: { clock, random: createRandom(2), log: () => undefined, signal: new AbortController().signal },
    state: { podsOn: () => left, freshPods: () => Promise.resolve(left), nodes: { get: () => NODE } },
    metrics: new Metrics(),
    periods: STANDARD,
    reporter: { publish: () => undefined, cannotSchedule: () => undefined },
    kube: {
      evict: (_namespace: string, name: string) => {
        const count = (counts.get(name) ?? 0) + 1;
        counts.set(name, count);
        asked.push(name);
        const refusal = options.refuse?.(name, count);
        if (refusal !== undefined) return Promise.reject(refusal);
        return options.endsAfterMs === undefined ? remove(name) : end(name, options.endsAfterMs);
      },
      delete: ({ name }: { name: string }, { gracePeriodSeconds }: { gracePeriodSeconds?: number }) => {
        asked.push(`delete ${name} ${gracePeriodSeconds ?? ''} at ${secondsNow()}`);
        return remove(name);
      },
    },
  } as unknown as Context;
  const main = async (): Promise<void> => {
    let drainer = createDrainer(context);
    let isRestarted = false;
    while (secondsNow() < 600) {
      if (!isRestarted && secondsNow() >= (options.restartAtS ?? Infinity)) {
        drainer = createDrainer(context);
        isRestarted = true;
      }
      const waitMs = await drainer.drain(NODE, options.endMs ?? Infinity, options.aheadMs);
      if (waitMs === undefined) return;
      await clock.sleep(waitMs);
    }
  };
  await timeline.run(main());
  return { asked, seconds: secondsNow() };
}

test('critical pods after the others, DaemonSet pods last in each group; static pods and pods that tolerate the taint stay', async () => {
  const { asked } = await drain([
    pod('critical-agent', { priorityClassName: 'system-node-critical' }, ownedBy('DaemonSet')),
    pod('critical', { priorityClassName: 'system-cluster-critical' }),
    pod('agent', {}, ownedBy('DaemonSet')),
    pod('web', {}, ownedBy('ReplicaSet')),
    pod('static', {}, ownedBy('Node')),
    pod('tolerant', { tolerations: [{ operator: 'Exists' }] }),
  ]);
  expect(asked).toEqual(['web', 'agent', 'critical', 'critical-agent']);
});

test('critical pods do not wait for pods that stay, unless they belong to a DaemonSet', async () => {
  const optOut = { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };
  const critical = pod('critical', { priorityClassName: 'system-cluster-critical' });
  const agent = pod('critical-agent', { priorityClassName: 'system-node-critical' }, ownedBy('DaemonSet'));
  expect((await drain([critical, agent, pod('kept', {}, optOut)])).asked).toEqual(['critical']);
  const budget = new KubeError(429, 'TooManyRequests', 'Cannot evict pod');
  const { asked } = await drain([critical, pod('web')], { refuse: (name, count) => (name === 'web' && count < 15 ? budget : undefined) });
  expect(asked.indexOf('critical')).toBeGreaterThan(3);
  expect(asked.indexOf('critical')).toBeLessThan(asked.lastIndexOf('web'));
});

test('the eviction of a protected pod is retried, and does not block its group', async () => {
  const budget = new KubeError(429, 'TooManyRequests', 'Cannot evict pod');
  const { asked, seconds } = await drain([pod('kept'), pod('web')], {
    refuse: (name, count) => (name === 'kept' && count < 12 ? budget : undefined),
  });
  expect(asked.filter((name) => name === 'web')).toHaveLength(1);
  expect(asked.filter((name) => name === 'kept')).toHaveLength(12);
  expect(seconds).toBeLessThan(60);
});

test('Retry-After is honoured', async () => {
  const notYet = new KubeError(429, 'TooManyRequests', 'the budget is still being processed', 10_000);
  const { asked, seconds } = await drain([pod('web')], { refuse: (_name, count) => (count < 3 ? notYet : undefined) });
  expect(asked).toHaveLength(3);
  expect(seconds).toBe(25);
});

test('an eviction error is retried for that pod only', async () => {
  const broken = new KubeError(500, 'InternalError', 'This pod has more than one PodDisruptionBudget');
  const { asked } = await drain([pod('bad'), pod('web')], { refuse: (name, count) => (name === 'bad' && count < 3 ? broken : undefined) });
  expect(asked.filter((name) => name === 'bad')).toHaveLength(3);
});

test("pods that opted out are waited for, until the node's deadline", async () => {
  const kept = pod('kept', { terminationGracePeriodSeconds: 30 }, { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } });
  expect((await drain([kept])).asked).toEqual([]);
  const { asked, seconds } = await drain([kept], { endMs: START_MS + 120_000 });
  expect(asked).toEqual(['delete kept 30 at 89']);
  expect(seconds).toBeLessThanOrEqual(120);
});

test('pods are deleted in time for their grace period; one that needs more gets what is left', async () => {
  const protectedPod = (name: string, terminationGracePeriodSeconds: number): Pod =>
    pod(name, { terminationGracePeriodSeconds }, { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } });
  const { asked } = await drain([protectedPod('short', 33), protectedPod('long', 101), protectedPod('endless', 3_600)], {
    endMs: START_MS + 120_000,
  });
  expect(asked).toEqual(['delete endless 120 at 0', 'delete long 101 at 18', 'delete short 33 at 86']);
});

const FOUR_MINUTES_MS = 240_000;

for (const [what, aheadMs] of [
  ['is right', 0],
  ['is four minutes ahead', FOUR_MINUTES_MS],
  ['is four minutes behind', -FOUR_MINUTES_MS],
] as const) {
  test(`a clock that ${what}: pods get their grace period, and at most a minute more`, async () => {
    const slow = pod('slow', { terminationGracePeriodSeconds: 60 });
    expect((await drain([slow], { aheadMs, endsAfterMs: 58_000 })).seconds).toBe(60);
    // Held by a dead kubelet.
    expect((await drain([slow], { aheadMs, endsAfterMs: 3_600_000 })).seconds).toBe(125);
  });
}

test('the time of pods that are already terminating starts when they are first seen, and again after a restart', async () => {
  const stuck = deleted(pod('stuck', { terminationGracePeriodSeconds: 60 }), START_MS - 3_600_000);
  expect((await drain([stuck])).seconds).toBe(120);
  expect((await drain([stuck], { restartAtS: 100 })).seconds).toBe(220);
});

test('a pod with a shorter deletion grace period than its spec is not waited for longer', async () => {
  const hurried = deleted(pod('hurried', { terminationGracePeriodSeconds: 3_600 }), START_MS);
  const metadata = { ...hurried.metadata, deletionGracePeriodSeconds: 10, deletionTimestamp: formatTime(START_MS + 10_000) };
  expect((await drain([{ ...hurried, metadata }])).seconds).toBe(70);
});

for (const aheadMs of [0, FOUR_MINUTES_MS]) {
  test(`the grace period of a pod that would outlive its node is shortened once, by the server's times, with a clock ${aheadMs / 1_000} s ahead`, async () => {
    const asked = deleted(pod('endless', { terminationGracePeriodSeconds: 3_600 }), START_MS - aheadMs - 100_000);
    // The server counts from the first deletion: 100 s of it have passed.
    expect((await drain([asked], { aheadMs, endMs: START_MS + 120_000 })).asked).toEqual(['delete endless 220 at 0']);
    const inTime = deleted(pod('slow', { terminationGracePeriodSeconds: 220 }), START_MS - aheadMs - 100_000);
    expect((await drain([inTime], { aheadMs, endMs: START_MS + 120_000 })).asked).toEqual([]);
  });
}
