import { expect, test } from '@playwright/test';
import type { EventOf, Truth } from '../history/events.ts';
import { createView } from '../history/view.ts';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { unservedExplained } from './unserved-explained.ts';

const BOUND_MS = 30;

function judge(builder: HistoryBuilder): ReturnType<typeof unservedExplained.judge> {
  return unservedExplained.judge(createView(builder.events));
}

/** A pod that stays pending from 10 on, to be explained with the word `maxSkew`. */
function pending(bound = 'explain'): HistoryBuilder {
  const builder = new HistoryBuilder().act().workload('odd', 1, { kind: 'malformed', why: 'x', field: 'maxSkew' });
  return builder
    .expect({ kind: 'explained', workload: 'odd', bound, mentions: ['maxSkew'] })
    .at(10)
    .pod('odd-1', 'created');
}

test('nothing to judge without a pod', () => {
  expect(judge(new HistoryBuilder().act().finish())).toBeUndefined();
});

const ABOUT = { by: 'event', about: 'pods/default/odd-1', level: 'Warning', reason: 'FailedScheduling' } as const;

for (const { what, message, said } of [
  { what: 'a log line that names the pod', message: 'pod default/odd-1: maxSkew is -1', said: {} },
  { what: 'an event about the pod', message: 'maxSkew is -1', said: ABOUT },
  { what: 'a condition of the pod', message: 'invalid', said: { ...ABOUT, by: 'condition', reason: 'InvalidMaxSkew' } },
  {
    what: 'a condition of another object that names the pod',
    message: 'left out odd-1 (maxskew)',
    said: { ...ABOUT, by: 'condition', about: 'nodepools/default' },
  },
] satisfies { what: string; message: string; said: Partial<EventOf<'said'>> }[]) {
  test(`explained: ${what}`, () => {
    expect(judge(pending().at(20).said(message, said).at(500).finish())).toMatchObject({
      verdict: 'pass',
      measurements: [{ worst: 10, object: 'pods/default/odd-1' }],
    });
  });
}

for (const { what, message, said } of [
  { what: 'the scheduler says it', message: 'maxSkew is -1', said: { ...ABOUT, principal: 'scheduler' } },
  { what: 'the author is unknown', message: 'maxSkew is -1', said: { ...ABOUT, principal: undefined } },
  { what: 'another pod is named', message: 'odd-10 has a maxSkew of -1, and so has my-odd-1', said: {} },
  { what: 'the field is not mentioned', message: 'odd-1 is odd', said: {} },
  { what: 'it is about another object', message: 'maxSkew is -1', said: { ...ABOUT, about: 'pods/default/odd-2' } },
] satisfies { what: string; message: string; said: { [K in keyof EventOf<'said'>]?: EventOf<'said'>[K] | undefined } }[]) {
  test(`not explained: ${what}`, () => {
    const result = judge(pending().at(20).said(message, said).at(500).finish());
    expect(result).toMatchObject({ verdict: 'fail', findings: [{ code: 'unexplained', object: 'pods/default/odd-1' }] });
  });
}

test('the finding quotes the last message about the pod', () => {
  const result = judge(pending().at(20).said('odd-1 is odd').at(500).finish());
  expect(result?.findings[0]?.message).toBe(
    'Pod default/odd-1 stayed without a node, and within 0 s the target gave no reason that mentions maxSkew (bound explain, 0 s); ' +
      'the last thing it said about the pod was: log: odd-1 is odd.',
  );
});

test('exactly at the bound is in time, a millisecond later is not', () => {
  const explained = (ms: number): HistoryBuilder =>
    pending()
      .at(10 + ms)
      .said('odd-1: maxSkew')
      .at(500)
      .finish();
  expect(judge(explained(BOUND_MS))?.verdict).toBe('pass');
  expect(judge(explained(BOUND_MS + 1))?.verdict).toBe('fail');
});

