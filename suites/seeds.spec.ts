import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { whyNotRun } from '../harness/engine.ts';
import { planTrials, runTrials } from '../harness/run.ts';
import type { TrialEnd } from '../harness/run.ts';
import type { Scenario } from '../harness/scenario.ts';
import { closeness } from '../history/verdict.ts';
import { plain } from '../targets/plain.ts';
import { reference } from '../targets/reference.ts';
import type { Target } from '../targets/target.ts';
import { EMBEDDED } from '../world/embedded.ts';
import { sources } from './catalogue.ts';
import { complaintsOf, trialDirectory } from './testing/trials.ts';

/** A bound that a correct target never comes close to is weak: below this share of it, a reason is required. */
const LOOSE_RATIO = 0.2;

/** To run more of them: `npx scaleproof run --trials 50`. */
const SEEDS = [11, 12, 13, 14, 15];

/** The mandatory core, on fewer seeds: `plain` shows that the scenarios don't depend on habits of the reference. */
const PLAIN_SEEDS = [11, 12];

/** Twice as long as hundreds of trials take beside the other tests of a small machine. */
const TIMEOUT_MS = 1_800_000;

/** Runs the scenarios of every suite that the target supports, with each seed; those of the profile endurance take too long. */
async function runSuites(
  testInfo: TestInfo,
  options: { readonly target: Target; readonly seeds: readonly number[]; readonly isAsked: (scenario: Scenario) => boolean },
): Promise<TrialEnd[]> {
  const { target, seeds, isAsked } = options;
  const asked = sources.filter(({ scenario }) => isAsked(scenario) && whyNotRun(scenario, target, EMBEDDED.capabilities) === undefined);
  const of = { ref: { name: target.name }, label: target.name };
  const trials = (await Promise.all(asked.map((source) => planTrials(source, of, seeds)))).flat();
  return runTrials(trials, { directory: trialDirectory(testInfo), workers: 2, signal: new AbortController().signal });
}

test(`plain passes every scenario of the core with ${PLAIN_SEEDS.length} seeds`, { tag: '@long' }, async ({}, testInfo) => {
  test.setTimeout(TIMEOUT_MS);
  const ends = await runSuites(testInfo, { target: plain, seeds: PLAIN_SEEDS, isAsked: ({ profile }) => profile === 'core' });
  expect(ends.flatMap(complaintsOf)).toEqual([]);
  testInfo.annotations.push({ type: 'measured', description: `${ends.length} trials` });
});

/** Each seed is another interleaving of the same scenarios, and a correct autoscaler passes all of them. */
test(`the reference passes every scenario with ${SEEDS.length} seeds`, { tag: '@long' }, async ({}, testInfo) => {
  test.setTimeout(TIMEOUT_MS);
  const ends = await runSuites(testInfo, { target: reference, seeds: SEEDS, isAsked: () => true });
  expect(ends.flatMap(complaintsOf)).toEqual([]);
  const interleavings = new Set(ends.map((end) => (end.kind === 'judged' ? end.result.interleaving : '')));
  testInfo.annotations.push({
    type: 'measured',
    description: `${interleavings.size} distinct interleavings in ${ends.length} trials, without the profile endurance`,
  });
  const bounds = [...worstOf(ends)];
  testInfo.annotations.push({
    type: 'measured',
    description: `worst seen of each bound: ${bounds.map(([name, { ratio }]) => `${name} ${Math.round(100 * ratio)} %`).join(', ')}`,
  });
  const unexplained = bounds.filter(([, { ratio, loose }]) => ratio < LOOSE_RATIO && !loose).map(([name]) => name);
  expect(unexplained, 'bounds that nothing came close to: explain in harness/bounds.ts why they are so loose').toEqual([]);
  const exceeded = bounds.filter(([, { ratio }]) => ratio > 1).map(([name]) => name);
  expect(exceeded, 'bounds that were exceeded and did not fail: their check measures them but does not judge by them').toEqual([]);
});

/** The worst ratio measured for each check's bounds; a bound that was never measured has ratio 0. */
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
