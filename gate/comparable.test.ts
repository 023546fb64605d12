import { expect, test } from '@playwright/test';
import { comparable } from './comparable.ts';
import { decideGate } from './decide.ts';
import { parsePolicy } from './policy.ts';
import { many, run, trial } from './testing/runs.ts';

const policy = parsePolicy({});
const reasons = [{ scenario: 'a/spot', seed: 1, why: 'the target has no feature spot' }];

test('findings in trials that cannot be compared count, but these trials have no verdict on either side', () => {
  const ours = run(many(100, (seed) => ({ seed, nodes: 10 })));
  const theirs = run(many(100, (seed) => ({ seed, nodes: seed <= 50 ? 10 : 20, leaked: seed > 50 ? 1 : 0 })));
  const { baseline, candidate, notes } = comparable(ours, theirs, true);
  expect(notes).toEqual(['a/out is not compared: --nodes differs']);
  for (const side of [baseline, candidate]) {
    expect(side).toHaveLength(100);
    expect(side.filter(({ verdict }) => verdict === 'unknown').map(({ seed }) => seed)).toEqual(
      Array.from({ length: 50 }, (_, i) => 51 + i),
    );
  }
  const decision = decideGate(baseline, candidate, policy, { paired: true, seed: 1 });
  expect(decision.action).toBe('reject');
  expect(decision.criteria.filter(({ verdict }) => verdict !== 'pass').map(({ criterion }) => criterion)).toEqual(
    expect.arrayContaining(['leaks', 'known-trials']),
  );
});

test('in real time each trial is compared with any trial of the other side with the same settings', () => {
  const odd = trial({ seed: 80, nodes: 20 });
  const ours = run(many(80), { time: 'real' });
  const theirs = run([...many(79, (seed) => ({ seed, leaked: 1 })), odd], { time: 'real' });
  const { candidate } = comparable(ours, theirs, false);
  expect(candidate.filter(({ verdict }) => verdict === 'unknown').map(({ seed }) => seed)).toEqual([80]);
  expect(candidate.filter(({ instances }) => instances.leaked > 0)).toHaveLength(79);
});

test('scenarios that neither target can run are left out with a note; if one of them cannot, they have no verdict there', () => {
  const [ours, theirs] = [run(many(2), { notRun: reasons }), run(many(2), { notRun: reasons })];
  const both = comparable(ours, theirs, true);
  expect([both.baseline.length, both.candidate.length]).toEqual([2, 2]);
  expect(both.notes).toEqual(['1 scenario that neither target can run is left out: the target has no feature spot']);

  const more = ['b/drift', 'b/expiry'].map((scenario) => ({ scenario, seed: 1, why: 'the target has no feature drift' }));
  const several = run(many(2), { notRun: [...reasons, ...more] });
  expect(comparable(several, several, true).notes).toEqual([
    '3 scenarios that neither target can run are left out, for 2 reasons: 2 of them because the target has no feature drift',
  ]);

  const one = comparable(run([...many(2), trial({ scenario: 'a/spot', seed: 1 })]), theirs, true);
  expect(one.candidate.at(-1)).toMatchObject({ scenario: 'a/spot', verdict: 'unknown', why: 'the target has no feature spot', replay: '' });
});

test('notes count lost trials, and mention another version of Scaleproof', () => {
  const lost = [3, 4].map((seed) => ({ scenario: 'a/out', seed, why: 'its history is missing' }));
  const { candidate, notes } = comparable(run(many(4)), run(many(2), { lost, version: '2', directory: 'new' }), true);
  expect(candidate.map(({ verdict }) => verdict)).toEqual(['pass', 'pass', 'unknown', 'unknown']);
  expect(notes).toEqual([
    'Scaleproof was 1 in one run and 2 in the other: the world may have changed, too',
    '2 trials of new have no verdict: its history is missing (a/out seed 3, ...)',
  ]);
});