test('a pod that was scheduled or deleted in time needs no explanation, and proves nothing', () => {
  expect(judge(pending().at(40).pod('odd-1', 'scheduled').at(500).finish())).toMatchObject({
    verdict: 'unknown',
    summary: 'no pod of workload odd stayed without a node, so there was nothing to explain',
  });
  expect(judge(pending().at(40).pod('odd-1', 'gone').at(500).finish())?.verdict).toBe('unknown');
  expect(judge(pending().at(41).pod('odd-1', 'scheduled').at(500).finish())?.verdict).toBe('fail');
  const both = pending().pod('odd-2', 'created').at(30).pod('odd-2', 'scheduled').said('odd-1: maxSkew').at(500).finish();
  expect(judge(both), 'beside one that did').toMatchObject({
    verdict: 'pass',
    summary: 'odd: 1 of 1 unserved pod explained (bound explain, 0 s)',
  });
});

test('one of several words separated by | is enough', () => {
  const builder = new HistoryBuilder().act().workload('odd', 1, { kind: 'impossible', why: 'x' });
  const waiting = builder.expect({ kind: 'explained', workload: 'odd', bound: 'explain', mentions: ['label|Selector'] }).at(10);
  const history = waiting.pod('odd-1', 'created').at(20);
  expect(judge(history.said('odd-1: no node meets its selector').at(500).finish())?.verdict).toBe('pass');
});

test('with none of them, the finding lists them', () => {
  const builder = new HistoryBuilder().act().workload('odd', 1, { kind: 'impossible', why: 'x' });
  const waiting = builder.expect({ kind: 'explained', workload: 'odd', bound: 'explain', mentions: ['label|selector'] }).at(10);
  const result = judge(waiting.pod('odd-1', 'created').at(20).said('saw odd-1').at(500).finish());
  expect(result?.findings[0]?.message).toContain('gave no reason that mentions label or selector (');
});

test('a history that ends early', () => {
  expect(judge(pending().at(40).phase('heal'))?.verdict).toBe('unknown');
  expect(judge(pending().at(41).phase('heal'))?.verdict).toBe('fail');
  expect(judge(pending().at(20).said('odd-1: maxSkew'))?.verdict).toBe('pass');
});

test('no pod, or no bound: unknown', () => {
  const none = new HistoryBuilder()
    .act()
    .workload('odd')
    .expect({ kind: 'explained', workload: 'odd', bound: 'explain', mentions: [] })
    .finish();
  expect(judge(none)).toMatchObject({ verdict: 'unknown', summary: 'no pod of workload odd was ever created' });
  expect(judge(pending('patience').finish())?.verdict).toBe('unknown');
});

/** A pod that is pending from 10 on, to be served within 100 or without any expectation. */
function waiting({ served = false, truth = { kind: 'schedulable' } }: { served?: boolean; truth?: Truth } = {}): HistoryBuilder {
  const builder = new HistoryBuilder().act().workload('web', 1, truth);
  if (served) builder.expect({ kind: 'served', workload: 'web', bound: 'provision', minRatio: 0 });
  return builder.at(10).pod('web-1', 'created');
}

const UNEXPLAINED = { verdict: 'fail', findings: [{ code: 'unexplained', object: 'pods/default/web-1' }] };
const IMPOSSIBLE = { kind: 'impossible', why: 'too big' } as const;
const AFTER_HEAL = { kind: 'schedulable-after-heal', why: 'no capacity' } as const;

test('a pod about which the target may be silent needs no explanation', () => {
  expect(
    judge(
      waiting({ truth: { ...IMPOSSIBLE, mayBeSilent: true } })
        .at(500)
        .finish(),
    )?.verdict,
  ).not.toBe('fail');
});

for (const { what, pod } of [
  { what: 'was to be served', pod: () => waiting({ served: true }).at(111) },
  { what: 'has no expectation', pod: () => waiting().at(111) },
  { what: 'is impossible', pod: () => waiting({ truth: IMPOSSIBLE }).at(41) },
  { what: 'is malformed', pod: () => waiting({ truth: { kind: 'malformed', why: 'x', field: 'y' } }).at(41) },
]) {
  test(`a pod that ${what} and stays unserved needs an explanation of the target, at any time`, () => {
    expect(judge(pod().finish())).toMatchObject(UNEXPLAINED);
    expect(judge(pod().said('odd: no room').finish())).toMatchObject(UNEXPLAINED);
    expect(judge(pod().said('no room', { principal: 'scheduler', about: 'pods/default/web-1' }).finish())).toMatchObject(UNEXPLAINED);
    expect(judge(pod().said('web-1: no room').finish())).toMatchObject({ verdict: 'pass', summary: 'web: 1 of 1 unserved pod explained' });
    expect(judge(pod().said('no room', { by: 'event', about: 'pods/default/web-1' }).finish())?.verdict).toBe('pass');
    expect(judge(pod().finish().said('web-1: no room'))).toMatchObject(UNEXPLAINED);
  });
}

