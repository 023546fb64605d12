import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { createRandom } from '../../runtime/random.ts';
import { rankSum } from './rank-sum.ts';

const sample = fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 1, maxLength: 40 });
const small = fc.uniqueArray(fc.integer({ min: 0, max: 1_000 }), { minLength: 2, maxLength: 10 });

test('gives the values of the textbook', () => {
  // Hollander, Wolfe, Chicken, table 4.1: permeability of membranes at term and before.
  const term = [0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
  const before = [1.15, 0.88, 0.9, 0.74, 1.21];
  const shift = rankSum(before, term, 0.05);
  expect(shift.pHigher).toBeCloseTo(0.1272, 4);
  expect(shift.estimate).toBeCloseTo(0.305, 10);
});

test('its p-values match an enumeration of all splits', () => {
  fc.assert(
    fc.property(small, fc.nat(), (values, cut) => {
      const m = 1 + (cut % (values.length - 1));
      const [first, second] = [values.slice(0, m), values.slice(m)];
      const above = (a: readonly number[], b: readonly number[]): number =>
        a.reduce((sum, low) => sum + b.filter((high) => high > low).length, 0);
      const u = above(first, second);
      let [asHigh, all] = [0, 0];
      for (let split = 0; split < 2 ** values.length; split += 1) {
        const chosen = values.filter((_, index) => (split >> index) & 1);
        if (chosen.length !== m) continue;
        all += 1;
        const others = values.filter((_, index) => !((split >> index) & 1));
        if (above(chosen, others) >= u) asHigh += 1;
      }
      expect(rankSum(first, second, 0.025).pHigher).toBeCloseTo(asHigh / all, 10);
    }),
    { numRuns: 50 },
  );
});

test('swapping the sides mirrors it', () => {
  fc.assert(
    fc.property(sample, sample, (first, second) => {
      const [there, back] = [rankSum(first, second, 0.025), rankSum(second, first, 0.025)];
      expect(back.pLower).toBeCloseTo(there.pHigher, 9);
      expect(back.estimate + there.estimate).toBe(0);
      expect(back.upper === Infinity ? there.lower : back.upper + there.lower).toBe(back.upper === Infinity ? -Infinity : 0);
    }),
  );
});

test('a second side that is higher is never less significant', () => {
  fc.assert(
    fc.property(sample, sample, fc.integer({ min: 0, max: 1_000 }), (first, second, by) => {
      // Ties change the variance of the normal approximation: only exact values are compared.
      fc.pre(first.length <= 25 && second.length <= 25);
      const raised = second.map((value) => value + by);
      const hasTies = [second, raised].some((side) => new Set([...first, ...side]).size < first.length + side.length);
      fc.pre(!hasTies);
      expect(rankSum(first, raised, 0.025).pHigher).toBeLessThanOrEqual(rankSum(first, second, 0.025).pHigher + 1e-12);
    }),
  );
});

test('sides that are all the same show no shift', () => {
  const side = new Array<number>(80).fill(7);
  expect(rankSum(side, side, 0.006)).toMatchObject({ estimate: 0, lower: 0, upper: 0, pHigher: 1, pLower: 1 });
});

test('values beyond all observed ones rank highest', () => {
  const { estimate, pHigher } = rankSum([1, 2, 3, 4, 5], [Infinity, Infinity, Infinity, Infinity, 6], 0.05);
  expect(estimate).toBe(Infinity);
  expect(pHigher).toBeLessThan(0.01);
  expect(rankSum([Infinity, Infinity], [Infinity, Infinity], 0.05).estimate).toBe(0);
});

test('bounds have their nominal coverage', () => {
  const random = createRandom('rank sum coverage');
  for (const count of [10, 60]) {
    const draw = (): number[] => Array.from({ length: count }, () => -Math.log(1 - random.next()));
    const wrong = Array.from({ length: 800 }, () => rankSum(draw(), draw(), 0.05).lower > 0).filter(Boolean).length;
    expect(wrong / 800).toBeLessThan(0.05 + 0.024);
  }
});
