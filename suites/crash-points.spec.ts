import { expect, test } from '@playwright/test';
import { planCrashes, planTrials, runTrials } from '../harness/run.ts';
import { sources } from './catalogue.ts';
import { complaintsOf, trialDirectory } from './testing/trials.ts';

const SEEDS = [21, 22];
/** One in this many crash points, different ones for each seed. For all: `scaleproof crash-points --scenario ID --seed N`. */
const ONE_IN = 15;

for (const source of sources.filter(({ scenario }) => scenario.crashPoints === true)) {
  for (const [index, seed] of SEEDS.entries())
    test(`the reference passes ${source.label} killed at its side effects, with seed ${seed}`, { tag: '@long' }, async ({}, testInfo) => {
      const directory = trialDirectory(testInfo);
      const options = { directory, workers: 2, signal: new AbortController().signal };
      const counting = await planTrials(source, { ref: { name: 'reference' }, label: 'reference' }, [seed]);
      const counted = await runTrials(counting, options);
      const crashes = counting.flatMap((trial) => {
        const planned = planCrashes(trial, counted[0] ?? { kind: 'not-begun' }, { directory });
        if ('uncounted' in planned) throw new Error(planned.uncounted);
        return planned.trials.filter((_trial, point) => point % ONE_IN === index);
      });
      const ends = await runTrials(crashes, options);
      expect(ends.flatMap(complaintsOf)).toEqual([]);
      testInfo.annotations.push({ type: 'measured', description: `${ends.length} crash points` });
    });
}
