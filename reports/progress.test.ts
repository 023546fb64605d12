import { stripVTControlCharacters } from 'node:util';
import { expect, test } from '@playwright/test';
import { progressLine, tallyLine, trialLine } from './progress.ts';

const running = ['crashes/killed-after-launch seed 3', 'scheduling/spot-spread seed 3'];
const HALF = { done: 7, total: 20, failed: 1, unknown: 0, running, leftMs: 41_300 };

test('the line on a terminal has the numbers of done and failed trials, the remaining time and running trials', () => {
  expect(progressLine(HALF, { columns: 120, color: false })).toBe(
    '███░░░░░░░ 7/20, 1 failed, 42s left  crashes/killed-after-launch seed 3, scheduling/spot-spread seed 3',
  );
  expect(progressLine({ done: 0, total: 20, failed: 0, unknown: 0, running: [] }, { columns: 80, color: false })).toBe('░░░░░░░░░░ 0/20');
});

for (const columns of [20, 40, 60, 80, 120]) {
  test(`the line leaves the last of ${columns} columns free, with colours and without`, () => {
    const plain = progressLine(HALF, { columns, color: false });
    expect(plain.length).toBeLessThan(columns);
    expect(stripVTControlCharacters(progressLine(HALF, { columns, color: true }))).toBe(plain);
  });
}

test('without a terminal there is a tally', () => {
  expect(tallyLine(HALF)).toBe('[ 7/20] 1 failed, 42s left');
  expect(tallyLine({ ...HALF, failed: 0, unknown: 2 })).toBe('[ 7/20] 2 unknown, 42s left');
});

test('with several sides both lines count each of them', () => {
  const sides = [
    { name: 'baseline', done: 4, total: 10 },
    { name: 'candidate', done: 3, total: 10 },
  ];
  const both = { ...HALF, sides, running: ['candidate in scheduling/spot-spread seed 3'] };
  expect(progressLine(both, { columns: 120, color: false })).toBe(
    '███░░░░░░░ baseline 4 of 10, candidate 3 of 10, 1 failed, 42s left  candidate in scheduling/spot-spread seed 3',
  );
  expect(tallyLine(both)).toBe('[ 7/20] baseline 4 of 10, candidate 3 of 10, 1 failed, 42s left');
});

test('the line of a failed trial has its first codes, each once', () => {
  const codes = ['leaked-instance', 'leaked-instance', 'pod-not-served', 'unexplained', 'not-settled', 'runaway'];
  const time = { ms: 61_000, name: 'virtual time' };
  expect(trialLine({ name: 'a/b seed 4', verdict: 'fail', time, codes }, { done: 3, total: 12, columns: 80 })).toEqual([
    '[ 3/12] fail a/b seed 4 (61s of virtual time): leaked-instance, pod-not-served,',
    '        unexplained, 2 more',
  ]);
  expect(trialLine({ name: 'a/b seed 4', verdict: 'pass' }, { done: 3, total: 12, columns: 80 })).toEqual(['[ 3/12] pass a/b seed 4']);
});
