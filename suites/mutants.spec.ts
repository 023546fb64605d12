import { expect } from '@playwright/test';
import { isDeclared } from '../harness/mutant-trial.ts';
import { runTrial } from '../harness/run.ts';
import { mutants } from '../targets/mutants/catalogue.ts';
import { suites } from './catalogue.ts';
import { test } from './testing/runner.ts';
import { findingsOf, trialDirectory } from './testing/trials.ts';

/**
 * Seeds for a mutant that every seed exposes, and for one that only some interleavings do, until one has caught it. `scaleproof mutants`
 * runs more.
 */
const SEEDS = { every: [1, 2], some: [1, 2, 3, 4, 5, 6, 7, 8] } as const;

/** It asks in vain until the last bound, a hundred thousand times: a minute for each trial. */
const LONG: ReadonlySet<string> = new Set(['mutant:unmasked-offerings']);

for (const { target, caughtBy } of mutants) {
  test(
    `${target.name} is caught where and how it declared`,
    { tag: LONG.has(target.name) ? '@long' : [] },
    async ({ runner }, testInfo) => {
      const scenario = suites.flatMap((suite) => suite.scenarios).find((candidate) => candidate.scenario.id === caughtBy.scenario);
      if (scenario === undefined) throw new Error(`${target.name} declares the scenario ${caughtBy.scenario}, which does not exist`);
      const seeds = SEEDS[caughtBy.seeds];
      const caught: number[] = [];
      const found: string[] = [];
      for (const seed of seeds) {
        if (caughtBy.seeds === 'some' && caught.length > 0) break;
        const directory = trialDirectory(testInfo, `seed-${seed}`);
        const result = await runTrial({
          scenario: scenario.ref,
          label: caughtBy.scenario,
          target: { name: target.name },
          seed,
          directory,
          runner,
        });
        const findings = result.checks.flatMap(({ check, findings: of }) => of.map((finding) => ({ check, ...finding })));
        const isCaught = findings.some((finding) => isDeclared(finding, caughtBy));
        if (isCaught) caught.push(seed);
        else found.push(`seed ${seed}: ${findingsOf(result).join('\n') || 'nothing'}`);
      }
      testInfo.annotations.push({ type: 'measured', description: `caught with ${caught.length} of ${caught.length + found.length} seeds` });
      const declared = `${caughtBy.check} has to find ${caughtBy.code} of ${caughtBy.object}; found was: ${found.join('\n')}`;
      if (caughtBy.seeds === 'every') expect(caught, declared).toEqual(seeds);
      expect(caught.length, declared).toBeGreaterThan(0);
    },
  );
}
