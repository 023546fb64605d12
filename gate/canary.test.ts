import { expect, test } from '@playwright/test';
import { decideStage } from './canary.ts';
import type { StageDecision } from './canary.ts';
import type { Episode } from './episode.ts';
import { parsePolicy } from './policy.ts';
import { episode, failed, side, slower } from './testing/episodes.ts';

const defaults = parsePolicy({});
const policy = {
  ...defaults,
  latency: { ...defaults.latency, quantile: 0.99, tailMarginRatio: 1 },
  episodes: { seeds: 1, first: 150, step: 75, max: 1350 },
};
const decide = (baseline: readonly Episode[], candidate: readonly Episode[], isLook = true, paired = true): StageDecision =>
  decideStage(baseline, candidate, policy, { paired, seed: 1, isLook, earlier: 0 });
const failing = ({ criteria }: StageDecision): string[] =>
  criteria.filter(({ verdict }) => verdict === 'fail').map(({ criterion }) => criterion);

test('advances at a planned size if no rule is broken, although 150 probes are too few for the 99th percentile', () => {
  const decision = decide(side(150), side(150));
  expect(decision).toMatchObject({ verdict: 'advance', sentence: '150 probes of the candidate, and no rule is broken.' });
  expect(decision.criteria.find(({ criterion }) => criterion === 'latency-tail')).toMatchObject({ verdict: 'inconclusive' });
});

test('between planned sizes it never advances, and does not judge the tail', () => {
  const decision = decide(side(90), side(90), false);
  expect(decision).toMatchObject({ verdict: 'more', sentence: '90 probes of the candidate, and no rule is broken so far.' });
  expect(decision.criteria.map(({ criterion }) => criterion)).not.toContain('latency-tail');
});

test('rolls back as soon as one probe violates an invariant, or two fail', () => {
  const violation = { check: 'leaks', code: 'leaked', object: 'i-1', message: 'it was never terminated' };
  const breach = decide(
    side(30),
    side(30, (seed) => (seed === 7 ? { verdict: 'fail', violations: [violation] } : {})),
    false,
  );
  expect(breach.verdict).toBe('roll-back');
  expect(failing(breach)).toEqual(['invariants']);
  const two = decide(
    side(30),
    side(30, (seed) => (seed < 2 ? failed(seed) : {})),
    false,
  );
  expect(two.verdict).toBe('roll-back');
  expect(failing(two)).toContain('success');
});

for (const paired of [true, false])
  test(`rolls back a candidate with three times the waits, at a planned size (${paired ? 'paired' : 'unpaired'})`, () => {
    const decision = decide(side(150), side(150, slower(3)), true, paired);
    expect(decision.verdict).toBe('roll-back');
    expect(failing(decision)).toEqual(['latency-tail']);
  });

test('waits that are 50 % longer do not stop a canary: the gate judges that', () => {
  expect(decide(side(150), side(150, slower(1.5))).verdict).toBe('advance');
});

test('a tail beyond the limit that may be chance needs more probes', () => {
  // One episode in 75 is six times as slow: some draws have none of them.
  const rare = (seed: number): Partial<Episode> => (seed % 75 === 3 ? slower(6)(seed) : {});
  const decision = decide(side(150), side(150, rare));
  expect(decision.criteria.find(({ criterion }) => criterion === 'latency-tail')?.verdict).toBe('inconclusive');
  expect(decision).toMatchObject({ verdict: 'more', sentence: 'After 150 probes there is no decision yet (latency-tail).' });
});

test('probes without a verdict hold a stage, and are not failures', () => {
  const decision = decide(
    side(150),
    side(150, (seed) => (seed % 5 === 0 ? { verdict: 'unknown' } : {})),
  );
  expect(decision.verdict).toBe('more');
  expect(decision.sentence).toContain('known-trials');
});

test('one failure is outweighed by many successes', () => {
  const candidate = [...side(149), episode(149, failed(149))];
  expect(decide(side(150), candidate).verdict).toBe('advance');
  expect(decide(side(30), [...side(29), episode(29, failed(29))], false).verdict).toBe('more');
});

test('failures that only a larger share shows are not diluted by earlier stages', () => {
  // Three of this stage's 150, which is little among all 450.
  const candidate = side(450, (seed) => (seed > 446 ? failed(seed) : {}));
  const of = (earlier: number): StageDecision =>
    decideStage(side(450), candidate, policy, { paired: true, seed: 1, isLook: true, earlier });
  expect(of(0).verdict).toBe('advance');
  const stage = of(300);
  expect(stage.verdict).not.toBe('advance');
  expect(stage.criteria.map(({ sentence }) => sentence).join()).toContain('In this stage alone: 147 of 150 episodes served all their pods');
});
