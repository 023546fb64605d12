import { expect, test } from '@playwright/test';
import { createRandom } from '../runtime/random.ts';
import { findingsOf } from '../reports/comparison.ts';
import { normalQuantile } from './statistics/normal.ts';
import { targetComparisonSchema } from '../history/comparison.ts';
import type { ComparedRow, TargetComparison } from '../history/comparison.ts';
import { compareTargets } from './comparison.ts';
import { letterOf } from './comparison/match.ts';
import type { ComparedRun } from './comparison/compared-run.ts';
import { many, run, trial } from './testing/runs.ts';

const NAMES = {
  scaleOut: { title: 'Scale-out', scenarios: ['a/out'] },
  cost: { title: 'Monthly cost', scenarios: ['a/free'], nodes: 100 },
};

function row(comparison: TargetComparison, id: string): ComparedRow {
  const found = comparison.sections.flatMap(({ rows }) => rows).find((one) => one.id === id);
  if (found === undefined) throw new Error(`there is no row ${id}`);
  return found;
}

function compared(...runs: readonly ComparedRun[]): TargetComparison {
  return targetComparisonSchema.parse(compareTargets(runs, NAMES));
}

test('shares have exact bounds over trials, with any number of pods', () => {
  const comparison = compared(run(many(59)), run(many(59, (seed) => ({ seed, served: seed <= 20 ? 9 : 10, leaked: seed === 1 ? 3 : 0 }))));
  const success = row(comparison, 'success');
  expect(success.cells[0]).toMatchObject({ value: 1, upper: 1, of: '59 of 59 trials', detail: '590 of 590 pods' });
  // The rule of three: 59 clean trials show 95 %.
  expect(success.cells[0]?.lower).toBeCloseTo(0.9505, 3);
  expect(success.cells[1]).toMatchObject({ value: 39 / 59, detail: '570 of 590 pods' });
  expect(success.changes).toEqual([{ outcome: 'worse' }]);
  const leaks = row(comparison, 'leaks');
  expect(leaks.cells[0]).toMatchObject({ value: 0, lower: 0, detail: '0 of 590 instances' });
  expect(leaks.cells[0]?.upper).toBeCloseTo(0.0495, 3);
  expect(leaks.cells[1]).toMatchObject({ of: '1 of 59 trials', detail: '3 of 590 instances' });
  expect(leaks.changes).toEqual([{ outcome: 'unclear' }]);
});

test('trials that could not be judged are reported and don’t count in shares, unless a pod was late', () => {
  const unknown = ['success-rate', 'no-leaked-instances'];
  const comparison = compared(
    run(many(3)),
    run(many(3, (seed) => ({ seed, ...(seed > 1 ? { unjudged: unknown } : {}), served: seed === 3 ? 4 : 10 }))),
  );
  expect(row(comparison, 'success').cells[1]?.of).toBe('1 of 2 trials, 1 unknown');
  expect(row(comparison, 'leaks').cells[1]?.of).toBe('0 of 1 trial, 2 unknown');
  expect(row(comparison, 'success-spot').cells[0]).toMatchObject({ of: '0 trials', why: 'no compared trial is of this kind' });
});

test('a percentile has an upper bound only with enough trials for a distribution-free bound', () => {
  const upperOf = (trials: number, id: string): number | undefined => {
    const side = run(many(trials, (seed) => ({ seed, waitsMs: [1_000 + seed, 1_000 + seed] })));
    return row(compared(side, side), id).cells[0]?.upper;
  };
  expect(upperOf(4, 'pending-running-p50')).toBeUndefined();
  expect(upperOf(5, 'pending-running-p50')).toBe(1_005);
  expect(upperOf(58, 'pending-running-p95')).toBeUndefined();
  expect(upperOf(59, 'pending-running-p95')).toBe(1_059);
  expect(upperOf(298, 'pending-running-p99')).toBeUndefined();
  expect(upperOf(299, 'pending-running-p99')).toBe(1_299);
  const side = run(many(10));
  expect(row(compared(side, side), 'pending-running-p99').cells[0]?.why).toBe('no upper bound below 299 trials');
});

