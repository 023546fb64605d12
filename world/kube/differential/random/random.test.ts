import { expect, test } from '@playwright/test';
import type { Answer } from './answers.ts';
import { classesOf, differenceOf, gridOf } from './compare.ts';
import { askEmbedded } from './embedded.ts';
import { SEED, scripts } from './generate.ts';
import { KNOWN_CLASSES } from './known.ts';
import { RECORDING } from './recorded.ts';
import { readRecording } from './recording.ts';
import { OPERATIONS, READS } from './script.ts';

/** Of the recorded scripts one in so many is asked here: all of them by `record.ts`. */
const EVERY = 5;
const LEAST_SUCCESS = 0.4;
const LEAST_EACH = 100;

const recording = readRecording<Answer[]>(RECORDING);
const all = scripts(recording.seed, recording.answers.length);

test('the recorded scripts are those of the seed, and cover every operation', () => {
  expect(recording.seed).toBe(SEED);
  for (const [index, { id, steps }] of all.entries()) expect(recording.answers[index]?.length, id).toBe(steps.length);
  const grid = gridOf(all, recording.answers);
  expect(grid.rows.map(({ operation }) => operation)).toEqual(OPERATIONS);
  expect(grid.successRate).toBeGreaterThanOrEqual(LEAST_SUCCESS);
  for (const { operation, total, outcomes } of grid.rows) {
    expect(total, operation).toBeGreaterThanOrEqual(LEAST_EACH);
    if (!READS.has(operation)) expect(outcomes.done, operation).toBeGreaterThan(0);
  }
});

test('random scripts are answered as the real API server answered them, but for known classes of differences', async () => {
  const sample = all.flatMap((script, index) => (index % EVERY === 0 ? [{ script, real: recording.answers[index] ?? [] }] : []));
  const ours = await askEmbedded(sample.map(({ script }) => script));
  const differences = sample.flatMap(({ script, real }, index) => differenceOf(script, real, ours[index] ?? []) ?? []);
  const agreeing = sample.length - differences.length;
  const measured = `${agreeing} of ${sample.length} random scripts answered as ${recording.server} answers them`;
  test.info().annotations.push({ type: 'measured', description: measured });
  const fresh = classesOf(differences, ({ script }) => script.steps.length).filter(({ name }) => !KNOWN_CLASSES.has(name));
  expect(fresh.map(({ name, smallest }) => ({ name, script: smallest.script.id, real: smallest.real, ours: smallest.ours }))).toEqual([]);
});
