import { expect, test } from '@playwright/test';
import { partTrials, tellingTrials } from './evidence.ts';
import type { Criterion, Evidence } from './verdict.ts';

const criterion = (name: Criterion['criterion'], verdict: Criterion['verdict'], evidence: readonly Evidence[]): Criterion => ({
  criterion: name,
  verdict,
  sentence: '',
  numbers: {},
  evidence: [...evidence],
});
const shows = (seed: number, what: string, replay = `sp1,seed=${seed}`): Evidence => ({ scenario: 'a/b', seed, replay, what });

test('a trial is told once, with all that the criteria say about it, and failed criteria come first', () => {
  const trials = tellingTrials([
    criterion('latency-tail', 'inconclusive', [shows(3, 'slow'), shows(1, 'slow, too', '')]),
    criterion('invariants', 'fail', [shows(1, 'leaves a pod'), shows(2, 'launches twice')]),
    criterion('success', 'fail', [shows(2, '9 of 10 pods served in time')]),
  ]);
  expect(trials).toEqual([
    {
      scenario: 'a/b',
      seed: 1,
      replay: 'sp1,seed=1',
      said: [
        { criterion: 'invariants', verdict: 'fail', what: 'leaves a pod' },
        { criterion: 'latency-tail', verdict: 'inconclusive', what: 'slow, too' },
      ],
    },
    {
      scenario: 'a/b',
      seed: 2,
      replay: 'sp1,seed=2',
      said: [
        { criterion: 'invariants', verdict: 'fail', what: 'launches twice' },
        { criterion: 'success', verdict: 'fail', what: '9 of 10 pods served in time' },
      ],
    },
    { scenario: 'a/b', seed: 3, replay: 'sp1,seed=3', said: [{ criterion: 'latency-tail', verdict: 'inconclusive', what: 'slow' }] },
  ]);
  expect(tellingTrials([criterion('cost', 'pass', [])])).toEqual([]);
});

test('trials that speak only of accepted failures are apart; one that also fails is not', () => {
  const { telling, accepted } = partTrials([
    criterion('existing-failures', 'pass', [shows(1, 'known'), shows(2, 'known')]),
    criterion('leaks', 'fail', [shows(2, 'leaks')]),
    criterion('latency-tail', 'inconclusive', [shows(3, 'slow')]),
  ]);
  expect(telling.map(({ seed }) => seed)).toEqual([2, 3]);
  expect(accepted.map(({ seed }) => seed)).toEqual([1]);
});