test('pods that never ran are counted with their wait, and the percentile is then at least that', () => {
  const comparison = compared(run(many(10)), run(many(10, (seed) => ({ seed, waitsMs: [1_000], censoredMs: [90_000] }))));
  expect(row(comparison, 'pending-running-p99').cells[1]).toMatchObject({ value: 90_000, atLeast: true, of: '20 pods in 10 trials' });
  expect(row(comparison, 'pending-running-p50').cells[1]).toMatchObject({ value: 1_000 });
});

test('means are compared by pairs of trials, in the direction that is better', () => {
  const a = run(many(20, (seed) => ({ seed, requests: 100 + seed, waitsMs: [1_000 + seed] })));
  const b = run(many(20, (seed) => ({ seed, requests: 120 + seed, waitsMs: [800 + seed] })));
  const comparison = compared(a, b);
  const requests = row(comparison, 'requests');
  expect(requests.cells[0]?.value).toBeCloseTo(11.05, 6);
  expect(requests.changes[0]?.outcome).toBe('worse');
  expect(requests.changes[0]?.ratio?.value).toBeCloseTo(130.5 / 110.5, 6);
  expect(row(comparison, 'pending-running-p50').changes[0]?.outcome).toBe('better');
  expect(row(comparison, 'retries').changes[0]?.outcome).toBe('unclear');
  expect(row(comparison, 'utilisation-cpu').cells[0]).toMatchObject({ value: 0.5, lower: 0.5, upper: 0.5 });
  expect(compared(a, b)).toEqual(comparison);
  const few = compared(run(a.trials.slice(0, 9)), run(b.trials.slice(0, 9)));
  expect(row(few, 'requests').cells[0]).toMatchObject({ why: 'no bounds below 10 trials' });
  const [change] = row(few, 'requests').changes;
  expect(change).toEqual({ outcome: 'unclear', ratio: { value: expect.closeTo(125 / 105, 6) as unknown }, needs: { trials: 10 } });
});

test('without enough trials for bounds, the ratio is given with the number of trials that is enough', () => {
  const slow = (factor: number) => (seed: number) => ({ seed, waitsMs: [1_100 * factor + seed] });
  const few = compared(run(many(10, slow(1))), run(many(10, slow(10))));
  expect(row(few, 'pending-running-p95').changes).toEqual([
    { outcome: 'unclear', ratio: { value: expect.closeTo(11_010 / 1_110, 6) as unknown }, needs: { trials: 59 } },
  ]);
  expect(row(few, 'pending-running-p50').changes[0]).toMatchObject({ outcome: 'worse' });
  const texts = findingsOf(few).map(({ text }) => text);
  expect(texts).toContain('Too few trials to compare B in: pending -> running p95 (×9.92). `--trials 59` is enough.');
  expect(texts).toContain('Too few trials to compare B in: pending -> running p99 (×9.92). `--trials 299` is enough.');
  const enough = compared(run(many(59, slow(1))), run(many(59, slow(10))));
  expect(row(enough, 'pending-running-p95').changes[0]).toMatchObject({ outcome: 'worse' });
  const same = compared(run(many(10, slow(1))), run(many(10, slow(1.05))));
  expect(findingsOf(same).filter(({ text }) => text.startsWith('Too few'))).toEqual([]);
});

/** Trials with ten pods whose waits share a part of their luck, as pods of one node do. */
function clustered(name: string, factor: number): ComparedRun {
  const random = createRandom(name);
  const spread = (): number => Math.exp(0.5 * normalQuantile(Math.min(0.999, Math.max(0.001, random.next()))));
  return run(
    many(59, (seed) => {
      const ofTrial = spread();
      return { seed, waitsMs: Array.from({ length: 10 }, () => Math.round(factor * 30_000 * ofTrial * Math.sqrt(spread()))) };
    }),
  );
}

