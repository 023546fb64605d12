import { faults } from '../faults/catalogue.ts';
import { specify } from '../faults/fault.ts';
import type { ActiveFault, Scenario, Trial } from '../harness/scenario.ts';
import type { Mix } from './mix.ts';
import { place, placeAndWait, untilServed } from './placed.ts';
import type { ScenarioSet, Theme } from './theme.ts';

const LAUNCHES = ['ec2:CreateFleet', 'ec2:RunInstances'];
/** Any mix makes as many: a claim, a template, a fleet, some patches. */
const SIDE_EFFECTS = 8;
const SLOW_KUBELET_MS = 120_000;

/** What goes wrong between the decision to launch and the node. */
export function launchScenarios(theme: Theme): ScenarioSet {
  return {
    lostLaunchAnswers: lostLaunchAnswers(theme),
    throttledLaunches: throttledLaunches(theme),
    killedAtSideEffect: killedAtSideEffect(theme),
    slowKubelets: slowKubelets(theme),
  };
}

function lostLaunchAnswers({ mix, define }: Theme): Scenario {
  return define(
    'lost-launch-answers',
    'your mix while the answers to launches get lost: nothing is launched and forgotten',
    async (t) => {
      const losing = await t.inject(specify(faults.lostAnswer, { operations: LAUNCHES, when: { kind: 'always' } }));
      await outlast(t, mix, losing, 'the answers to launches get lost');
    },
    { capabilities: ['wire.aws'] },
  );
}

function throttledLaunches({ mix, define }: Theme): Scenario {
  return define(
    'throttled-launches',
    'your mix while EC2 throttles launches: it is no lack of capacity, and nobody hammers',
    async (t) => {
      const throttling = specify(faults.ec2Throttling, { by: 'rate', operations: ['ec2:CreateFleet'], when: { kind: 'always' } });
      await outlast(t, mix, await t.inject(throttling), 'EC2 refuses launches');
    },
    { capabilities: ['wire.aws'] },
  );
}

function killedAtSideEffect({ mix, define }: Theme): Scenario {
  return define(
    'killed-at-side-effect',
    'your mix, and the autoscaler killed right after one of its first side effects, another with each seed',
    async (t) => {
      const nth = t.random.int(1, SIDE_EFFECTS);
      await t.inject(specify(faults.crash, { operations: ['*'], when: { kind: 'nth', nth }, moment: 'after', applied: true }));
      await placeAndWait(t, mix, 'recover');
    },
    { capabilities: ['target.kill'] },
  );
}

function slowKubelets({ mix, define }: Theme): Scenario {
  return define(
    'slow-kubelets',
    'your mix while kubelets take two minutes longer to register: nothing is launched twice',
    async (t) => {
      await t.inject(specify(faults.slowRegistration, { delayMs: SLOW_KUBELET_MS }));
      await placeAndWait(t, mix, 'registration');
    },
    { capabilities: ['boot.delay'] },
  );
}

/** Lets a fault last for longer than an SDK's own attempts, which would hide it; all is to be served once it is healed. */
async function outlast(t: Trial, mix: Mix, fault: ActiveFault, why: string): Promise<void> {
  const placed = await place(t, mix, 'recover', () => why);
  await t.untilFired(fault, 'provision');
  await t.pass('launch-lag');
  await fault.heal();
  await untilServed(t, placed, 'recover');
}
