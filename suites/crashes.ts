import { faults } from '../faults/catalogue.ts';
import { specify } from '../faults/fault.ts';
import { scenario } from '../harness/scenario.ts';
import type { Scenario } from '../harness/scenario.ts';
import { LAUNCHES, NODE_POOLS, NODE_SIZED, scaleToNone, serve } from './parts.ts';

/** Kills the target around its first fleet request, and expects every pod served and nothing forgotten. */
function killedAroundLaunch(options: {
  readonly id: string;
  readonly title: string;
  readonly requirements: readonly string[];
  readonly moment: 'before' | 'after';
}): Scenario {
  return scenario({
    id: options.id,
    title: options.title,
    requirements: options.requirements,
    capabilities: ['target.kill'],
    pools: NODE_POOLS,
    async run(t) {
      await t.inject(
        specify(faults.crash, {
          operations: LAUNCHES,
          when: { kind: 'first', count: 1 },
          moment: options.moment,
          applied: options.moment === 'after',
        }),
      );
      await serve(t, 'recover', { replicas: 5 });
    },
  });
}

export const killedAfterLaunch = killedAroundLaunch({
  id: 'crashes/killed-after-launch',
  title: 'killed right after a launch took effect and before its answer',
  requirements: ['CRA-01', 'CRA-02', 'CST-02'],
  moment: 'after',
});

export const killedBeforeLaunch = killedAroundLaunch({
  id: 'crashes/killed-before-launch',
  title: 'killed right before a launch is sent',
  requirements: ['CRA-01', 'CRA-02'],
  moment: 'before',
});

/** Writes soon after a start: what it finds is taken up again, and the launch that is in doubt asked for once more. */
const SOON = 8;

/**
 * A second instance that is collected in time is legal: what only a SHOULD asks for has a scenario of its own, and none of
 * the core, so that whoever launches twice breaks this and nothing that is owed.
 */
export const launchedOnce = scenario({
  id: 'crashes/launched-once',
  title: 'killed right after a launch took effect, and again soon after the start: no pod gets a second instance',
  requirements: ['CRA-04'],
  profile: 'extended',
  capabilities: ['target.kill'],
  pools: NODE_POOLS,
  async run(t) {
    t.expect.launchedAtMost(5);
    const web = await t.deploy({ name: 'web', replicas: 5, ...NODE_SIZED });
    t.expect.served(web, 'recover');
    const first = { operations: LAUNCHES, when: { kind: 'first', count: 1 }, moment: 'after', applied: true } as const;
    await t.untilFired(await t.inject(specify(faults.crash, first)), 'provision');
    const nth = t.random.int(1, SOON);
    await t.inject(specify(faults.crash, { operations: ['*'], when: { kind: 'nth', nth }, moment: 'after', applied: true }), 'may-fire');
    await t.untilServed(web, 'recover');
  },
});

/** Side effects of a scale-out of five nodes: a claim, a template, a fleet and some patches each. */
const SIDE_EFFECTS = 30;

export const killedAtSideEffect = scenario({
  id: 'crashes/killed-at-side-effect',
  title: 'killed right after one of the first thirty side effects, another with each seed',
  requirements: ['CRA-01', 'CRA-02', 'CRA-05'],
  capabilities: ['target.kill'],
  pools: NODE_POOLS,
  async run(t) {
    const nth = t.random.int(1, SIDE_EFFECTS);
    // Who needs fewer requests is not killed by the last ones.
    await t.inject(specify(faults.crash, { operations: ['*'], when: { kind: 'nth', nth }, moment: 'after', applied: true }), 'may-fire');
    await scaleToNone(t, await serve(t, 'recover', { replicas: 5 }));
  },
});

export const restartedDuringBoot = scenario({
  id: 'crashes/restarted-during-boot',
  title: 'restarted while twenty instances boot: none is launched twice, and none is forgotten',
  requirements: ['CRA-03'],
  capabilities: ['target.kill'],
  pools: NODE_POOLS,
  async run(t) {
    const web = await t.deploy({ name: 'web', replicas: 20, ...NODE_SIZED });
    t.expect.served(web, 'recover');
    t.expect.launchedAtMost(20);
    await t.untilLaunched(20, 'provision');
    await t.restartTarget();
    await t.untilServed(web, 'recover');
  },
});
