import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { makePod } from '../testing/world-parts.ts';
import { PodKinds, demandKey, podInfo } from './pod-info.ts';
import type { PodInfo } from './pod-info.ts';
import { SchedulingQueue } from './queue.ts';
import type { Failure, QueuedPod } from './queue.ts';

function info(name: string, priority = 0, app = 'web'): PodInfo {
  const pod = makePod(name);
  return podInfo({
    ...pod,
    metadata: { ...pod.metadata, uid: name, namespace: 'default', labels: { app } },
    spec: { ...pod.spec, priority },
  });
}

function queue(): SchedulingQueue {
  const kinds = new PodKinds(demandKey);
  return new SchedulingQueue((pod) => kinds.of(pod));
}

/** Which of all pods is next, as a scan finds it. */
function scan(
  pods: ReadonlyMap<string, QueuedPod>,
  nowMs: number,
): { readonly next: string | undefined; readonly dueMs: number | undefined } {
  const due = ({ waiting, backoffUntilMs }: QueuedPod): number =>
    waiting === undefined ? backoffUntilMs : waiting.for === 'change' ? Math.max(waiting.untilMs, backoffUntilMs) : Infinity;
  const all = [...pods.values()];
  const ready = all.filter((pod) => due(pod) <= nowMs);
  ready.sort((a, b) => b.info.priority - a.info.priority || a.arrival - b.arrival);
  const dueMs = Math.min(...all.map(due));
  return { next: ready[0]?.info.key, dueMs: dueMs === Infinity ? undefined : dueMs };
}

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
const APPS = ['web', 'db'] as const;
const FAILURES: readonly Failure[] = [
  { kind: 'rejected', by: new Set(['NodeResourcesFit']), preempts: false },
  { kind: 'rejected', by: new Set(['NodeResourcesFit', 'TaintToleration']), preempts: true },
  { kind: 'rejected', by: new Set(), preempts: false },
  { kind: 'no-nodes' },
  { kind: 'error' },
];

const step = fc.oneof(
  fc.record({
    do: fc.constant('add' as const),
    name: fc.constantFrom(...NAMES),
    priority: fc.integer({ min: 0, max: 1 }),
    app: fc.constantFrom(...APPS),
  }),
  fc.record({ do: fc.constant('remove' as const), name: fc.constantFrom(...NAMES) }),
  fc.record({ do: fc.constant('try' as const), failure: fc.constantFrom(undefined, ...FAILURES), isLate: fc.boolean() }),
  fc.record({ do: fc.constant('update' as const), name: fc.constantFrom(...NAMES), app: fc.constantFrom(...APPS) }),
  fc.record({ do: fc.constant('reactivate' as const), app: fc.constantFrom(...APPS) }),
  fc.record({ do: fc.constant('first node' as const) }),
  fc.record({ do: fc.constant('preempted' as const), name: fc.constantFrom(...NAMES) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 500, 1_000, 7_000, 300_000) }),
);

test('whatever happens, the next pod is the one that a scan of all pods finds', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const tested = queue();
      const known = new Map<string, QueuedPod>();
      let nowMs = 0;
      let late: QueuedPod | undefined;
      const see = (name: string): void => {
        const pod = tested.get(`default/${name}`);
        if (pod === undefined) known.delete(`default/${name}`);
        else known.set(`default/${name}`, pod);
      };
      const seen: unknown[] = [];
      const wanted: unknown[] = [];
      for (const one of steps) {
        if (one.do === 'wait') nowMs += one.ms;
        if (one.do === 'add') tested.add(info(one.name, one.priority, one.app));
        if (one.do === 'remove') tested.remove(`default/${one.name}`);
        if (one.do === 'reactivate') tested.reactivate(({ labels }) => labels['app'] === one.app);
        if (one.do === 'first node') tested.onFirstNode(nowMs);
        if (one.do === 'preempted') tested.preempted(`default/${one.name}`, nowMs);
        if (one.do === 'update') {
          const pod = known.get(`default/${one.name}`);
          const before = pod?.info;
          if (pod !== undefined && before !== undefined) {
            tested.update(pod, info(one.name, before.priority, one.app), before.labels['app'] !== one.app);
          }
        }
        if (one.do === 'try') {
          const { next, dueMs } = scan(known, nowMs);
          const popped = tested.pop(nowMs);
          seen.push(popped?.info.key ?? tested.nextDueMs());
          wanted.push(next ?? dueMs);
          if (popped !== undefined) known.delete(popped.info.key);
          // A failed binding puts its pod back late, when another version of it may be queued already.
          const back = one.isLate ? late : popped;
          if (one.isLate) late = popped;
          if (one.failure !== undefined && back !== undefined) tested.putBack(back, one.failure, nowMs);
        }
        NAMES.forEach(see);
      }
      expect(seen).toEqual(wanted);
    }),
    { numRuns: 500 },
  );
});

test('a change helps all waiting pods of a kind, and no others', () => {
  const tested = queue();
  for (const name of ['a', 'b']) tested.add(info(name));
  tested.add(info('c', 0, 'db'));
  for (let pod = tested.pop(0); pod !== undefined; pod = tested.pop(0)) {
    tested.putBack(pod, { kind: 'rejected', by: new Set(['NodeResourcesFit']), preempts: false }, 0);
  }
  tested.reactivate(({ labels }) => labels['app'] === 'web');
  expect([1_000, 1_000, 1_000].map((ms) => tested.pop(ms)?.info.key)).toEqual(['default/a', 'default/b', undefined]);
  expect(tested.pop(300_000)?.info.key).toBe('default/c');
});

test('a pod whose kind was forgotten is still like itself', () => {
  const kinds = new PodKinds(({ labels }) => labels['app'] ?? '');
  const pod = info('a');
  expect(kinds.areAlike(pod, info('b'))).toBe(true);
  for (let app = 0; app <= 10_000; app += 1) kinds.of({ ...pod, labels: { app: String(app) } });
  expect(kinds.areAlike(pod, info('a'))).toBe(true);
  expect(kinds.areAlike(pod, info('a', 0, 'db'))).toBe(false);
});
