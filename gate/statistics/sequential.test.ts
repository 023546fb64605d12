import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { createRandom } from '../../runtime/random.ts';
import { errorLimits, sequentialTest, trialsToAccept } from './sequential.ts';

const plan = (p1: number) => ({ p0: 0.999, p1, alpha: 0.05, beta: 0.05 });

for (const [p1, clean, more] of [
  [0.95, 59, 78],
  [0.98, 154, 156],
  [0.99, 326, 254],
] as const) {
  test(`against ${p1}, ${clean} clean trials are accepted, and a failure costs ${more}`, () => {
    expect(sequentialTest(plan(p1), clean - 1, 0).verdict).toBe('continue');
    expect(sequentialTest(plan(p1), clean, 0).verdict).toBe('accept');
    expect(trialsToAccept(plan(p1), 0)).toBe(clean);
    const cleanAfterOne = trialsToAccept(plan(p1), 1) - 1;
    expect(Math.abs(cleanAfterOne - clean - more)).toBeLessThanOrEqual(1);
    expect(sequentialTest(plan(p1), cleanAfterOne - 1, 1).verdict).toBe('continue');
    expect(sequentialTest(plan(p1), cleanAfterOne, 1).verdict).toBe('accept');
  });
}

test('reports how many clean trials are missing', () => {
  expect(sequentialTest(plan(0.95), 40, 0)).toMatchObject({ verdict: 'continue', cleanTrialsNeeded: 19 });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 6 }), (successes, failures) => {
      const { verdict, cleanTrialsNeeded } = sequentialTest(plan(0.95), successes, failures);
      if (verdict !== 'continue') return expect(cleanTrialsNeeded).toBe(0);
      expect(sequentialTest(plan(0.95), successes + cleanTrialsNeeded, failures).verdict).toBe('accept');
      expect(sequentialTest(plan(0.95), successes + cleanTrialsNeeded - 1, failures).verdict).toBe('continue');
    }),
  );
});

test('a success never worsens the verdict, and a failure never improves it', () => {
  const order = ['accept', 'continue', 'reject'];
  const badness = (successes: number, failures: number): number => order.indexOf(sequentialTest(plan(0.95), successes, failures).verdict);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 9 }), (successes, failures) => {
      expect(badness(successes + 1, failures)).toBeLessThanOrEqual(badness(successes, failures));
      expect(badness(successes, failures + 1)).toBeGreaterThanOrEqual(badness(successes, failures));
    }),
  );
});

test('swapping success and failure with their probabilities swaps the verdicts', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 300 }), (successes, failures) => {
      const there = sequentialTest({ p0: 0.9, p1: 0.6, alpha: 0.05, beta: 0.1 }, successes, failures).verdict;
      const back = sequentialTest({ p0: 0.4, p1: 0.1, alpha: 0.1, beta: 0.05 }, failures, successes).verdict;
      expect(back).toBe(({ accept: 'reject', reject: 'accept', continue: 'continue' } as const)[there]);
    }),
  );
});

test('evaluated after every trial, it stays within its error limits', () => {
  const random = createRandom('sequential');
  const firstVerdict = (truth: number): string => {
    let [successes, failures] = [0, 0];
    for (let trial = 0; trial < 2_000; trial += 1) {
      if (random.chance(truth)) successes += 1;
      else failures += 1;
      const { verdict } = sequentialTest(plan(0.95), successes, failures);
      if (verdict !== 'continue') return verdict;
    }
    return 'continue';
  };
  const shareOf = (truth: number, verdict: string): number =>
    Array.from({ length: 2_000 }, () => firstVerdict(truth)).filter((one) => one === verdict).length / 2_000;
  const limits = errorLimits(plan(0.95));
  expect(limits.falseAlarm).toBeCloseTo(0.0526, 4);
  // Three standard deviations of 2,000 tests.
  expect(shareOf(0.999, 'reject')).toBeLessThan(limits.falseAlarm + 0.015);
  expect(shareOf(0.95, 'accept')).toBeLessThan(limits.miss + 0.015);
});
