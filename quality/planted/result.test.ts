import { expect, test } from '@playwright/test';
import { resultLine, totalsOf } from './result.ts';
import type { PlantedResult } from './result.ts';

const MISSED: PlantedResult = {
  mutant: 'a',
  searched: { limitSeconds: 300, seed: 1, corpus: 'none' },
  trials: 400,
  shrinkTrials: 0,
  seconds: 300.4,
  ofReference: [],
};

const found = (afterTrials: number, seconds: number, workloads = 1): PlantedResult => ({
  ...MISSED,
  seconds,
  found: { check: 'latency', code: 'too-slow', afterTrials, faults: 0, workloads, pools: 1, steps: 2, scenario: 'a/x.json' },
});

test('a line says what was found, or that nothing was', () => {
  expect(resultLine(MISSED)).toBe('a: not found in 400 trials, 300 s');
  expect(resultLine(found(7, 12.6))).toBe('a: latency too-slow after 7 trials, 13 s; faults 0, workloads 1, pools 1');
  expect(resultLine({ ...MISSED, ofReference: ['a/1.json'] })).toContain('the reference does not pass 1 of what was found');
});

test('totals have the medians of those that were found', () => {
  expect(totalsOf([MISSED, found(7, 10), found(9, 30, 3), found(40, 20)])).toBe(
    '3 of 4 planted bugs found; medians: 9 trials, 20 s, faults 0, workloads 1, pools 1',
  );
  expect(totalsOf([MISSED])).toBe('0 of 1 planted bugs found');
});
