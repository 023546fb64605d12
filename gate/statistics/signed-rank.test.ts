import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { createRandom } from '../../runtime/random.ts';
import { midRanks } from './ranks.ts';
import { signedRank } from './signed-rank.ts';

/** Small whole numbers have ties and zeros. */
const coarse = fc.array(fc.integer({ min: -4, max: 4 }), { minLength: 1, maxLength: 9 });
const fine = fc.array(fc.double({ min: -100, max: 100, noNaN: true }), { minLength: 1, maxLength: 90 });

test('gives the values of the textbook', () => {
  // Hollander, Wolfe, Chicken, table 3.1: depression scores before and after therapy.
  const before = [1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.3];
  const after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
  const shift = signedRank(
    before.map((value, index) => (after[index] ?? 0) - value),
    0.02,
  );
  expect(shift.pLower).toBeCloseTo(0.019_53, 5);
  expect(shift.estimate).toBeCloseTo(-0.46, 10);
  expect(shift.upper).toBeCloseTo(-0.01, 10);
  expect(shift.lower).toBeCloseTo(-0.786, 10);
});

test('its p-values match an enumeration of all assignments of signs, with ties and zeros', () => {
  fc.assert(
    fc.property(coarse, (differences) => {
      const ranks = midRanks(differences.map(Math.abs));
      const used = differences.flatMap((value, index) => (value === 0 ? [] : [{ value, rank: ranks[index] ?? 0 }]));
      const w = used.reduce((sum, { value, rank }) => (value > 0 ? sum + rank : sum), 0);
      let asHigh = 0;
      for (let signs = 0; signs < 2 ** used.length; signs += 1) {
        const sum = used.reduce((all, { rank }, index) => ((signs >> index) & 1 ? all + rank : all), 0);
        if (sum >= w) asHigh += 1;
      }
      expect(signedRank(differences, 0.025).pHigher).toBeCloseTo(asHigh / 2 ** used.length, 12);
    }),
  );
});

test('negating the differences mirrors it, and a shift moves it', () => {
  fc.assert(
    fc.property(fine, fc.integer({ min: -50, max: 50 }), (differences, by) => {
      const one = signedRank(differences, 0.025);
      const mirrored = signedRank(
        differences.map((value) => -value),
        0.025,
      );
      expect(mirrored.pLower).toBeCloseTo(one.pHigher, 9);
      expect(mirrored.estimate + one.estimate).toBeCloseTo(0, 9);
      if (Number.isFinite(one.lower)) expect(mirrored.upper + one.lower).toBeCloseTo(0, 9);
      const moved = signedRank(
        differences.map((value) => value + by),
        0.025,
      );
      expect(moved.estimate - by).toBeCloseTo(one.estimate, 6);
      expect(one.lower).toBeLessThanOrEqual(one.estimate);
      expect(one.upper).toBeGreaterThanOrEqual(one.estimate);
    }),
  );
});

test('larger differences are never less significant', () => {
  // Without ties: a tie that appears or disappears changes the ranks.
  const sizes = fc.uniqueArray(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(sizes, fc.infiniteStream(fc.boolean()), fc.nat(), fc.nat(1_000), (all, signs, pick, by) => {
      const differences = all.map((size) => (signs.next().value === true ? size : -size));
      const raised = differences.map((value, index) => (index === pick % all.length ? value + by + 0.5 : value));
      expect(signedRank(raised, 0.025).pHigher).toBeLessThanOrEqual(signedRank(differences, 0.025).pHigher + 1e-12);
    }),
  );
});

test('pairs that are all equal show no shift, with tight bounds', () => {
  expect(signedRank(new Array<number>(75).fill(0), 0.006)).toMatchObject({ estimate: 0, lower: 0, upper: 0, pHigher: 1, pLower: 1 });
});

test('too few pairs give no bounds', () => {
  expect(signedRank([1, 2, 3], 0.025)).toMatchObject({ lower: -Infinity, upper: Infinity, estimate: 2 });
});

test('values beyond all observed ones rank highest', () => {
  const { pHigher, estimate } = signedRank([Infinity, Infinity, Infinity, 1, -2], 0.025);
  // Rank sums of 13 or more of 15: the three highest share rank 4.
  expect(pHigher).toBeCloseTo(3 / 32, 12);
  expect(estimate).toBe(Infinity);
  expect(signedRank([Infinity, -Infinity], 0.025).estimate).toBe(0);
});

test('the normal approximation continues the exact values', () => {
  const random = createRandom('signed rank');
  const differences = Array.from({ length: 50 }, () => random.next() - 0.45);
  const exact = signedRank(differences, 0.025);
  const normal = signedRank([...differences, 1e-9], 0.025);
  expect(normal.pHigher).toBeCloseTo(exact.pHigher, 1);
  expect(normal.lower).toBeCloseTo(exact.lower, 1);
});

test('bounds have their nominal coverage', () => {
  const random = createRandom('signed rank coverage');
  for (const count of [12, 80]) {
    const wrong = Array.from({ length: 1_000 }, () => {
      // Skewed pairs of equal sides: the difference of two exponentials.
      const differences = Array.from({ length: count }, () => Math.log(1 - random.next()) - Math.log(1 - random.next()));
      return signedRank(differences, 0.05).lower > 0;
    }).filter(Boolean).length;
    expect(wrong / 1_000).toBeLessThan(0.05 + 0.021);
  }
});
