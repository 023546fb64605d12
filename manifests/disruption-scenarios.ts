import { faults } from '../faults/catalogue.ts';
import { mayFire } from '../faults/fault.ts';
import type { Scenario } from '../harness/scenario.ts';
import { isExpected, placeAndWait, untilServed } from './placed.ts';
import type { ScenarioSet, Theme } from './theme.ts';

/** Number of spot instances that are interrupted at once. */
const INTERRUPTIONS = 2;

/** Scenarios that remove nodes from under running pods. */
export function disruptionScenarios(theme: Theme): ScenarioSet {
  return { spotInterruption: theme.hasSpot ? spotInterruption(theme) : undefined, poolsWithdrawn: poolsWithdrawn(theme) };
}

function spotInterruption({ mix, define }: Theme): Scenario {
  return define({
    id: 'spot-interruption',
    title: 'your mix, and two spot instances taken back: their pods leave in time, within their budgets',
    features: ['interruption'],
    faults: { interruption: mayFire(faults.spotInterruption({ count: INTERRUPTIONS })) },
    async run(t, { interruption }) {
      const placed = await placeAndWait(t, mix, 'provision');
      for (const { workload } of placed.filter(isExpected)) {
        // Each replacement has to be served, like all pods that recover from a loss.
        t.expect.servedUntilNow(workload);
        t.expect.served(workload, 'recover');
      }
      await t.injectUntilFired(interruption, 'launch-lag');
      // The two minutes of notice, and the time for replacements.
      await t.pass('provision', 2);
      await untilServed(t, placed, 'recover');
    },
  });
}

function poolsWithdrawn({ mix, define }: Theme): Scenario {
  return define({
    id: 'pools-withdrawn',
    title: 'your mix, and its pools withdrawn while it runs: pods leave within their budgets, and all nodes go',
    features: ['pool-removal'],
    async run(t) {
      const placed = await placeAndWait(t, mix, 'provision');
      // There is no pool for pods that are evicted from now on, so nothing is expected for them.
      for (const { workload } of placed.filter(isExpected)) t.expect.servedUntilNow(workload);
      await t.withdrawPools();
      // Budgets don't limit the deletion of a pool.
      await t.pass('teardown');
      for (const { workload } of placed) await t.remove(workload);
      await t.untilEmpty('teardown');
    },
  });
}
