import { expect, test } from '@playwright/test';
import type { EventOf, HistoryEvent } from '../history/events.ts';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import type { Finding } from '../history/verdict.ts';
import { createView } from '../history/view.ts';
import { consolidateAfter } from './consolidate-after.ts';

const MINUTE_MS = 60_000;

/** A node is Ready at 10 s and gets a pod at 20 s, its pool asks for five minutes, and the target removes it. Bound pod-lag is 20 ms. */
function removal(
  options: {
    readonly pool?: Partial<EventOf<'pool'>['pool']>;
    readonly truth?: EventOf<'workload'>['truth'];
    readonly atMs?: number;
    /** What happens before the removal. */
    readonly before?: (history: HistoryBuilder) => void;
    /** The claim is deleted by somebody else. */
    readonly byOthers?: true;
  } = {},
): HistoryEvent[] {
  const { pool = { consolidateAfterMs: 5 * MINUTE_MS }, truth = { kind: 'schedulable' }, atMs = 4 * MINUTE_MS, before, byOthers } = options;
  const history = new HistoryBuilder().act().pool('default', pool).workload('web', 1, truth);
  history.claim('c-1', 'created').launch(1, 'i-1').claim('c-1', 'launched', 'i-1');
  history.at(10_000).node('n-1', 'created', 'i-1').node('n-1', 'ready', 'i-1', { pool: 'default' });
  history.at(20_000).pod('web-1', 'created').pod('web-1', 'scheduled', 'n-1').pod('web-1', 'running', 'n-1');
  before?.(history);
  history.at(atMs);
  if (byOthers !== true) history.request(50, 'delete nodeclaims', { object: 'nodeclaims/c-1' });
  history.claim('c-1', 'terminating', 'i-1');
  if (byOthers !== true) history.effect(50, { kind: 'applied', ids: ['nodeclaims/c-1'] });
  return history.at(60 * MINUTE_MS).finish().events;
}

/** The findings on a target with some features; undefined if there is nothing to judge. */
function findingsOf(events: readonly HistoryEvent[], features: readonly string[] = ['consolidation']): readonly Finding[] | undefined {
  const declared = events.map((event) =>
    event.type === 'trial.begin' ? { ...event, target: { ...event.target, features: [...features] } } : event,
  );
  return consolidateAfter.judge(createView(declared))?.findings;
}

const codesOf = (...given: Parameters<typeof findingsOf>): string[] | undefined => findingsOf(...given)?.map(({ code }) => code);

const SKEWED = {
  type: 'fault.armed',
  fault: { id: 'f1', fault: 'clock-skew', description: '', params: { byMs: 60_000 }, legal: true, firing: 'may-fire', color: '#000000' },
} as const;
/** A fault delays the answer to what the target notes about its claim. */
const notedIn =
  (ms: number) =>
  (history: HistoryBuilder): void => {
    const slow = { ...SKEWED, fault: { ...SKEWED.fault, fault: 'slow-answer', params: {} } };
    history.at(30_000).request(60, 'patch nodeclaims/status').add(slow, { type: 'fault.fired', fault: 'f1', span: 60 });
    history.effect(60, { kind: 'applied', ids: ['nodeclaims/c-1'] });
    history.at(30_000 + ms).answer(60, 'ok');
  };
const leftAt =
  (ms: number) =>
  (history: HistoryBuilder): void => {
    history.at(ms).pod('web-1', 'terminating', 'n-1').pod('web-1', 'gone', 'n-1');
  };

const EARLY = ['consolidated-early'];
for (const { name, events, codes } of [
  { name: 'before the time has passed since a pod came', events: removal(), codes: EARLY },
  { name: 'when it has passed', events: removal({ atMs: 320_000 }), codes: [] },
  { name: 'as exactly as Karpenter counts', events: removal({ atMs: 309_000 }), codes: [] },
  { name: 'a little earlier than that', events: removal({ atMs: 308_999 }), codes: EARLY },
  { name: 'before it has passed since a pod left', events: removal({ before: leftAt(400_000), atMs: 600_000 }), codes: EARLY },
  { name: 'when it has passed since a pod left', events: removal({ before: leftAt(400_000), atMs: 700_000 }), codes: [] },
  { name: 'just when a pod leaves', events: removal({ before: leftAt(400_000), atMs: 400_010 }), codes: [] },
  {
    name: 'before it has passed since it became Ready, while only a DaemonSet pod is on it',
    events: removal({ truth: { kind: 'daemon' }, atMs: 298_999 }),
    codes: EARLY,
  },
  {
    name: 'before it has passed since a DaemonSet pod came',
    events: removal({ truth: { kind: 'daemon' }, atMs: 300_000 }),
    codes: [],
  },
  {
    name: 'although its pool asks that it never be',
    events: removal({ pool: { consolidateAfterMs: 'never' }, atMs: 900_000 }),
    codes: EARLY,
  },
  { name: 'by somebody else', events: removal({ byOthers: true }), codes: [] },
  { name: 'when it is too old', events: removal({ pool: { consolidateAfterMs: 5 * MINUTE_MS, expireAfterMs: MINUTE_MS } }), codes: [] },
  {
    name: 'after its pool had changed',
    events: removal({ before: (history) => history.at(30_000).pool('default', { consolidateAfterMs: 6 * MINUTE_MS }) }),
    codes: [],
  },
  {
    name: 'as soon as its last pod leaves, in a pool that keeps used nodes',
    events: removal({ pool: { consolidateAfterMs: 5 * MINUTE_MS, keepsUsedNodes: true }, before: leftAt(400_000), atMs: 400_010 }),
    codes: EARLY,
  },
  {
    name: 'after a pod had left while the target was down',
    events: removal({
      before: (history) => {
        leftAt(400_000)(history.at(399_990).add({ type: 'target.stop', incarnation: 1 }));
        history.at(401_000).add({ type: 'target.start', incarnation: 2 }, { type: 'target.ready', incarnation: 2 });
      },
      atMs: 600_000,
    }),
    codes: [],
  },
  { name: 'after a note about its claim had been answered a little late', events: removal({ before: notedIn(20) }), codes: EARLY },
  { name: 'after a note about its claim had been answered very late', events: removal({ before: notedIn(21) }), codes: [] },
  { name: 'by a clock that was set', events: removal({ before: (history) => history.add(SKEWED) }), codes: [] },
]) {
  test(`a node is removed ${name}`, () => expect(codesOf(events)).toEqual(codes));
}

test('nothing is judged where no pool asks for a time that is long enough, or its size is fixed, or the target does not consolidate', () => {
  expect(codesOf(removal({ pool: {} }))).toBeUndefined();
  expect(codesOf(removal({ pool: { consolidateAfterMs: 11_000 } }))).toBeUndefined();
  expect(codesOf(removal({ pool: { consolidateAfterMs: MINUTE_MS, replicas: 1 } }))).toBeUndefined();
  expect(codesOf(removal(), [])).toBeUndefined();
});

test('a finding says which pod changed, when, and what the pool asks for', () => {
  const events = removal({ before: leftAt(400_000), atMs: 600_000 });
  expect(findingsOf(events)?.[0]).toMatchObject({
    object: 'nodes/n-1',
    message:
      'Node n-1 was removed from 10 min 0 s on for no reason that the history shows, 3 min 20 s after pod default/web-1 had begun to leave it; its pool asks for 5 min 0 s before its nodes are consolidated (bound pod-lag, 0 s).',
  });
});
