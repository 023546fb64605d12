import { expect, test } from '@playwright/test';
import { runTrial } from '../harness/run.ts';
import { mutants } from '../targets/mutants/catalogue.ts';
import { suites } from './catalogue.ts';
import { findingsOf, trialDirectory } from './testing/trials.ts';

/** Seeds for a mutant that every seed exposes, and for one that only some interleavings do. */
const SEEDS = { every: [1, 2], some: [1, 2, 3, 4, 5, 6, 7, 8] } as const;

for (const { target, caughtBy } of mutants) {
  test(`${target.name} is caught where and how it declared`, async ({}, testInfo) => {
    const scenario = suites.flatMap((suite) => suite.scenarios).find((candidate) => candidate.scenario.id === caughtBy.scenario);
    if (scenario === undefined) throw new Error(`${target.name} declares the scenario ${caughtBy.scenario}, which does not exist`);
    const seeds = SEEDS[caughtBy.seeds];
    const caught: number[] = [];
    for (const seed of seeds) {
      const directory = trialDirectory(testInfo, `seed-${seed}`);
      const result = await runTrial({ scenario: scenario.ref, label: caughtBy.scenario, target: { name: target.name }, seed, directory });
      const check = result.checks.find(({ check: name }) => name === caughtBy.check);
      const isCaught = check?.findings.some(({ code }) => code === caughtBy.code) === true;
      if (isCaught) caught.push(seed);
      const found = findingsOf(result).join('\n') || 'nothing';
      if (caughtBy.seeds === 'every') {
        expect(isCaught, `seed ${seed}: ${caughtBy.check} has to find ${caughtBy.code}; found was: ${found}`).toBe(true);
      }
    }
    testInfo.annotations.push({ type: 'measured', description: `caught with ${caught.length} of ${seeds.length} seeds` });
    expect(caught.length, 'seeds that expose it').toBeGreaterThan(0);
  });
}
