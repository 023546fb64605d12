import { expect } from '@playwright/test';
import { whyNotRun } from '../harness/engine.ts';
import { runTrial } from '../harness/run.ts';
import { reference } from '../targets/reference.ts';
import { EMBEDDED } from '../world/embedded.ts';
import { suites } from './catalogue.ts';
import { test } from './testing/runner.ts';
import { findingsOf, trialDirectory, unknownsOf } from './testing/trials.ts';

/** The one entry that turns scenarios into tests. Unknown is a failed test whose message begins with UNKNOWN. */
for (const suite of suites) {
  for (const { ref, scenario } of suite.scenarios) {
    test(`${scenario.id}: ${scenario.title}`, async ({ runner }, testInfo) => {
      const reason = whyNotRun(scenario, reference, EMBEDDED.capabilities);
      test.skip(reason !== undefined, reason);
      const result = await runTrial({ scenario: ref, label: scenario.id, suite: suite.name, directory: trialDirectory(testInfo), runner });
      if (result.verdict === 'unknown') throw new Error(`UNKNOWN: ${unknownsOf(result).join('; ')} (replay: ${result.replay})`);
      expect(findingsOf(result), `replay: ${result.replay}`).toEqual([]);
      expect(result.verdict).toBe('pass');
    });
  }
}
