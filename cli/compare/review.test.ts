import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import type { PlannedTrial, TrialEnd } from '../../harness/run.ts';
import { Reviewer } from './review.ts';
import type { Review, SideTrial } from './review.ts';

const ROUNDS = 12;
const SIDES = ['baseline', 'candidate'];

function planned(seed: number): PlannedTrial {
  return {
    scenario: { id: 'a/b', title: '' },
    suite: '',
    ref: { module: 'file:///a.ts', export: 'b' },
    digest: '',
    target: { name: 'reference' },
    targetLabel: 'reference',
    seed,
    nodes: 10,
    wallMs: undefined,
    replay: '',
    history: '',
  };
}

const rounds = Array.from({ length: ROUNDS }, (_, index): SideTrial[] => SIDES.map((letter) => ({ letter, trial: planned(index + 1) })));
const end: TrialEnd = { kind: 'refused', message: '' };
/** Ends as soon as the trial with this seed is among those that are over. */
const stopAt = (seed: number): Review => ({
  every: 3,
  whyOver: (ended) => (ended.some(({ trial }) => trial.seed === seed) ? 'seen' : undefined),
});

test('it stops after the same trials, in whatever order they end', () => {
  const order = fc.shuffledSubarray(rounds.flat(), { minLength: 2 * ROUNDS });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: ROUNDS }), order, (seed, trials) => {
      const reviewer = new Reviewer(stopAt(seed), rounds);
      for (const { trial } of trials) reviewer.ended(trial, end);
      // There is no look after the last round: nothing is left to save.
      const kept = Math.ceil(seed / 3) * 3;
      if (kept === ROUNDS) return expect(reviewer.end).toBeUndefined();
      expect(reviewer.end).toEqual({ why: 'seen', kept: rounds.slice(0, kept).flat(), left: rounds.slice(kept).flat() });
    }),
  );
});

test('a trial that is still running holds the look', () => {
  const reviewer = new Reviewer(stopAt(1), rounds);
  const [first, ...others] = rounds.flat();
  for (const { trial } of others) reviewer.ended(trial, end);
  expect(reviewer.end).toBeUndefined();
  if (first !== undefined) reviewer.ended(first.trial, { kind: 'not-begun' });
  expect(reviewer.end, 'it never began').toBeUndefined();
  if (first !== undefined) reviewer.ended(first.trial, end);
  expect(reviewer.end?.kept).toHaveLength(6);
});
