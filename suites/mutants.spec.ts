import { expect } from '@playwright/test';
import { isDeclared } from '../harness/mutant-trial.ts';
import { runTrial } from '../harness/run.ts';
import { test } from '../playwright/fixtures.ts';
import { mutants } from '../targets/mutants/catalogue.ts';
import { suites } from './catalogue.ts';
import { findingsOf, trialDirectory } from './testing/trials.ts';

/** Seeds for a mutant that only some interleavings expose, tried until one catches it. `scaleproof mutants` runs more. */
const SOME_SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];

/** These retry until the last bound, up to a hundred thousand times, or keep many nodes for long: a few seconds to a minute each. */
const COSTLY: ReadonlySet<string> = new Set([
  'mutant:ignored-capacity-errors',
  'mutant:ignored-architecture',
  'mutant:retries-without-backoff',
  'mutant:ignored-launch-backoff',
  'mutant:ignored-node-shortfall',
  'mutant:ignored-daemonsets',
  'mutant:endless-consolidation',
  'mutant:ignored-full-subnets',
  'mutant:ignored-spot-quota',
  'mutant:ignored-devices',
  'mutant:counts-reported-devices',
  'mutant:computed-node-names',
  'mutant:single-type-launches',
  'mutant:offering-by-offering',
  'mutant:replacement-per-message',
]);

for (const { target, caughtBy } of mutants) {
  const samples =
    caughtBy.seeds === 'some'
      ? [{ seeds: SOME_SEEDS, what: 'some seed' }]
      : [1, 2].map((seed) => ({ seeds: [seed], what: `seed ${seed}` }));
  for (const [index, { seeds, what }] of samples.entries()) {
    const tag = index > 0 || COSTLY.has(target.name) ? '@long' : [];
    test(`${target.name} is caught as declared, with ${what}`, { tag }, async ({ trialRunner }, testInfo) => {
      const scenario = suites.flatMap((suite) => suite.scenarios).find((candidate) => candidate.scenario.id === caughtBy.scenario);
      if (scenario === undefined) throw new Error(`${target.name} declares the scenario ${caughtBy.scenario}, which does not exist`);
      const trial = { scenario: scenario.ref, label: caughtBy.scenario, target: { name: target.name } };
      const found: string[] = [];
      let isCaught = false;
      for (const seed of seeds) {
        const result = await runTrial({ ...trial, seed, directory: trialDirectory(testInfo, `seed-${seed}`), runner: trialRunner });
        const findings = result.checks.flatMap(({ check, findings: of }) => of.map((finding) => ({ check, ...finding })));
        isCaught = findings.some((finding) => isDeclared(finding, caughtBy));
        if (isCaught) break;
        found.push(`seed ${seed}: ${findingsOf(result).join('\n') || 'nothing'}`);
      }
      if (caughtBy.seeds === 'some') testInfo.annotations.push({ type: 'measured', description: `${found.length} seeds did not catch it` });
      const declared = `${caughtBy.check} has to find ${caughtBy.code} of ${caughtBy.object}; found: ${found.join('\n')}`;
      expect(isCaught, declared).toBe(true);
    });
  }
}
