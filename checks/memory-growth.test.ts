import { expect, test } from '@playwright/test';
import type { Usage } from '../history/usage.ts';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { createView } from '../history/view.ts';
import { createRandom } from '../runtime/random.ts';
import { memoryGrowth } from './memory-growth.ts';

const QUARTER_MS = 900_000;

/** A sample every quarter of an hour. */
function series(samples: number, heapMiB: (hour: number) => number, incarnation = 1): Usage['samples'] {
  return Array.from({ length: samples }, (_none, index) => ({ t: index * QUARTER_MS, incarnation, heapMiB: heapMiB(index / 4) }));
}

function judge(samples: Usage['samples'] | undefined, history = new HistoryBuilder().act().expect({ kind: 'steady-memory' }).finish()) {
  const usage: Usage | undefined = samples && { cpuMs: 1, memory: 'webassembly', peakMiB: 400, samples };
  return memoryGrowth.judge(createView(history.events, { usage }));
}

/** A load that repeats itself every hour, and noise of a few percent. */
function working(seed: number): (hour: number) => number {
  const random = createRandom(seed);
  return (hour) => 60 + 6 * Math.sin(2 * Math.PI * hour) + 3 * random.next();
}

test('nothing to judge unless steady memory is expected', () => {
  expect(judge(series(80, working(1)), new HistoryBuilder().act().finish())).toBeUndefined();
});

test('memory that follows a load up and down passes, with its slope and interval', () => {
  const part = judge(series(80, working(1)));
  expect(part).toMatchObject({ verdict: 'pass', findings: [] });
  expect(part?.summary).toMatch(
    /^-?\d\.\d MiB a day \(95 %: -\d\.\d to \d\.\d\), of 6\d\.\d MiB; at most 6\.\d; 80 samples over 19 h 45 min 0 s$/,
  );
});

test('a leak of one megabyte an hour below the same load is found', () => {
  const load = working(2);
  const part = judge(series(80, (hour) => load(hour) + hour));
  expect(part).toMatchObject({ verdict: 'fail', findings: [{ code: 'memory-grows', object: 'target' }] });
  expect(part?.findings[0]?.message).toMatch(/^What the target holds in memory grows: 2[34]\.\d MiB a day \(95 %: 2\d\.\d to 2\d\.\d\)/);
  expect(part?.measurements[0]?.worst).toBeGreaterThan(0.2);
});

test('a leak in a target of which nothing else is known: it grows to the last sample', () => {
  expect(judge(series(13, (hour) => 20 + hour))?.verdict).toBe('fail');
});

test('a cache that fills up, and one that grows in steps at first, are no leak', () => {
  const load = working(4);
  const filling = judge(series(80, (hour) => load(hour) + 15 * (1 - Math.exp(-hour / 6))));
  const steps = judge(series(80, (hour) => load(hour) + (hour > 4 ? 8 : 0) + (hour > 9 ? 8 : 0)));
  for (const part of [filling, steps]) {
    expect(part).toMatchObject({ verdict: 'unknown', summary: expect.stringContaining('may have stopped'), findings: [] });
  }
});

test('too few samples, no samples, and noise in which a leak could hide: unknown', () => {
  expect(judge(series(11, (hour) => hour))).toMatchObject({
    verdict: 'unknown',
    summary: '11 samples of its memory, and one process needs 12 to be judged',
  });
  expect(judge(undefined)?.verdict).toBe('unknown');
  const random = createRandom(3);
  const part = judge(series(20, () => 60 + 60 * random.next()));
  expect(part).toMatchObject({ verdict: 'unknown', summary: expect.stringContaining('neither shown nor ruled out') });
});

test('a restart begins again: the longest life is judged', () => {
  const [first, second] = [series(10, (hour) => 40 + hour), series(40, () => 50, 2)];
  expect(judge([...first, ...second.map((sample) => ({ ...sample, t: sample.t + 10 * QUARTER_MS }))])?.verdict).toBe('pass');
});
