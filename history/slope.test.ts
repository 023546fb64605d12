import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { createRandom } from '../runtime/random.ts';
import { medianOf, slopeOf } from './slope.ts';
import type { Point, Slope } from './slope.ts';

const series = fc
  .array(fc.integer({ min: -1_000, max: 1_000 }), { minLength: 6, maxLength: 60 })
  .map((values) => values.map((y, x): Point => ({ x, y })));
const rate = fc.integer({ min: -50, max: 50 });

/** An interval exists for six points and more, unless they only repeat each other. */
function found(points: readonly Point[]): Slope {
  const slope = slopeOf(points);
  fc.pre(slope !== undefined);
  return slope;
}

test('a line has its slope, without doubt', () => {
  fc.assert(
    fc.property(rate, rate, fc.integer({ min: 6, max: 60 }), (slope, level, length) => {
      const points = Array.from({ length }, (_none, x) => ({ x, y: level + slope * x }));
      expect(slopeOf(points)).toEqual({ slope, lower: slope, upper: slope });
    }),
  );
});

test('the slope is within its interval, wherever the values begin', () => {
  fc.assert(
    fc.property(series, rate, (points, level) => {
      const { slope, lower, upper } = found(points);
      expect(lower).toBeLessThanOrEqual(slope);
      expect(slope).toBeLessThanOrEqual(upper);
      expect(slopeOf(points.map(({ x, y }) => ({ x: x + 7, y: y + level })))).toEqual({ slope, lower, upper });
    }),
  );
});

test('a slope that is added to a series is added to its slope, and values upside down turn it around', () => {
  fc.assert(
    fc.property(series, rate, (points, more) => {
      const { slope, lower, upper } = found(points);
      const steeper = found(points.map(({ x, y }) => ({ x, y: y + more * x })));
      expect(steeper.slope).toBeCloseTo(slope + more, 6);
      expect(steeper.lower).toBeCloseTo(lower + more, 6);
      expect(steeper.upper).toBeCloseTo(upper + more, 6);
      const turned = found(points.map(({ x, y }) => ({ x, y: -y })));
      expect([turned.slope, turned.lower, turned.upper].map((value) => value + 0)).toEqual(
        [-slope, -upper, -lower].map((value) => value + 0),
      );
    }),
  );
});

test('a few outliers do not move it far: the slope stays between those of the other points', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(19), { minLength: 1, maxLength: 3 }), fc.integer({ min: -100_000, max: 100_000 }), (places, y) => {
      const points = Array.from({ length: 20 }, (_none, x) => (places.includes(x) ? { x, y } : { x, y: 2 * x }));
      expect(slopeOf(points)?.slope).toBe(2);
    }),
  );
});

test('too few points have no interval', () => {
  expect(slopeOf([])).toBeUndefined();
  expect(slopeOf([{ x: 1, y: 1 }])).toBeUndefined();
  expect(slopeOf([1, 2, 3, 4].map((x) => ({ x, y: x })))).toBeUndefined();
});

/** How often the interval of a series without a trend holds 0. @param alike how much each value is like the one before, 0 to 1 */
function coverage(alike: number): number {
  const random = createRandom(`coverage ${alike}`);
  const held = Array.from({ length: 500 }, () => {
    let rest = 0;
    const points = Array.from({ length: 60 }, (_none, x) => {
      rest = alike * rest + random.next() - 0.5;
      return { x, y: rest };
    });
    const slope = slopeOf(points);
    return slope === undefined || (slope.lower <= 0 && slope.upper >= 0);
  });
  return held.filter(Boolean).length / held.length;
}

test('the interval holds the true slope in 95 % of series, also if neighbours are alike', () => {
  expect(coverage(0)).toBeGreaterThan(0.93);
  // Without the correction it is 0.78.
  expect(coverage(0.5)).toBeGreaterThan(0.9);
});

test('the median is the middle value, or between the two in the middle', () => {
  expect([medianOf([3]), medianOf([1, 3]), medianOf([1, 2, 9])]).toEqual([3, 2, 2]);
});
