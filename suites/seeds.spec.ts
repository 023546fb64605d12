import { expect, test } from '@playwright/test';
import { planTrials, runTrials } from '../harness/run.ts';
import type { TrialEnd } from '../harness/run.ts';
import { closeness } from '../history/verdict.ts';
import { suites } from './catalogue.ts';
import { findingsOf, trialDirectory, unknownsOf } from './testing/trials.ts';

/** A bound that a correct target never comes near judges little: below this share of it a reason is asked for. */
const LOOSE_RATIO = 0.2;

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
  const bounds = [...worstOf(ends)];
  testInfo.annotations.push({
    type: 'measured',
    description: `worst seen of each bound: ${bounds.map(([name, { ratio }]) => `${name} ${Math.round(100 * ratio)} %`).join(', ')}`,
  });
  const unexplained = bounds.filter(([, { ratio, loose }]) => ratio < LOOSE_RATIO && !loose).map(([name]) => name);
  expect(unexplained, 'bounds that nothing came near: say in harness/bounds.ts why they are so loose').toEqual([]);
  const exceeded = bounds.filter(([, { ratio }]) => ratio > 1).map(([name]) => name);
  expect(exceeded, 'bounds that were exceeded and did not fail: their check measures what it does not judge').toEqual([]);
});

function complaintsOf(end: TrialEnd): string[] {
  if (end.kind !== 'judged') return [end.kind];
  return [...findingsOf(end.result), ...unknownsOf(end.result)].map((complaint) => `${complaint} (replay: ${end.result.replay})`);
}

/** The worst that was seen of each check's bounds, as a share of them; one that nobody measured is as loose as can be. */
function worstOf(ends: readonly TrialEnd[]): Map<string, { ratio: number; loose: boolean }> {
  const worst = new Map<string, { ratio: number; loose: boolean }>();
  for (const end of ends) {
    if (end.kind !== 'judged') continue;
    for (const { check, measurements } of end.result.checks) {
      for (const measurement of measurements) {
        const { bound } = measurement;
        const key = `${check}: ${bound.name}`;
        const ratio = Math.max(closeness(measurement) ?? 0, worst.get(key)?.ratio ?? 0);
        worst.set(key, { ratio, loose: bound.loose !== undefined });
      }
    }
  }
  return worst;
}
