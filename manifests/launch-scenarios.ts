import { faults } from '../faults/catalogue.ts';
import type { FaultSpec } from '../faults/fault.ts';
import { LAUNCHES } from '../faults/operations.ts';
import { always, nth } from '../faults/triggers.ts';
import type { Scenario, Trial } from '../harness/scenario.ts';
import type { Mix } from './mix.ts';
import { place, placeAndWait, untilServed } from './placed.ts';
import type { ScenarioSet, Theme } from './theme.ts';

/** Any workload causes at least this many: a claim, a template, a fleet, some patches. */
const SIDE_EFFECTS = 8;
const SLOW_KUBELET_MS = 120_000;

/** Scenarios with faults between the decision to launch and the node. */
export function launchScenarios(theme: Theme): ScenarioSet {
  return {
    lostLaunchAnswers: lostLaunchAnswers(theme),
    throttledLaunches: throttledLaunches(theme),
    killedAtSideEffect: killedAtSideEffect(theme),
    slowKubelets: slowKubelets(theme),
  };
}

function lostLaunchAnswers({ mix, define }: Theme): Scenario {
  return define({
    id: 'lost-launch-answers',
    title: 'your mix while the answers to launches get lost: nothing is launched and forgotten',
    faults: { loss: faults.lostAnswer({ operations: LAUNCHES, when: always }) },
    run: (t, { loss }) => outlast(t, mix, loss, 'the answers to launches get lost'),
  });
}

function throttledLaunches({ mix, define }: Theme): Scenario {
  return define({
    id: 'throttled-launches',
    title: 'your mix while EC2 throttles launches: it is no lack of capacity, and nobody hammers',
    faults: { throttling: faults.ec2Throttling({ by: 'rate', operations: ['ec2:CreateFleet'], when: always }) },
    run: (t, { throttling }) => outlast(t, mix, throttling, 'EC2 refuses launches'),
  });
}

function killedAtSideEffect({ mix, define }: Theme): Scenario {
  return define({
    id: 'killed-at-side-effect',
    title: 'your mix, and the autoscaler killed right after one of its first side effects, another with each seed',
    capabilities: ['target.kill'],
    async run(t) {
      await t.inject(faults.crash({ operations: ['*'], when: nth(t.random.int(1, SIDE_EFFECTS)), moment: 'after', applied: true }));
      await placeAndWait(t, mix, 'recover');
    },
  });
}

function slowKubelets({ mix, define }: Theme): Scenario {
  return define({
    id: 'slow-kubelets',
    title: 'your mix while kubelets take two minutes longer to register: nothing is launched twice',
    under: [faults.slowRegistration({ delayMs: SLOW_KUBELET_MS })],
    run: (t) => placeAndWait(t, mix, 'registration'),
  });
}

/** Keeps a fault active for longer than the retries of an SDK, which would hide it. After the heal, all has to be served. */
async function outlast(t: Trial, mix: Mix, fault: FaultSpec, why: string): Promise<void> {
  const active = await t.inject(fault);
  const placed = await place(t, mix, 'recover', () => why);
  await t.untilFired(active, 'provision');
  await t.pass('launch-lag');
  await active.heal();
  await untilServed(t, placed, 'recover');
}