test('simulated pairs: equal sides are rarely told apart, and twice the latency nearly always', { tag: '@long' }, ({}, testInfo) => {
  const PAIRS = 60;
  const told = (factor: number, id: string): number =>
    Array.from({ length: PAIRS }, (_, pair) => compared(clustered(`a ${pair}`, 1), clustered(`b ${pair}`, factor))).filter(
      (comparison) => row(comparison, id).changes[0]?.outcome !== 'unclear',
    ).length;
  const shares = Object.fromEntries(
    ['pending-running-p50', 'pending-running-p95'].map((id) => [id, [1, 1.3, 1.5, 2].map((factor) => told(factor, id) / PAIRS)]),
  );
  testInfo.annotations.push({ type: 'measured', description: `told apart at ×1, ×1.3, ×1.5 and ×2: ${JSON.stringify(shares)}` });
  // Two bounds, each wrong in one case of twenty.
  for (const [id, [equal, , , twice]] of Object.entries(shares)) {
    expect(equal, id).toBeLessThanOrEqual(0.2);
    expect(twice, id).toBeGreaterThanOrEqual(0.9);
  }
});

test('the monthly cost is only for a hundred nodes, and only with the same price list', () => {
  const of = (nodes: number, usdPerHour: number): ComparedRun => run(many(2, (seed) => ({ scenario: 'a/free', seed, nodes, usdPerHour })));
  expect(row(compared(of(100, 10), of(100, 12)), 'monthly-cost').cells.map(({ value }) => value)).toEqual([7_300, 8_760]);
  expect(row(compared(of(10, 1), of(10, 1)), 'monthly-cost').cells[0]?.value).toBeUndefined();
  const other = { ...of(100, 10), digests: { catalogue: 'c', prices: 'other' } };
  const comparison = compared(of(100, 10), other);
  expect(row(comparison, 'monthly-cost').cells[1]).toMatchObject({ why: 'the instance types or their prices differ' });
  expect(comparison.differences).toEqual(['The prices differ: p in A, other in B. Utilisation and cost are not compared.']);
});

test('only trials that all sides have with the same settings are compared; the others are listed with their reasons', () => {
  const spot = trial({ scenario: 'a/spot', seed: 1 });
  const a = run([...many(3), spot, trial({ scenario: 'a/free', seed: 1, nodes: 10 })]);
  const notRun = [{ scenario: 'a/spot', seed: 1, why: 'the target has no feature spot' }];
  const b = run([...many(2), trial({ scenario: 'a/free', seed: 1, nodes: 100 })], { notRun, world: 'kind' });
  const { compared: both, leftOut, differences } = compared(a, b);
  expect(both).toEqual({ trials: 2, scenarios: ['a/out'] });
  expect(leftOut).toEqual([
    { scenario: 'a/out', seeds: [3], why: 'B has none' },
    { scenario: 'a/spot', seeds: [1], why: 'B has none: the target has no feature spot' },
    { scenario: 'a/free', seeds: [1], why: '--nodes differs' },
  ]);
  expect(differences[0]).toContain('The worlds differ: embedded in A, kind in B');
  expect(compared(run([spot]), run(many(1)))).toMatchObject({ compared: { trials: 0 }, sections: [] });
});

test('each kind of invariant violation is listed once, with a trial as an example', () => {
  const { broken } = compared(run(many(3)), run(many(3, (seed) => ({ seed, ...(seed > 1 ? { broken: 'leaked' } : {}) }))));
  expect(broken).toEqual([
    {
      letter: 'B',
      check: 'check',
      code: 'leaked',
      trials: 2,
      example: { scenario: 'a/out', seed: 2, object: 'x', message: 'leaked happened', replay: 'sp1,seed=2' },
    },
  ]);
});

test('sides have letters', () => {
  expect([0, 1, 25, 26].map(letterOf)).toEqual(['A', 'B', 'Z', 'A2']);
});
