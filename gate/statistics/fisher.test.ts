import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { moreOftenByChance } from './fisher.ts';

const of = (failed: number, trials: number): { failed: number; trials: number } => ({ failed, trials });

test("Fisher's tea: 3 of 4 cups against 1 of 4", () => {
  expect(moreOftenByChance(of(1, 4), of(3, 4))).toBeCloseTo(17 / 70, 12);
  expect(moreOftenByChance(of(0, 4), of(4, 4))).toBeCloseTo(1 / 70, 12);
});

test('no failures, or only failures, show no difference', () => {
  expect(moreOftenByChance(of(0, 10), of(0, 10))).toBe(1);
  expect(moreOftenByChance(of(10, 10), of(10, 10))).toBe(1);
  expect(moreOftenByChance(of(0, 0), of(3, 5))).toBeCloseTo(1, 12);
});

test('more failures of the candidate are less likely to be chance', () => {
  const trials = fc.integer({ min: 1, max: 300 });
  fc.assert(
    fc.property(trials, trials, fc.nat(300), fc.nat(300), (before, after, a, b) => {
      const baseline = of(Math.min(a, before), before);
      const failed = Math.min(b, after - 1);
      const [less, more] = [moreOftenByChance(baseline, of(failed, after)), moreOftenByChance(baseline, of(failed + 1, after))];
      return more <= less + 1e-9 && more > 0 && less <= 1;
    }),
  );
});
