import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { normalCdf, normalQuantile } from './normal.ts';

test('the distribution function has the values of the tables', () => {
  expect(normalCdf(0)).toBeCloseTo(0.5, 14);
  expect(normalCdf(1.959_963_984_540_054)).toBeCloseTo(0.975, 14);
  expect(normalCdf(1)).toBeCloseTo(0.841_344_746_068_542_9, 14);
  expect(normalCdf(-5) / 2.866_515_718_791_939e-7).toBeCloseTo(1, 9);
  expect(normalCdf(-8) / 6.220_960_574_271_786e-16).toBeCloseTo(1, 5);
  expect(normalCdf(-40)).toBe(0);
  expect(normalCdf(40)).toBe(1);
});

test('the quantile is its inverse', () => {
  expect(normalQuantile(0.975)).toBeCloseTo(1.959_963_984_540_054, 12);
  fc.assert(
    fc.property(fc.double({ min: 1e-9, max: 1 - 1e-9, noNaN: true }), (probability) => {
      expect(normalCdf(normalQuantile(probability))).toBeCloseTo(probability, 12);
    }),
  );
});
