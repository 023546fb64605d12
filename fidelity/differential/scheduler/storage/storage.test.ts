import { expect, test } from '@playwright/test';
import { agreementText, problemsOf } from '../../agreement.ts';
import { classesOf } from '../../difference.ts';
import { readRecording } from '../../recording.ts';
import type { Outcome } from '../client.ts';
import { STORAGE_KNOWN } from '../random/known.ts';
import { STORAGE_RECORDING, caseDifference } from './outcome.ts';
import { STORAGE_SEED, storageCases } from './situations.ts';

/** One in this many recorded cases is run here; `record.ts` runs all. */
const EVERY = 5;
const LEAST_REFUSED = 0.3;
const LEAST_PREEMPTING = 50;

const recording = readRecording<Outcome>(STORAGE_RECORDING);

test('the recorded cases are those of the seed; many pods are refused, and some evict others', () => {
  expect(recording.seed).toBe(STORAGE_SEED);
  const { answers } = recording;
  expect(answers.filter((one) => 'message' in one).length / answers.length).toBeGreaterThan(LEAST_REFUSED);
  expect(answers.filter((one) => 'victims' in one).length).toBeGreaterThan(LEAST_PREEMPTING);
});

test('random pods with volumes are placed where the real scheduler placed them', () => {
  const all = storageCases(recording.seed, recording.answers.length);
  const differences = all.flatMap((one, index) => {
    const real = recording.answers[index];
    return real === undefined || index % EVERY !== 0 ? [] : (caseDifference(one, real) ?? []);
  });
  const cases = Math.ceil(all.length / EVERY);
  const agreement = { cases, agreeing: cases - differences.length, answers: cases };
  test.info().annotations.push({ type: 'measured', description: agreementText(agreement, recording.server) });
  expect(
    problemsOf(
      classesOf(differences, ({ situation }) => JSON.stringify(situation).length),
      STORAGE_KNOWN,
    ),
  ).toEqual([]);
});
