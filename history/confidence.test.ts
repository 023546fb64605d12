import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { lowerConfidenceLimit } from './confidence.ts';

test('known limits', () => {
  // All of them: the n-th root. 59 of 59 is the classic 95 % at 95 %.
  expect(lowerConfidenceLimit(59, 59)).toBeCloseTo(0.9505, 4);
  expect(lowerConfidenceLimit(1, 1)).toBeCloseTo(0.05, 10);
  expect(lowerConfidenceLimit(0, 10)).toBe(0);
  // As tables of Clopper and Pearson have them, one-sided.
  expect(lowerConfidenceLimit(9, 10)).toBeCloseTo(0.6058, 4);
  expect(lowerConfidenceLimit(5, 10)).toBeCloseTo(0.2224, 4);
  expect(lowerConfidenceLimit(9, 10, 0.975)).toBeCloseTo(0.555, 4);
});

test('numbers that are no counts are refused', () => {
  expect(() => lowerConfidenceLimit(2, 1)).toThrow(RangeError);
  expect(() => lowerConfidenceLimit(-1, 1)).toThrow(RangeError);
  expect(() => lowerConfidenceLimit(1, 1, 1)).toThrow(RangeError);
});

test('a limit lies below the share that was seen, and rises with successes and with trials', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 400 }), fc.nat(), (trials, any) => {
      const successes = 1 + (any % (trials - 1));
      const limit = lowerConfidenceLimit(successes, trials);
      expect(limit).toBeLessThan(successes / trials);
      expect(limit).toBeLessThan(lowerConfidenceLimit(successes + 1, trials));
      expect(limit).toBeLessThan(lowerConfidenceLimit(2 * successes, 2 * trials));
    }),
  );
});
