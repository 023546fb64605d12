import { faults } from '../faults/catalogue.ts';
import { mayFire } from '../faults/fault.ts';
import { LAUNCHES, TERMINATIONS } from '../faults/operations.ts';
import { nth } from '../faults/triggers.ts';
import { scenario } from '../harness/scenario.ts';
import { NODE_POOLS } from '../harness/shapes.ts';
import { scaleToNone, serve } from '../harness/steps.ts';

/** A launch took effect, but its response was not read. */
const KILLED_AFTER_LAUNCH = faults.crash({ operations: LAUNCHES, moment: 'after', applied: true });

export const killedAfterLaunch = scenario({
  id: 'crashes/killed-after-launch',
  title: 'the autoscaler is killed after a launch takes effect and before its answer arrives: every pod is served and no instance leaks',
  requirements: ['CRA-01', 'CRA-02', 'CST-02'],
  pools: NODE_POOLS,
  under: [KILLED_AFTER_LAUNCH],
  run: (t) => serve(t, 'recover', { replicas: 5 }),
});

export const killedBeforeLaunch = scenario({
  id: 'crashes/killed-before-launch',
  title: 'the autoscaler is killed right before it sends a launch: every pod is served and no instance leaks',
  requirements: ['CRA-01', 'CRA-02'],
  pools: NODE_POOLS,
  under: [faults.crash({ operations: LAUNCHES, moment: 'before' })],
  run: (t) => serve(t, 'recover', { replicas: 5 }),
});

/** Writes soon after a start: the state is read again, and the uncertain launch is repeated. */
const SOON = 8;

/**
 * A second instance that is collected in time is legal: this SHOULD has a separate scenario outside of the core, so that an
 * autoscaler that launches twice fails only this one, and nothing mandatory.
 */
export const killedAgainAfterRestart = scenario({
  id: 'crashes/killed-again-after-restart',
  title: 'the autoscaler is killed right after a launch, and again soon after its restart: no pod gets a second instance',
  requirements: ['CRA-04'],
  profile: 'extended',
  pools: NODE_POOLS,
  faults: { kill: KILLED_AFTER_LAUNCH },
  async run(t, { kill }) {
    t.expect.launchedAtMost(5);
    const web = await t.deploy({ replicas: 5 });
    t.expect.served(web, 'recover');
    await t.injectUntilFired(kill, 'provision');
    await t.inject(mayFire(faults.crash({ operations: ['*'], when: nth(t.random.int(1, SOON)), moment: 'after', applied: true })));
    await t.untilServed(web, 'recover');
  },
});

/** Side effects of a scale-out to five nodes: a claim, a template, a fleet and some patches each. */
const SIDE_EFFECTS = 30;

export const killedAtSideEffect = scenario({
  id: 'crashes/killed-at-side-effect',
  title:
    'the autoscaler is killed after one of its first thirty side effects, chosen by the seed: every pod is served and no instance leaks',
  requirements: ['CRA-01', 'CRA-02', 'CRA-05'],
  capabilities: ['target.kill'],
  pools: NODE_POOLS,
  async run(t) {
    // An autoscaler that needs fewer requests is not killed by the last ones.
    await t.inject(mayFire(faults.crash({ operations: ['*'], when: nth(t.random.int(1, SIDE_EFFECTS)), moment: 'after', applied: true })));
    await scaleToNone(t, await serve(t, 'recover', { replicas: 5 }));
  },
});

export const restartedDuringBoot = scenario({
  id: 'crashes/restarted-during-boot',
  title: 'the autoscaler restarts while twenty instances boot: none is launched twice, and none leaks',
  requirements: ['CRA-03', 'CRA-10'],
  capabilities: ['target.kill'],
  pools: NODE_POOLS,
  async run(t) {
    const web = await t.deploy({ replicas: 20 });
    t.expect.served(web, 'recover');
    t.expect.launchedAtMost(20);
    await t.untilLaunched(20, 'provision');
    await t.restartTarget();
    await t.untilServed(web, 'recover');
  },
});

/** Each restart is another order in which the copies of the cluster fill. */
const RESTARTS = 4;

export const restartedUnderLoad = scenario({
  id: 'crashes/restarted-under-load',
  title: 'the autoscaler restarts again and again while every node is in use: no node is treated as empty, and nothing new is launched',
  requirements: ['STL-05'],
  capabilities: ['target.kill'],
  pools: NODE_POOLS,
  async run(t) {
    t.expect.launchedAtMost(5);
    const web = await serve(t, 'provision', { replicas: 5 });
    for (let restarts = 0; restarts < RESTARTS; restarts += 1) {
      await t.restartTarget();
      await t.kept('launch-lag');
    }
    await t.untilServed(web, 'recover');
  },
});

/** Fewer than any way to remove eight nodes has side effects. */
const SCALE_IN_SIDE_EFFECTS = 24;

export const killedDuringScaleIn = scenario({
  id: 'crashes/killed-during-scale-in',
  title:
    'the autoscaler is killed during a scale-in, after a side effect chosen by the seed: every node is removed and every instance terminated',
  requirements: ['CRA-05', 'TRM-01'],
  capabilities: ['target.kill'],
  pools: NODE_POOLS,
  async run(t) {
    const web = await serve(t, 'provision', { replicas: 8 });
    // Who needs fewer requests is not killed by the last ones.
    await t.inject(
      mayFire(faults.crash({ operations: ['*'], when: nth(t.random.int(1, SCALE_IN_SIDE_EFFECTS)), moment: 'after', applied: true })),
    );
    await t.scale(web, 0);
    t.expect.emptied('scale-in');
    await t.untilEmpty('settle');
  },
});

/** Requests to end instances: which of them is the one before which it dies is drawn. */
const NODES_TO_END = 2;

export const killedBeforeTermination = scenario({
  id: 'crashes/killed-before-termination',
  title: 'the autoscaler is killed right before it terminates an instance: it terminates the instance after its restart',
  requirements: ['CRA-02', 'CRA-05'],
  capabilities: ['target.kill'],
  pools: NODE_POOLS,
  async run(t) {
    const web = await serve(t, 'provision', { replicas: 5 });
    // Who ends all of them with one request is not killed by the second.
    await t.inject(mayFire(faults.crash({ operations: TERMINATIONS, when: nth(t.random.int(1, NODES_TO_END)), moment: 'before' })));
    await t.scale(web, 0);
    await t.untilEmpty('settle');
  },
});
