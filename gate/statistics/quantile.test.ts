import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { percentile } from '../../history/latency.ts';
import { meanOf, quantileOf, quantileOfOne, unitsForQuantile } from './quantile.ts';

const values = fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 1, maxLength: 60 });
const shares = fc.integer({ min: 1, max: 99 });
const seen = (all: readonly number[]) => all.map((value) => ({ value, isCensored: false }));

test('uses the nearest rank, as in reports', () => {
  fc.assert(
    fc.property(values, shares, (all, share) => {
      const expected = percentile(
        [...all].sort((a, b) => a - b),
        share,
      );
      expect(quantileOfOne(seen(all), share / 100)).toEqual({ least: expected, most: expected });
    }),
  );
});

test('the true quantile of censored values lies in its range', () => {
  const truths = fc.array(fc.record({ wait: fc.integer({ min: 0, max: 1_000 }), limit: fc.integer({ min: 0, max: 1_000 }) }), {
    minLength: 1,
    maxLength: 40,
  });
  fc.assert(
    fc.property(truths, shares, (all, share) => {
      const observed = all.map(({ wait, limit }) => ({ value: Math.min(wait, limit), isCensored: wait > limit }));
      const truth = quantileOfOne(seen(all.map(({ wait }) => wait)), share / 100).least;
      const { least, most } = quantileOfOne(observed, share / 100);
      expect(least).toBeLessThanOrEqual(truth);
      expect(most).toBeGreaterThanOrEqual(truth);
    }),
  );
});

test('a quantile among censored values is at least their limit', () => {
  const all = [...seen([1, 2, 3, 4]), { value: 900, isCensored: true }];
  expect(quantileOfOne(all, 0.5)).toEqual({ least: 3, most: 3 });
  expect(quantileOfOne(all, 0.95)).toEqual({ least: 900, most: Infinity });
});

test('a unit that is drawn twice counts twice, and a unit that is not drawn does not count', () => {
  const clusters = [
    { observations: seen([1, 2]), weight: 1 },
    { observations: seen([10]), weight: 1 },
    { observations: seen([100]), weight: 1 },
  ];
  const median = quantileOf(clusters, 0.5);
  expect(median([1, 1, 1]).least).toBe(10);
  expect(median([2, 1, 0]).least).toBe(2);
  expect(median([0, 0, 3]).least).toBe(100);
  const mean = meanOf([
    { value: 1, weight: 1 },
    { value: 4, weight: 2 },
  ]);
  expect(mean([1, 1]).least).toBe(3);
  expect(mean([2, 0]).least).toBe(1);
});

test('a bound on p95 needs 59 units, and one on p99 needs 299', () => {
  expect(unitsForQuantile(0.95, 0.05)).toBe(59);
  expect(unitsForQuantile(0.99, 0.05)).toBe(299);
});
