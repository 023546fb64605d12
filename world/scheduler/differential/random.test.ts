import { expect, test } from '@playwright/test';
import { agreementText, problemsOf } from '../../kube/differential/random/agreement.ts';
import { classesOf } from '../../kube/differential/random/compare.ts';
import { readRecording } from '../../kube/differential/random/recording.ts';
import { KNOWN_CLASSES } from './known.ts';
import { agreementOf, differenceOf } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import { RECORDING, gridOf } from './recorded.ts';
import { SEED, situations } from './situations.ts';

/** Of the recorded situations one in so many is decided here: all of them by `record.ts`. */
const EVERY = 3;
const LEAST_SPREADING = 300;
const LEAST_REFUSED = 0.3;

const recording = readRecording<Outcome[]>(RECORDING);
const all = situations(recording.seed, recording.answers.length);

test('the recorded situations are those of the seed, and many spread and are refused', () => {
  expect(recording.seed).toBe(SEED);
  const { spreading, spreadingRefused } = gridOf(all, recording.answers);
  expect(spreading).toBeGreaterThanOrEqual(LEAST_SPREADING);
  expect(spreadingRefused / spreading).toBeGreaterThanOrEqual(LEAST_REFUSED);
});

test('random pods go where the real scheduler put them', () => {
  const examples = new Set(Object.values(KNOWN_CLASSES).map(({ example }) => example));
  const sample = all.flatMap((one, index) =>
    index % EVERY === 0 || examples.has(one.id) ? [{ one, real: recording.answers[index] ?? [] }] : [],
  );
  const differences = sample.flatMap(({ one, real }) => differenceOf(one, real) ?? []);
  const agreement = agreementOf(
    sample.map(({ real }) => real),
    differences,
  );
  test.info().annotations.push({ type: 'measured', description: agreementText(agreement, recording.server) });
  expect(
    problemsOf(
      classesOf(differences, ({ situation }) => JSON.stringify(situation).length),
      KNOWN_CLASSES,
    ),
  ).toEqual([]);
});
