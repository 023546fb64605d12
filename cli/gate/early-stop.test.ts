import { expect, test } from '@playwright/test';
import type { Episode } from '../../gate/episode.ts';
import type { PlannedTrial } from '../../harness/run.ts';
import type { SideTrial } from '../compare/review.ts';
import { stopOf } from './early-stop.ts';

/** What of an episode counts here. */
const episode = (seed: number): Episode => ({ scenario: 'a/b', seed }) as Episode;
const trial = (letter: string, seed: number): SideTrial => ({ letter, trial: { scenario: { id: 'a/b' }, seed } as PlannedTrial });
const counting = (baseline: readonly number[], candidate: readonly number[]) =>
  new Map([
    ['baseline', baseline.map(episode)],
    ['candidate', candidate.map(episode)],
  ]);

test('a gate that stops counts the trials of all its looks, and saves those that were left out', () => {
  const left = [trial('baseline', 4), trial('candidate', 4)];
  expect(stopOf(['leaks'], left, counting([1, 2, 3], [1, 2, 3])).trials).toEqual({ run: 6, planned: 8 });
});

test('a trial that was left out, but is known from an earlier gate, counts and is not saved', () => {
  const left = [trial('baseline', 2), trial('candidate', 2), trial('candidate', 3)];
  expect(stopOf(['leaks'], left, counting([1, 2, 3], [1])).trials).toEqual({ run: 4, planned: 6 });
});
