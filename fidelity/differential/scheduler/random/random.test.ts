import { expect, test } from '@playwright/test';
import { agreementText, problemsOf } from '../../agreement.ts';
import { classesOf } from '../../difference.ts';
import { readRecording } from '../../recording.ts';
import { sampleOf } from '../../scripts.ts';
import { KNOWN_CLASSES } from './known.ts';
import { agreementOf, differenceOf } from './outcome.ts';
import type { Outcome } from '../client.ts';
import { RECORDING, gridOf } from './recorded.ts';
import { SEED, situations } from './situations.ts';

/** One in this many recorded situations is run here; `record.ts` runs all. */
const EVERY = 3;
const LEAST_SPREADING = 300;
const LEAST_REFUSED = 0.3;

const recording = readRecording<Outcome[]>(RECORDING);
const all = situations(recording.seed, recording.answers.length);

test('the recorded situations are those of the seed, and many have required spread and refusals', () => {
  expect(recording.seed).toBe(SEED);
  const { spreading, spreadingRefused } = gridOf(all, recording.answers);
  expect(spreading).toBeGreaterThanOrEqual(LEAST_SPREADING);
  expect(spreadingRefused / spreading).toBeGreaterThanOrEqual(LEAST_REFUSED);
});

test('random pods are placed where the real scheduler placed them', () => {
  const { sample, real } = sampleOf(all, recording.answers, { every: EVERY, known: KNOWN_CLASSES });
  const differences = sample.flatMap((one, index) => differenceOf(one, real[index] ?? []) ?? []);
  const agreement = agreementOf(real, differences);
  test.info().annotations.push({ type: 'measured', description: agreementText(agreement, recording.server) });
  expect(
    problemsOf(
      classesOf(differences, ({ situation }) => JSON.stringify(situation).length),
      KNOWN_CLASSES,
    ),
  ).toEqual([]);
});
