import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { createView } from '../history/view.ts';
import { eventSpam } from './event-spam.ts';

const MINUTE_MS = 60_000;

const about = (name: string, more: object = {}): object => ({
  involvedObject: { kind: 'Pod', namespace: 'default', name, uid: `uid-${name}` },
  source: { component: 'autoscaler' },
  reason: 'FailedScheduling',
  message: 'no room',
  ...more,
});

interface Write {
  readonly atMs: number;
  readonly operation?: string;
  /** Of the Event. */
  readonly object?: string;
  /** The API server names it so. */
  readonly generated?: string;
  readonly input?: object;
  readonly incarnation?: number;
  readonly isRefused?: true;
  readonly isAnswerLost?: true;
}

function historyOf(writes: readonly Write[]): HistoryBuilder {
  const history = new HistoryBuilder().act();
  for (const [span, write] of writes.entries()) {
    const { atMs, operation = 'create events', generated, object = `events/default/e-${span}`, input = about('web-1') } = write;
    history.at(atMs).request(span, operation, { object, input: input as never, incarnation: write.incarnation ?? 1 });
    history.effect(
      span,
      write.isRefused === true ? { kind: 'rejected', code: 'Forbidden' } : { kind: 'applied', ids: [generated ?? object] },
    );
    history.answer(span, write.isRefused === true ? 'fail' : write.isAnswerLost === true ? 'info' : 'ok');
  }
  return history;
}

function judge(writes: readonly Write[]): ReturnType<typeof eventSpam.judge> {
  return eventSpam.judge(
    createView(
      historyOf(writes)
        .at(100 * MINUTE_MS)
        .finish().events,
    ),
  );
}

const steady = (count: number, everyMs: number, more: Omit<Write, 'atMs'> = {}): Write[] =>
  Array.from({ length: count }, (_one, index) => ({ atMs: index * everyMs, ...more }));
const counted = (count: number, object: string): Write[] => steady(count, 0, { operation: 'patch events', object, input: { count: 2 } });

for (const { name, writes, codes } of [
  { name: '26 at once', writes: steady(26, 0), codes: [] },
  { name: '27 at once', writes: steady(27, 0), codes: ['event-flood'] },
  { name: 'one more after five minutes', writes: [...steady(26, 0), { atMs: 5 * MINUTE_MS }], codes: [] },
  { name: 'one more before that', writes: [...steady(26, 0), { atMs: 5 * MINUTE_MS - 1 }], codes: ['event-flood'] },
  { name: 'one every five minutes', writes: steady(100, 5 * MINUTE_MS), codes: [] },
  { name: 'one every ten seconds', writes: steady(30, 10_000), codes: ['event-flood'] },
  {
    name: 'of two sources',
    writes: [...steady(20, 0), ...steady(20, 0, { input: about('web-1', { source: { component: 'b' } }) })],
    codes: [],
  },
  { name: 'with two messages', writes: [...steady(20, 0), ...steady(20, 0, { input: about('web-1', { message: 'late' }) })], codes: [] },
  { name: 'about two objects', writes: [...steady(20, 0), ...steady(20, 0, { input: about('web-2') })], codes: [] },
  { name: 'of two incarnations', writes: [...steady(20, 0), ...steady(20, 0, { incarnation: 2 })], codes: [] },
  {
    name: 'about other versions of it',
    writes: steady(27, 0).map((one, index) => ({ ...one, input: versionOf(index) })),
    codes: ['event-flood'],
  },
  { name: 'that were refused', writes: steady(40, 0, { isRefused: true }), codes: undefined },
  { name: 'whose answers were lost', writes: [...steady(20, 0, { isAnswerLost: true }), ...steady(20, 0)], codes: [] },
  { name: 'which are none', writes: steady(40, 0, { operation: 'create pods' }), codes: undefined },
  {
    name: 'one that is counted up',
    writes: [{ atMs: 0, object: 'events/default/e' }, ...counted(26, 'events/default/e')],
    codes: ['event-flood'],
  },
  {
    name: 'one with a generated name that is counted up',
    writes: [{ atMs: 0, object: 'events/default', generated: 'events/default/e' }, ...counted(26, 'events/default/e')],
    codes: ['event-flood'],
  },
  {
    name: 'with generated names, about many objects',
    writes: steady(40, 0).map((one, index) => ({ ...one, object: 'events/default', input: about(`web-${index}`) })),
    codes: [],
  },
  {
    name: 'of events.k8s.io',
    writes: steady(27, 0, { input: { regarding: { kind: 'Node', name: 'n-1' }, reportingController: 'autoscaler', note: 'busy' } }),
    codes: ['event-flood'],
  },
]) {
  test(`the same Event: ${name}`, () => {
    expect(judge(writes)?.findings.map(({ code }) => code)).toEqual(codes);
  });
}

function versionOf(version: number): object {
  return about('web-1', {
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'web-1', uid: 'uid-web-1', resourceVersion: String(version) },
  });
}

test('a finding says what the Events are about and what they say, and refers to those that are too many', () => {
  const [finding] = judge(steady(30, 0))?.findings ?? [];
  expect(finding?.object).toBe('pods/default/web-1');
  expect(finding?.message).toContain('The same Event (FailedScheduling) about pods/default/web-1 was written 30 times');
  expect(finding?.events).toHaveLength(5 * 3);
});

test("what client-go's filter lets through passes, also if a write is retried later", () => {
  const gaps = fc.array(fc.tuple(fc.nat({ max: 12_000 }), fc.nat({ max: 10_000 })), { minLength: 1, maxLength: 80 });
  fc.assert(
    fc.property(gaps, (tries) => {
      let [atMs, tokens, lastMs] = [0, 25, 0];
      const passed: Write[] = [];
      for (const [gapMs, lateMs] of tries) {
        atMs += gapMs;
        tokens = Math.min(25, tokens + (atMs - lastMs) / (5 * MINUTE_MS));
        lastMs = atMs;
        if (tokens < 1) continue;
        tokens -= 1;
        passed.push({ atMs: atMs + lateMs });
      }
      passed.sort((a, b) => a.atMs - b.atMs);
      expect(judge(passed)?.verdict).toBe('pass');
      expect(judge([...passed, ...steady(27, 0).map(() => ({ atMs: atMs + 20_000 }))])?.verdict).toBe('fail');
    }),
    { numRuns: 50 },
  );
});
