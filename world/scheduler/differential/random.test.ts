import { expect, test } from '@playwright/test';
import { readRecording } from '../../kube/differential/random/recording.ts';
import { differenceOf } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import { RECORDING, gridOf } from './recorded.ts';
import { SEED, situations } from './situations.ts';

/** Of the recorded situations one in so many is decided here: all of them by `record.ts`. */
const EVERY = 3;
const LEAST_SPREADING = 300;
const LEAST_REFUSED = 0.3;

/** Classes of differences, and why they stay. */
const KNOWN_CLASSES: Readonly<Record<string, string>> = {
  'other victims': 'of pods that no kubelet started none is the oldest: which of equals goes is not determined',
};

const recording = readRecording<Outcome[]>(RECORDING);
const all = situations(recording.seed, recording.answers.length);

test('the recorded situations are those of the seed, and many spread and are refused', () => {
  expect(recording.seed).toBe(SEED);
  const { spreading, spreadingRefused } = gridOf(all, recording.answers);
  expect(spreading).toBeGreaterThanOrEqual(LEAST_SPREADING);
  expect(spreadingRefused / spreading).toBeGreaterThanOrEqual(LEAST_REFUSED);
});

test('random pods go where the real scheduler put them', () => {
  const sample = all.flatMap((one, index) => (index % EVERY === 0 ? [{ one, real: recording.answers[index] ?? [] }] : []));
  const differences = sample.flatMap(({ one, real }) => differenceOf(one, real) ?? []);
  const measured = `${sample.length - differences.length} of ${sample.length} random situations decided as ${recording.server} decides them`;
  test.info().annotations.push({ type: 'measured', description: measured });
  const fresh = differences.filter(({ name }) => KNOWN_CLASSES[name] === undefined);
  expect(fresh.map(({ name, situation, pod, real }) => ({ name, situation: situation.id, pod, real }))).toEqual([]);
});
