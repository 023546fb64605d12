import { expect, test } from '@playwright/test';
import { whyNotRun } from '../../harness/engine.ts';
import { runTrial } from '../../harness/run.ts';
import { worldFor } from '../../harness/world-for.ts';
import { reference } from '../../targets/reference.ts';
import { suites } from '../catalogue.ts';
import { findingsOf, trialDirectory, unknownsOf } from '../testing/trials.ts';
import { announced } from './testing/world.ts';

const target = reference.quick;

/** Every scenario on a real cluster: `npm run test:kind -- -g spot` runs some of them. */
for (const suite of suites) {
  for (const { ref, scenario } of suite.scenarios) {
    test(`${scenario.id}: ${scenario.title}`, async ({}, testInfo) => {
      const { worlds, environment } = announced();
      const world = worlds[testInfo.parallelIndex];
      if (world === undefined) throw new Error(`worker ${testInfo.parallelIndex} has no cluster: there are ${worlds.length}`);
      const reason = whyNotRun(scenario, target, worldFor(target, world).facts.capabilities);
      test.skip(reason !== undefined, reason);
      const what = { scenario: ref, label: scenario.id, suite: suite.name, target: { name: target.name } };
      const result = await runTrial({ ...what, world, environment, directory: trialDirectory(testInfo) });
      if (result.verdict === 'unknown') throw new Error(`UNKNOWN: ${unknownsOf(result).join('; ')} (replay: ${result.replay})`);
      expect(findingsOf(result), `replay: ${result.replay}`).toEqual([]);
      expect(result.verdict).toBe('pass');
    });
  }
}
