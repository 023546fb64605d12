import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { createRandom } from '../../runtime/random.ts';
import type { Random } from '../../runtime/random.ts';
import { bootstrapRatio } from './bootstrap.ts';
import { meanOf, quantileOf } from './quantile.ts';

const side = (values: readonly number[], limit = Infinity) => ({
  size: values.length,
  statistic: quantileOf(
    values.map((value) => ({ observations: [{ value: Math.min(value, limit), isCensored: value > limit }], weight: 1 })),
    0.9,
  ),
});
const means = (values: readonly number[]) => ({ size: values.length, statistic: meanOf(values.map((value) => ({ value, weight: 1 }))) });
const options = (seed: string) => ({ isPaired: true, isSmooth: false, alpha: 0.025, replicates: 500, random: createRandom(seed) });
const smooth = (seed: string) => ({ ...options(seed), isSmooth: true });
const pairs = fc.array(fc.tuple(fc.integer({ min: 1, max: 1_000 }), fc.integer({ min: 1, max: 1_000 })), { minLength: 2, maxLength: 40 });

test('swapping the sides mirrors the bounds, with censored values, too', () => {
  fc.assert(
    fc.property(pairs, fc.integer({ min: 300, max: 1_500 }), (all, limit) => {
      const [first, second] = [
        side(
          all.map(([a]) => a),
          limit,
        ),
        side(
          all.map(([, b]) => b),
          limit,
        ),
      ];
      const there = bootstrapRatio({ baseline: first, candidate: second, ...options('mirror') });
      const back = bootstrapRatio({ baseline: second, candidate: first, ...options('mirror') });
      if (there.upper === Infinity) expect(back.lower).toBe(0);
      else expect(back.lower * there.upper).toBeCloseTo(1, 9);
      expect(there.lower).toBeLessThanOrEqual(there.upper);
    }),
    { numRuns: 40 },
  );
});

test('swapping the sides mirrors the corrected bounds of means', () => {
  fc.assert(
    fc.property(pairs, (all) => {
      const [first, second] = [means(all.map(([a]) => a)), means(all.map(([, b]) => b))];
      const there = bootstrapRatio({ baseline: first, candidate: second, ...smooth('mirror') });
      const back = bootstrapRatio({ baseline: second, candidate: first, ...smooth('mirror') });
      expect(back.lower).toBeCloseTo(1 / there.upper, 9);
      expect(back.upper).toBeCloseTo(1 / there.lower, 9);
      expect(there.lower).toBeLessThanOrEqual(there.upper);
    }),
    { numRuns: 40 },
  );
});

test('the same seed gives the same bounds, another seed different ones', () => {
  const random = createRandom('values');
  const draw = (): number[] => Array.from({ length: 30 }, () => random.next() + 1);
  const [baseline, candidate] = [means(draw()), means(draw())];
  const ask = (seed: string) => bootstrapRatio({ baseline, candidate, ...smooth(seed) });
  expect(ask('a')).toEqual(ask('a'));
  expect(ask('a').lower).not.toBe(ask('b').lower);
});

test('equal pairs have a ratio of 1, and a factor is found', () => {
  fc.assert(
    fc.property(pairs, fc.integer({ min: 2, max: 9 }), (all, factor) => {
      const values = all.map(([a]) => a);
      const scaled = values.map((value) => value * factor);
      const { estimate, lower, upper } = bootstrapRatio({ baseline: side(values), candidate: side(scaled), ...options('factor') });
      expect([estimate.least, lower, upper]).toEqual([factor, factor, factor]);
    }),
    { numRuns: 20 },
  );
});

test('if both sides ran out of time, the ratio is unbounded', () => {
  const late = side([5, 5, 5, 5], 1);
  expect(bootstrapRatio({ baseline: late, candidate: late, ...options('late') })).toEqual({
    estimate: { least: 0, most: Infinity },
    lower: 0,
    upper: Infinity,
  });
  const { lower, upper } = bootstrapRatio({ baseline: side([2, 2, 2, 2]), candidate: side([9, 9, 9, 9], 8), ...options('late') });
  expect([lower, upper]).toEqual([4, Infinity]);
});

test('too few draws for an alpha give no bounds, and paired sides have the same size', () => {
  const values = means([1, 2, 3]);
  expect(bootstrapRatio({ baseline: values, candidate: values, ...options('few'), replicates: 10 })).toMatchObject({
    lower: 0,
    upper: Infinity,
  });
  expect(() => bootstrapRatio({ baseline: values, candidate: means([1]), ...options('sides') })).toThrow(RangeError);
});

for (const isPaired of [true, false]) {
  test(`bounds have about their nominal coverage, ${isPaired ? 'paired' : 'unpaired'}`, () => {
    const random = createRandom(`coverage ${isPaired}`);
    const common = (from: Random): number => from.next();
    let wrong = 0;
    for (let one = 0; one < 400; one += 1) {
      const luck = Array.from({ length: 60 }, () => common(random));
      const draw = (): number[] => luck.map((value) => (isPaired ? value : common(random)) + random.next() ** 3 + 0.5);
      const { lower, upper } = bootstrapRatio({
        ...smooth(`${one}`),
        baseline: means(draw()),
        candidate: means(draw()),
        isPaired,
        replicates: 300,
      });
      if (lower > 1 || upper < 1) wrong += 1;
    }
    expect(wrong / 400).toBeLessThan(0.05 + 0.033);
  });
}

test('an upper bound of means that one unit in eight decides is wrong as rarely as it should be', () => {
  const random = createRandom('skew');
  const wrong = (isSmooth: boolean): number => {
    const cases = 400;
    const missed = Array.from({ length: cases }, (_, one) => {
      const all = Array.from({ length: 59 }, () => (random.next() < 1 / 8 ? 60 : 20));
      const sides = { baseline: means(all.map(() => 20)), candidate: means(all) };
      return bootstrapRatio({ ...smooth(`${one}`), ...sides, isSmooth, alpha: 0.05, replicates: 1_000 }).upper < 1.25;
    });
    return missed.filter(Boolean).length / cases;
  };
  // Half a percent of such tests would see more than 8 %.
  expect(wrong(true)).toBeLessThan(0.08);
  expect(wrong(false)).toBeGreaterThan(0.08);
});
