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
  episodes: { first: 150, step: 75, max: 1350 },
};
const decide = (baseline: readonly Episode[], candidate: readonly Episode[], isLook = true, paired = true): StageDecision =>
  decideStage(baseline, candidate, policy, { paired, seed: 1, isLook, earlier: 0 });
const failing = ({ criteria }: StageDecision): string[] =>
  criteria.filter(({ verdict }) => verdict === 'fail').map(({ criterion }) => criterion);

test('goes on at a planned size, when nothing is wrong, though 150 probes settle no 99th percentile', () => {
  const decision = decide(side(150), side(150));
  expect(decision).toMatchObject({ verdict: 'advance', sentence: '150 probes of the candidate, and no rule is broken.' });
  expect(decision.criteria.find(({ criterion }) => criterion === 'latency-tail')).toMatchObject({ verdict: 'inconclusive' });
});

test('between planned sizes it never goes on, and does not look at the tail', () => {
  const decision = decide(side(90), side(90), false);
  expect(decision).toMatchObject({ verdict: 'more', sentence: '90 probes of the candidate, and no rule is broken so far.' });
  expect(decision.criteria.map(({ criterion }) => criterion)).not.toContain('latency-tail');
});

test('rolls back as soon as one probe breaks what tolerates no breach, or two fail', () => {
  const violation = { check: 'leaks', code: 'leaked', object: 'i-1', message: 'it was never ended' };
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
  test(`rolls back what has three times the waits, at a planned size (${paired ? 'in pairs' : 'not in pairs'})`, () => {
    const decision = decide(side(150), side(150, slower(3)), true, paired);
    expect(decision.verdict).toBe('roll-back');
    expect(failing(decision)).toEqual(['latency-tail']);
  });

test("waits that are half as long again are no reason to stop: that is a gate's matter", () => {
  expect(decide(side(150), side(150, slower(1.5))).verdict).toBe('advance');
});

test('a tail beyond the limit that may be chance asks for more', () => {
  // One episode in 75 is six times as slow: some draws have none of them.
  const rare = (seed: number): Partial<Episode> => (seed % 75 === 3 ? slower(6)(seed) : {});
  const decision = decide(side(150), side(150, rare));
  expect(decision.criteria.find(({ criterion }) => criterion === 'latency-tail')?.verdict).toBe('inconclusive');
  expect(decision).toMatchObject({ verdict: 'more', sentence: "After 150 probes it can't be told yet (latency-tail)." });
});

test('probes without a verdict hold a stage, and are no failures', () => {
  const decision = decide(
    side(150),
    side(150, (seed) => (seed % 5 === 0 ? { verdict: 'unknown' } : {})),
  );
  expect(decision.verdict).toBe('more');
  expect(decision.sentence).toContain('known-trials');
});

test('one failure among many is outweighed in time', () => {
  const candidate = [...side(149), episode(149, failed(149))];
  expect(decide(side(150), candidate).verdict).toBe('advance');
  expect(decide(side(30), [...side(29), episode(29, failed(29))], false).verdict).toBe('more');
});

test('what fails with a larger share only is not thinned by the stages before', () => {
  // Three of this stage's 150: of all 450 that is hardly anything.
  const candidate = side(450, (seed) => (seed > 446 ? failed(seed) : {}));
  const of = (earlier: number): StageDecision =>
    decideStage(side(450), candidate, policy, { paired: true, seed: 1, isLook: true, earlier });
  expect(of(0).verdict).toBe('advance');
  const stage = of(300);
  expect(stage.verdict).not.toBe('advance');
  expect(stage.criteria.map(({ sentence }) => sentence).join()).toContain('In this stage alone: 147 of 150 episodes served all their pods');
});