for (const { what, pod } of [
  { what: 'was served in time', pod: () => waiting({ served: true }).at(110).pod('web-1', 'scheduled').at(500).pod('web-1', 'running') },
  { what: 'was taken away in time', pod: () => waiting({ served: true }).at(110).pod('web-1', 'terminating').at(500) },
  { what: 'was still within its bound when the world had settled', pod: () => waiting({ served: true }).at(109) },
  { what: 'had no expectation, and was served before the end', pod: () => waiting().at(499).pod('web-1', 'scheduled').at(500) },
  { what: 'was created shortly before the end', pod: () => waiting().at(109) },
  { what: 'can only be served after the heal, which was recent', pod: () => waiting({ served: true, truth: AFTER_HEAL }).at(500) },
]) {
  test(`a pod that ${what} needs no explanation`, () => {
    expect(judge(pod().finish())).toMatchObject({ verdict: 'pass', summary: 'web: 0 of 0 unserved pods explained' });
  });
}

test('a pod that was served too late needed an explanation before', () => {
  const late = (): HistoryBuilder => waiting({ served: true }).at(111);
  expect(judge(late().pod('web-1', 'scheduled').finish())).toMatchObject(UNEXPLAINED);
  expect(judge(late().said('web-1: no room').pod('web-1', 'scheduled').finish())?.verdict).toBe('pass');
  expect(judge(late().pod('web-1', 'scheduled').said('web-1: scheduled').finish())).toMatchObject(UNEXPLAINED);
});

test('the explanation may come while the pod is pending and the world has not settled', () => {
  expect(judge(waiting({ served: true }).at(500).phase('heal'))).toMatchObject({ verdict: 'unknown', findings: [] });
});

/** A fault lets the target's watch of pods hang from 5 to 200. */
function blinded(builder: HistoryBuilder): HistoryBuilder {
  return builder.at(5).arm('f').request(1, 'watch pods').fire('f', 1);
}

test('while a fault hides the pod, it needs no explanation: the bound begins when the target can see it', () => {
  const builder = blinded(new HistoryBuilder().act().workload('odd', 1, IMPOSSIBLE));
  const hidden = builder.expect({ kind: 'explained', workload: 'odd', bound: 'explain', mentions: [] }).at(10).pod('odd-1', 'created');
  const events = [...hidden.at(200).answer(1, 'info').heal('f').events];
  const at = (ms: number): HistoryBuilder => Object.assign(new HistoryBuilder(), { events: [...events] }).at(ms);
  expect(judge(at(230).said('odd-1: too big').at(500).finish())).toMatchObject({ verdict: 'pass', measurements: [{ worst: 30 }] });
  expect(judge(at(231).said('odd-1: too big').at(500).finish())).toMatchObject({ verdict: 'fail', measurements: [{ worst: 31 }] });
  expect(judge(at(500).finish())?.verdict).toBe('fail');
  expect(judge(at(150).said('odd-1: too big').at(500).finish())).toMatchObject({ verdict: 'pass', measurements: [{ worst: 0 }] });
});

test('an impossible pod that a fault hid almost to the end needs no explanation', () => {
  const hidden = (): HistoryBuilder => {
    const builder = blinded(new HistoryBuilder().act().workload('web', 1, IMPOSSIBLE))
      .at(10)
      .pod('web-1', 'created');
    return builder.at(200).answer(1, 'info').heal('f');
  };
  expect(judge(hidden().at(228).finish())?.verdict).toBe('pass');
  expect(judge(hidden().at(230).finish())).toMatchObject(UNEXPLAINED);
  expect(
    judge(
      blinded(waiting({ served: true }))
        .at(111)
        .finish(),
    ),
    'one that is to be served needs it',
  ).toMatchObject(UNEXPLAINED);
});
