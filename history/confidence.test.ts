import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { binomialCdf, lowerSuccessBound, upperSuccessBound } from './confidence.ts';

const counts = fc
  .integer({ min: 1, max: 400 })
  .chain((trials) => fc.record({ trials: fc.constant(trials), successes: fc.integer({ min: 0, max: trials }) }));
const alphas = fc.double({ min: 0.001, max: 0.4, noNaN: true });

for (const [trials, failures, percent] of [
  [50, 0, 94.2],
  [50, 1, 90.9],
  [100, 0, 97.0],
  [100, 1, 95.3],
  [150, 0, 98.0],
  [150, 1, 96.9],
  [300, 0, 99.0],
  [300, 1, 98.4],
] as const) {
  test(`${trials} trials with ${failures} failures allow to claim ${percent} %`, () => {
    expect(lowerSuccessBound(trials - failures, trials, 0.05) * 100).toBeCloseTo(percent, 1);
  });
}

test('99.9 % takes 2,995 clean trials, and 4,742 with one failure', () => {
  expect(lowerSuccessBound(2_995, 2_995, 0.05)).toBeGreaterThanOrEqual(0.999);
  expect(lowerSuccessBound(2_994, 2_994, 0.05)).toBeLessThan(0.999);
  expect(lowerSuccessBound(4_741, 4_742, 0.05)).toBeGreaterThanOrEqual(0.999);
  expect(lowerSuccessBound(4_740, 4_741, 0.05)).toBeLessThan(0.999);
});

test('at the lower bound, at least this many successes have probability alpha', () => {
  fc.assert(
    fc.property(counts, alphas, ({ trials, successes }, alpha) => {
      fc.pre(successes > 0);
      const bound = lowerSuccessBound(successes, trials, alpha);
      expect(1 - binomialCdf(successes - 1, trials, bound)).toBeCloseTo(alpha, 8);
    }),
  );
});

test('bounds are symmetric, enclose the ratio, and are monotonic in successes, trials and alpha', () => {
  fc.assert(
    fc.property(counts, alphas, ({ trials, successes }, alpha) => {
      const bound = lowerSuccessBound(successes, trials, alpha);
      expect(upperSuccessBound(trials - successes, trials, alpha)).toBeCloseTo(1 - bound, 10);
      expect(bound).toBeLessThanOrEqual(successes / trials);
      expect(lowerSuccessBound(successes, trials, alpha / 2)).toBeLessThanOrEqual(bound + 1e-12);
      expect(lowerSuccessBound(successes + 1, trials + 1, alpha)).toBeGreaterThanOrEqual(bound - 1e-12);
      expect(lowerSuccessBound(successes, trials + 1, alpha)).toBeLessThanOrEqual(bound + 1e-12);
    }),
  );
});

test('the bound has at least the stated confidence for any true probability', () => {
  const trials = 40;
  const bounds = Array.from({ length: trials + 1 }, (_, successes) => lowerSuccessBound(successes, trials, 0.05));
  fc.assert(
    fc.property(fc.double({ min: 0.01, max: 0.99, noNaN: true }), (truth) => {
      const firstWrong = bounds.findIndex((bound) => bound > truth);
      const wrong = firstWrong <= 0 ? 0 : 1 - binomialCdf(firstWrong - 1, trials, truth);
      expect(wrong).toBeLessThanOrEqual(0.05 + 1e-9);
    }),
  );
});

test('without trials the bound is trivial, and more successes than trials are refused', () => {
  expect(lowerSuccessBound(0, 0, 0.05)).toBe(0);
  expect(upperSuccessBound(0, 0, 0.05)).toBe(1);
  expect(() => lowerSuccessBound(2, 1, 0.05)).toThrow(RangeError);
});
