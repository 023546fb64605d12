import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { createView } from '../history/view.ts';
import { eventSpam } from './event-spam.ts';

const MINUTE_MS = 60_000;

const about = (name: string, component = 'autoscaler'): object => ({
  involvedObject: { kind: 'Pod', namespace: 'default', name, uid: `uid-${name}` },
  source: { component },
});

interface Write {
  readonly atMs: number;
  readonly operation?: string;
  /** Of the Event. */
  readonly object?: string;
  readonly input?: object;
  readonly incarnation?: number;
  readonly isRefused?: true;
}

function historyOf(writes: readonly Write[]): HistoryBuilder {
  const history = new HistoryBuilder().act();
  for (const [
    span,
    { atMs, operation = 'create events', object = `events/default/e-${span}`, input = about('web-1'), ...more },
  ] of writes.entries()) {
    history.at(atMs).request(span, operation, { object, input: input as never, incarnation: more.incarnation ?? 1 });
    history.effect(span, more.isRefused === true ? { kind: 'rejected', code: 'Forbidden' } : { kind: 'applied', ids: [object] });
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

const times = (count: number, everyMs: number): number[] => Array.from({ length: count }, (_one, index) => index * everyMs);
const steady = (count: number, everyMs: number, more: Omit<Write, 'atMs'> = {}): Write[] =>
  times(count, everyMs).map((atMs) => ({ atMs, ...more }));

for (const { name, writes, codes } of [
  { name: '25 at once', writes: steady(25, 0), codes: [] },
  { name: '26 at once', writes: steady(26, 0), codes: ['event-flood'] },
  { name: 'one more after five minutes', writes: [...steady(25, 0), { atMs: 5 * MINUTE_MS }], codes: [] },
  { name: 'one more before that', writes: [...steady(25, 0), { atMs: 5 * MINUTE_MS - 1 }], codes: ['event-flood'] },
  { name: 'one every five minutes', writes: steady(100, 5 * MINUTE_MS), codes: [] },
  { name: 'one every ten seconds', writes: steady(30, 10_000), codes: ['event-flood'] },
  { name: 'of two sources', writes: [...steady(25, 0), ...steady(25, 0, { input: about('web-1', 'scheduler') })], codes: [] },
  { name: 'about two objects', writes: [...steady(25, 0), ...steady(25, 0, { input: about('web-2') })], codes: [] },
  { name: 'of two incarnations', writes: [...steady(25, 0), ...steady(25, 0, { incarnation: 2 })], codes: [] },
  { name: 'that were refused', writes: steady(40, 0, { isRefused: true }), codes: undefined },
  { name: 'of another kind', writes: steady(40, 0, { operation: 'create pods' }), codes: undefined },
  {
    name: 'one that is counted up',
    writes: [
      { atMs: 0, object: 'events/default/e' },
      ...steady(25, 0, { operation: 'patch events', object: 'events/default/e', input: { count: 2 } }),
    ],
    codes: ['event-flood'],
  },
  {
    name: 'of events.k8s.io',
    writes: steady(26, 0, { input: { regarding: { kind: 'Node', name: 'n-1' }, reportingController: 'autoscaler' } }),
    codes: ['event-flood'],
  },
]) {
  test(`Events about one object: ${name}`, () => {
    expect(judge(writes)?.findings.map(({ code }) => code)).toEqual(codes);
  });
}

test('a finding says what the Events are about, and how many are too many', () => {
  const [finding] = judge(steady(30, 0))?.findings ?? [];
  expect(finding?.object).toBe('pod/default/web-1');
  expect(finding?.message).toContain('client-go would have dropped 5 of them');
});

test("what client-go's filter lets through passes, and the first Event that it drops fails", () => {
  const gaps = fc.array(fc.nat({ max: 8 * MINUTE_MS }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(gaps, (gapsMs) => {
      let [atMs, tokens, lastMs] = [0, 25, 0];
      const passed: Write[] = [];
      for (const gapMs of gapsMs) {
        atMs += Math.floor(gapMs / 40);
        tokens = Math.min(25, tokens + (atMs - lastMs) / (5 * MINUTE_MS));
        lastMs = atMs;
        if (tokens < 1) {
          expect(judge([...passed, { atMs }])?.verdict).toBe('fail');
          break;
        }
        tokens -= 1;
        passed.push({ atMs });
        expect(judge(passed)?.verdict).toBe('pass');
      }
    }),
    { numRuns: 50 },
  );
});
