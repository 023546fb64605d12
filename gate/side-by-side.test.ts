import { expect, test } from '@playwright/test';
import type { Episode } from './episode.ts';
import { sideBySide } from './side-by-side.ts';
import { episode, failed } from './testing/episodes.ts';

const broken = (code: string, object = 'instance/i-1') => ({ check: 'launches', code, object, message: 'two for one claim' });
const of = (scenario: string, seed: number, change: Partial<Episode> = {}): Episode => episode(seed, { scenario, ...change });

test('each kind of finding of a side is counted by trials, with its first one, and failures come first', () => {
  const violations = [broken('double'), broken('double', 'instance/i-2'), broken('early')];
  const pairs = sideBySide(
    [of('a', 1), of('b', 1), of('c', 1, { verdict: 'unknown' }), of('d', 1, failed(1))],
    [of('a', 1), of('b', 2, { ...failed(2), violations }), of('b', 1, { verdict: 'fail', violations }), of('b', 1)],
  );
  expect(pairs.map(({ scenario }) => scenario)).toEqual(['b', 'd', 'c', 'a']);
  expect(pairs[0]).toEqual({
    scenario: 'b',
    baseline: { pass: 1, fail: 0, unknown: 0, findings: [] },
    candidate: {
      pass: 0,
      fail: 2,
      unknown: 0,
      findings: [
        { kind: 'launches/double', trials: 2, seed: 1, replay: 'sp1,seed=1', what: 'instance/i-1: two for one claim' },
        { kind: 'launches/early', trials: 2, seed: 1, replay: 'sp1,seed=1', what: 'instance/i-1: two for one claim' },
        { kind: 'not-served', trials: 1, seed: 2, replay: 'sp1,seed=2', what: '9 of 10 pods served in time' },
      ],
    },
  });
  expect(pairs[1]?.candidate).toEqual({ pass: 0, fail: 0, unknown: 0, findings: [] });
});
