import { expect, test } from '@playwright/test';
import { agreementText, problemsOf } from '../agreement.ts';
import { classesOf } from '../difference.ts';
import { readRecording } from '../recording.ts';
import { agreementOf, differencesOf, gridOf, sampleOf } from '../scripts.ts';
import { runEmbedded } from './clouds.ts';
import { GRID, nameDifference } from './compare.ts';
import { SCRIPTS, SEED, scripts } from './generate.ts';
import { KNOWN_CLASSES } from './known.ts';
import type { Answer } from './run-script.ts';
import { OPERATIONS, RECORDING } from './script.ts';

/** One in this many recorded scripts is run here; `record.ts` runs all. */
const EVERY = 4;
const LEAST_SUCCESS = 0.6;
const LEAST_EACH = 10;

const recording = readRecording<Answer[]>(RECORDING);
const all = scripts(recording.seed, recording.answers.length);

test('the recorded scripts are those of the seed, and cover every operation of the list', () => {
  expect(recording.seed).toBe(SEED);
  expect(all).toHaveLength(SCRIPTS);
  for (const [index, { id, steps }] of all.entries()) expect(recording.answers[index]?.length, id).toBe(steps.length);
  const grid = gridOf(GRID, all, recording.answers);
  expect(grid.rows.map(({ operation }) => operation)).toEqual(OPERATIONS);
  expect(grid.successRate).toBeGreaterThanOrEqual(LEAST_SUCCESS);
  for (const { operation, total, outcomes } of grid.rows) {
    expect(total, operation).toBeGreaterThanOrEqual(LEAST_EACH);
    if (!GRID.reads.has(operation)) expect(outcomes.done, operation).toBeGreaterThan(0);
  }
});

test('random calls get the same answers as from moto, except known classes of differences', async () => {
  const { sample, real } = sampleOf(all, recording.answers, { every: EVERY, known: KNOWN_CLASSES });
  const differences = differencesOf(sample, real, await runEmbedded(sample), nameDifference);
  test.info().annotations.push({ type: 'measured', description: agreementText(agreementOf(sample, differences), recording.server) });
  // The sample has the example of each class, so that stale classes are found here too.
  expect(
    problemsOf(
      classesOf(differences, ({ script }) => script.steps.length),
      KNOWN_CLASSES,
    ),
  ).toEqual([]);
});
