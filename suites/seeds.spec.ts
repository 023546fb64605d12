import { expect, test } from '@playwright/test';
import { planTrials, runTrials } from '../harness/run.ts';
import type { TrialEnd } from '../harness/run.ts';
import { suites } from './catalogue.ts';
import { findingsOf, trialDirectory, unknownsOf } from './testing/trials.ts';

/** More of them are one command away: `npx scaleproof run --trials 50`. */
const SEEDS = [11, 12, 13, 14, 15];

/** Each seed is another interleaving of the same scenarios, and a correct autoscaler passes all of them. */
test(`the reference passes every scenario with ${SEEDS.length} seeds`, async ({}, testInfo) => {
  const target = { ref: { name: 'reference' }, label: 'reference' };
  const sources = suites.flatMap((suite) =>
    suite.scenarios.map(({ ref, scenario }) => ({ ref, scenario, suite: suite.name, label: scenario.id })),
  );
  const trials = (await Promise.all(sources.map((source) => planTrials(source, target, SEEDS)))).flat();
  const ends = await runTrials(trials, { directory: trialDirectory(testInfo), workers: 2, signal: new AbortController().signal });
  expect(ends.flatMap(complaintsOf)).toEqual([]);
  const interleavings = new Set(ends.map((end) => (end.kind === 'judged' ? end.result.interleaving : '')));
  testInfo.annotations.push({ type: 'measured', description: `${interleavings.size} distinct interleavings in ${ends.length} trials` });
});

function complaintsOf(end: TrialEnd): string[] {
  if (end.kind !== 'judged') return [end.kind];
  return [...findingsOf(end.result), ...unknownsOf(end.result)].map((complaint) => `${complaint} (replay: ${end.result.replay})`);
}
