import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { decideGate, judgeCriteria } from './decide.ts';
import type { Episode } from './episode.ts';
import { parsePolicy } from './policy.ts';
import type { Policy } from './policy.ts';
import { settledCriteria } from './settled.ts';
import { episode, failed, side } from './testing/episodes.ts';
import type { GateDecision } from './verdict.ts';

const broken = (code: string): Partial<Episode> => ({
  verdict: 'fail',
  violations: [{ check: 'launches', code, object: 'instance/i-1', message: 'two for one claim' }],
});
/** What an episode may be like. Clean ones are the most frequent. */
const KINDS: readonly ((seed: number) => Partial<Episode>)[] = [
  ...new Array<() => Partial<Episode>>(12).fill(() => ({})),
  (seed) => failed(seed),
  (seed) => failed(seed, 10),
  () => ({ instances: { created: 4, leaked: 1 }, verdict: 'fail' }),
  () => broken('double'),
  () => broken('early'),
  (seed) => ({ ...failed(seed), verdict: 'unknown' }),
  () => ({ ...broken('double'), verdict: 'unknown' }),
  () => ({ success: { served: 0, asked: 0 } }),
];
const MOST = 60;
const kinds = fc.array(fc.constantFrom(...KINDS), { minLength: MOST, maxLength: MOST });
const policies = fc.record({
  p1: fc.constantFrom(0.5, 0.9, 0.95),
  alpha: fc.constantFrom(0.01, 0.05, 0.2),
  failures: fc.constantFrom('reject', 'accept'),
  first: fc.integer({ min: 1, max: MOST }),
});
const policyOf = ({ p1, alpha, failures, first }: { p1: number; alpha: number; failures: string; first: number }): Policy =>
  parsePolicy({ success: { p1, alpha }, existing: { failures }, episodes: { first, max: 300 } });
const sideOf = (some: readonly (typeof KINDS)[number][], count: number): Episode[] =>
  some.slice(0, count).map((kind, seed) => episode(seed, kind(seed)));
const verdictOf = ({ criteria }: GateDecision, name: string): string | undefined =>
  criteria.find(({ criterion }) => criterion === name)?.verdict;

test('whatever the other trials show, a settled gate makes the same decision with them', () => {
  let settled = 0;
  fc.assert(
    fc.property(policies, kinds, kinds, fc.boolean(), fc.nat(MOST), fc.nat(MOST), (rules, ours, theirs, paired, one, other) => {
      const policy = policyOf(rules);
      const [seen, planned] = [Math.min(one, other), Math.max(one, other)];
      const criteria = settledCriteria(sideOf(theirs, seen), planned - seen, policy);
      settled += criteria.length;
      if (criteria.length === 0) return;
      const now = decideGate(sideOf(ours, seen), sideOf(theirs, seen), policy, { paired, seed: 1 });
      const then = decideGate(sideOf(ours, planned), sideOf(theirs, planned), policy, { paired, seed: 1 });
      expect([now.action, then.action]).toEqual(['reject', 'reject']);
      for (const name of criteria) expect([name, verdictOf(now, name), verdictOf(then, name)]).toEqual([name, 'fail', 'fail']);
    }),
    { numRuns: 300 },
  );
  expect(settled, 'the property is not empty').toBeGreaterThan(50);
});

test('a gate that is not settled by its success rate can still pass it', () => {
  const policy = parsePolicy({});
  fc.assert(
    fc.property(fc.nat(6), fc.nat(80), fc.nat(80), (failures, clean, left) => {
      const seen = side(failures + clean, (seed) => (seed < failures ? failed(seed) : {}));
      const all = side(failures + clean + left, (seed) => (seed < failures ? failed(seed) : {}));
      const { criteria } = judgeCriteria(['success'], { baseline: all, candidate: all }, policy, { paired: true, seed: 1 });
      expect(settledCriteria(seen, left, policy)).toEqual(criteria[0]?.verdict === 'fail' ? ['success'] : []);
    }),
  );
});

test('with the default policy two failures among 75 settle it, and one does not', () => {
  const policy = parsePolicy({});
  const among = (count: number, failures: number): Episode[] => side(count, (seed) => (seed < failures ? failed(seed) : {}));
  expect(settledCriteria(among(10, 1), 65, policy)).toEqual([]);
  expect(settledCriteria(among(10, 2), 65, policy)).toEqual(['success']);
  expect(settledCriteria(among(25, 25), 125, policy)).toEqual(['success']);
  // More trials would make up for the two.
  expect(settledCriteria(among(10, 2), 300, policy)).toEqual([]);
});

test('if existing failures are accepted, only a leak settles it: the baseline may show the others later', () => {
  const [rejecting, accepting] = [parsePolicy({}), parsePolicy({ existing: { failures: 'accept' } })];
  const bad = [
    ...side(9, (seed) => ({ ...failed(seed, 10), ...broken('double') })),
    episode(9, { instances: { created: 1, leaked: 1 }, verdict: 'fail' }),
  ];
  expect(settledCriteria(bad, 65, rejecting)).toEqual(['invariants', 'leaks', 'success']);
  expect(settledCriteria(bad, 65, accepting)).toEqual(['leaks']);
  expect(settledCriteria(bad.slice(0, 9), 65, accepting)).toEqual([]);
});
