import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { WatchedTime } from './watched-time.ts';

const START = { nowMs: 1_000, waitedMs: 500 };

/** Looks every `everyMs` for `forMs`, while the thread waits for a processor in this share of the time. */
function watch(time: WatchedTime, from: typeof START, { everyMs, forMs, share }: { everyMs: number; forMs: number; share: number }): void {
  for (let ms = everyMs; ms <= forMs; ms += everyMs) time.look({ nowMs: from.nowMs + ms, waitedMs: from.waitedMs + ms * share });
}

test('a thread that waits for nothing uses all of the time', () => {
  const time = new WatchedTime(START);
  watch(time, START, { everyMs: 100, forMs: 5_000, share: 0 });
  expect(time.ms).toBeCloseTo(5_000);
});

test('what a thread waits for a processor does not count, even if it is reported late', () => {
  const busy = new WatchedTime(START);
  watch(busy, START, { everyMs: 100, forMs: 300_000, share: 14 / 15 });
  expect(busy.ms).toBeCloseTo(20_000);

  const late = new WatchedTime(START);
  watch(late, START, { everyMs: 100, forMs: 3_000, share: 0 });
  expect(late.ms).toBeCloseTo(3_000);
  late.look({ nowMs: START.nowMs + 3_100, waitedMs: START.waitedMs + 3_000 });
  expect(late.ms).toBeCloseTo(100);
});

test('a machine that was paused for twenty minutes counts as one second, whether or not the pause counts as waiting', () => {
  for (const share of [0, 1]) {
    const time = new WatchedTime(START);
    watch(time, START, { everyMs: 1_200_000, forMs: 1_200_000, share });
    expect(time.ms).toBe(share === 0 ? 1_000 : 0);
    const after = { nowMs: START.nowMs + 1_200_000, waitedMs: START.waitedMs + share * 1_200_000 };
    watch(time, after, { everyMs: 100, forMs: 5_000, share: 0 });
    expect(time.ms).toBeCloseTo(share === 0 ? 6_000 : 5_000);
  }
});

test('it is never negative, never more than what has passed, and a thread that stands still reaches every limit', () => {
  const steps = fc.array(fc.record({ gapMs: fc.nat(10_000), waitMs: fc.nat(10_000) }), { maxLength: 50 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 100_000 }), (gaps, limitMs) => {
      const time = new WatchedTime(START);
      let { nowMs, waitedMs } = START;
      for (const { gapMs, waitMs } of gaps) {
        [nowMs, waitedMs] = [nowMs + gapMs, waitedMs + waitMs];
        time.look({ nowMs, waitedMs });
        expect(time.ms).toBeGreaterThanOrEqual(0);
        expect(time.ms).toBeLessThanOrEqual(nowMs - START.nowMs);
      }
      time.reset();
      for (let ms = 0; ms <= limitMs; ms += 500) time.look({ nowMs: (nowMs += 500), waitedMs });
      expect(time.ms).toBeGreaterThan(limitMs);
    }),
  );
});
