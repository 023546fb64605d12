import type { Scenario, Trial } from '../harness/scenario.ts';
import { disruptionScenarios } from './disruption-scenarios.ts';
import { expectEmptied, idleScenarios } from './idle-nodes.ts';
import { launchScenarios } from './launch-scenarios.ts';
import { marketScenarios } from './market-scenarios.ts';
import type { Mix } from './mix.ts';
import { scheduleScenarios } from './schedule-scenarios.ts';
import { place, untilServed } from './placed.ts';
import type { Placed } from './placed.ts';
import { themeOf } from './theme.ts';
import type { Theme } from './theme.ts';

/** The fault library for a user's manifests, by export name, without scenarios that the manifests have no use for. */
export function manifestScenarios(mix: Mix): Readonly<Record<string, Scenario>> {
  const theme = themeOf(mix);
  const all = {
    faultFree: faultFree(theme),
    ...scheduleScenarios(theme),
    ...marketScenarios(theme),
    ...launchScenarios(theme),
    ...disruptionScenarios(theme),
    ...idleScenarios(theme),
  };
  return Object.fromEntries(Object.entries(all).flatMap(([name, one]) => (one === undefined ? [] : [[name, one]])));
}

function faultFree({ mix, define }: Theme): Scenario {
  return define({
    id: 'fault-free',
    title: 'your mix without faults: all is served, and when it goes nothing of it stays',
    async run(t) {
      const placed = await place(t, mix, 'provision');
      expectNoLaunches(t, placed);
      await untilServed(t, placed, 'provision');
      for (const { workload, from } of placed) if (from.kind !== 'DaemonSet') await t.remove(workload);
      expectEmptied(t, mix);
      await t.untilEmpty('settle');
    },
  });
}

/** If a workload may be partly served, it is unknown which workload a launch was for. */
function expectNoLaunches(t: Trial, placed: readonly Placed[]): void {
  if (placed.some(({ from }) => from.feasibility.kind === 'partly')) return;
  for (const { workload, from } of placed) if (from.feasibility.kind === 'unservable') t.expect.noLaunchFor(workload);
}
