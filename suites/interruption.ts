import { faults } from '../faults/catalogue.ts';
import { mayFire } from '../faults/fault.ts';
import type { FaultSpec } from '../faults/fault.ts';
import { LAUNCHES } from '../faults/operations.ts';
import { always, first } from '../faults/triggers.ts';
import { pool, scenario } from '../harness/scenario.ts';
import type { BudgetSpec, Scenario, ScenarioHead } from '../harness/scenario.ts';
import { NODE_POOLS, NODE_TYPES, OPTED_OUT, endingSlowly } from '../harness/shapes.ts';
import { serve } from '../harness/steps.ts';

const SPOT = [pool('spot', { capacityTypes: ['spot', 'on-demand'], instanceTypes: [...NODE_TYPES, 'c6i.xlarge'] })];

const ONE_SIZE = [pool('spot', { capacityTypes: ['spot', 'on-demand'], instanceTypes: NODE_TYPES })];

/** Spot instances run pods that each fill one, and are reclaimed. */
function interrupted(
  options: ScenarioHead & {
    readonly replicas: number;
    /** For the pods; by default none. */
    readonly budget?: BudgetSpec;
    /** Faults of messages and evictions, injected before. By default none. */
    readonly before?: readonly FaultSpec[];
    /** Number of interrupted instances, if each has one pod and is replaced once: then there are as many nodes as pods. */
    readonly replaced?: number;
    readonly interruption: FaultSpec;
  },
): Scenario {
  const { replicas, budget, before = [], replaced, interruption, ...head } = options;
  return scenario({
    ...head,
    features: ['spot', 'interruption'],
    pools: replaced === undefined ? SPOT : ONE_SIZE,
    faults: { before, interruption },
    async run(t) {
      if (replaced !== undefined) t.expect.launchedAtMost(replicas + replaced);
      const web = await serve(t, 'recover', { kind: 'Deployment', replicas, budget }, 'provision');
      for (const fault of before) await t.inject(fault);
      await t.injectUntilFired(interruption, 'provision');
      // The two minutes' notice, and the time of the replacements.
      await t.pass('provision', 2);
      await t.untilServed(web, 'recover');
    },
  });
}

/** As if another drain had used up the budget: two refusals, with time left. Deleting unprotected pods never triggers it. */
const REFUSED_AT_FIRST = mayFire(faults.blockedEviction({ when: first(2) }));

export const oneWarning = interrupted({
  id: 'interruption/one-warning',
  title: 'one of five spot instances is interrupted: its pods are evicted in time, and eviction is retried when it is refused',
  requirements: ['INT-01', 'INT-02', 'INT-03', 'LEK-05'],
  replicas: 5,
  before: [REFUSED_AT_FIRST],
  interruption: faults.spotInterruption({ count: 1 }),
});

export const rebalanceFirst = interrupted({
  id: 'interruption/rebalance-first',
  title:
    'a rebalance recommendation arrives before the interruption warning, each of them twice: every pod is served, and each node is replaced once',
  requirements: ['INT-01', 'INT-02', 'MSG-01'],
  replicas: 4,
  replaced: 2,
  interruption: faults.spotInterruption({ count: 2, rebalance: 'before', rebalanceBeforeMs: 60_000, message: 'duplicated' }),
});

export const manyAtOnce = interrupted({
  id: 'interruption/many-at-once',
  title: 'all ten spot instances are interrupted at once: every node is drained in time, and every pod runs again',
  requirements: ['INT-01', 'INT-02', 'INT-03', 'INT-05'],
  replicas: 10,
  interruption: faults.spotInterruption({}),
});

export const lateWarning = interrupted({
  id: 'interruption/late-warning',
  title: 'the interruption warning arrives after the instance is gone: each node is replaced once, and its pods run again',
  requirements: ['MSG-02'],
  replicas: 4,
  replaced: 2,
  interruption: faults.spotInterruption({ count: 2, message: 'late' }),
});

export const lostWarning = interrupted({
  id: 'interruption/lost-warning',
  title: 'the interruption warning never arrives: the dead nodes are detected anyway, and their pods run again',
  requirements: ['MSG-03'],
  replicas: 4,
  interruption: faults.spotInterruption({ count: 2, message: 'lost' }),
});

export const withinBudget = interrupted({
  id: 'interruption/within-budget',
  title: 'pods protected by a PodDisruptionBudget run on interrupted instances: they are evicted within their budget, never deleted',
  requirements: ['INT-04'],
  replicas: 6,
  budget: { maxUnavailable: 1 },
  interruption: faults.spotInterruption({ count: 2 }),
});

export const malformedAndForeignMessages = interrupted({
  id: 'interruption/malformed-and-foreign-messages',
  title: 'malformed, unknown and foreign messages are queued ahead of an interruption warning: the warning is still acted on in time',
  requirements: ['MSG-04'],
  replicas: 4,
  before: [
    faults.strayMessages({ what: 'malformed' }),
    faults.strayMessages({ what: 'unknown' }),
    faults.strayMessages({ what: 'foreign' }),
  ],
  interruption: faults.spotInterruption({ count: 1 }),
});

/** Late, but in time for an autoscaler that needs at most the thirty seconds of the bound. */
const LATE_MS = 45_000;
/** Later than the warning that it should have preceded. */
const OVERTAKEN_MS = 75_000;

export const duplicateAndLateMessages = interrupted({
  id: 'interruption/duplicate-and-late-messages',
  title:
    'every message arrives three times, two of the warnings arrive late, and the recommendations arrive after the warnings: each node is replaced once',
  requirements: ['MSG-01', 'MSG-02'],
  replicas: 6,
  replaced: 4,
  before: [
    faults.queuePerturbation({ what: 'duplicate', copies: 3 }),
    faults.queuePerturbation({ what: 'delay', kinds: ['spot-interruption'], count: 2, delayMs: LATE_MS }),
    faults.queuePerturbation({ what: 'delay', kinds: ['rebalance'], delayMs: OVERTAKEN_MS }),
  ],
  interruption: faults.spotInterruption({ count: 4, rebalance: 'with' }),
});

/** Longer than the twenty seconds of a long poll, and short enough to leave time to act within the two minutes. */
const OUTAGE = { minMs: 25_000, maxMs: 50_000 } as const;

export const queueOutage = scenario({
  id: 'interruption/queue-outage',
  title: 'the queue is down in the middle of many interruptions: the warnings in it are acted on once it is back',
  requirements: ['MSG-05'],
  features: ['spot', 'interruption'],
  pools: SPOT,
  faults: {
    some: faults.spotInterruption({ count: 3 }),
    noQueue: faults.queueOutage({ how: 'unavailable' }),
    more: faults.spotInterruption({ count: 4 }),
  },
  async run(t, { some, noQueue, more }) {
    const web = await serve(t, 'recover', { replicas: 8 }, 'provision');
    await t.injectUntilFired(some, 'provision');
    const outage = await t.inject(noQueue);
    await t.injectUntilFired(more, 'provision');
    await t.pause(OUTAGE);
    await outage.heal();
    await t.pass('provision', 2);
    await t.untilServed(web, 'recover');
  },
});

/** Much longer than a long poll takes, and than a client should wait for its answer. */
const GIVEN_UP = { minMs: 300_000, maxMs: 300_000 } as const;
/** Longer than the trial. */
const NEVER_MS = 86_400_000;

export const unansweredReceive = scenario({
  id: 'interruption/unanswered-receive',
  title: 'a request for messages is never answered: after a few minutes its sender has given it up, and a warning is acted on',
  requirements: ['MSG-06'],
  features: ['spot', 'interruption'],
  pools: SPOT,
  faults: {
    silence: faults.slowAnswer({ operations: ['sqs:ReceiveMessage'], delayMs: NEVER_MS }),
    interruption: faults.spotInterruption({ count: 1 }),
  },
  async run(t, { silence, interruption }) {
    const web = await serve(t, 'recover', { kind: 'Deployment', replicas: 3 }, 'provision');
    await t.injectUntilFired(silence, 'provision');
    await t.pause(GIVEN_UP);
    await t.injectUntilFired(interruption, 'provision');
    // A reader may stay away for as long again, and the heal would wake it.
    await t.pause(GIVEN_UP);
    await t.pass('interruption', 2);
    await t.untilServed(web, 'recover');
  },
});

export const scheduledChange = scenario({
  id: 'interruption/scheduled-change',
  title: 'AWS will retire the hosts of all nodes in two weeks: the nodes are drained in good time, within the budgets of their pods',
  requirements: ['INT-07'],
  features: ['interruption', 'maintenance'],
  pools: NODE_POOLS,
  faults: { retirement: faults.scheduledChange({}) },
  async run(t, { retirement }) {
    const web = await serve(t, 'recover', { kind: 'Deployment', replicas: 3, budget: { maxUnavailable: 1 } }, 'provision');
    const announced = await t.inject(retirement);
    // The pods move one after the other to a node that is not being retired.
    t.expect.emptied('replacement');
    await t.untilFired(announced, 'provision');
    await t.pass('replacement');
    await t.untilServed(web, 'recover');
  },
});

export const beforeRegistration = scenario({
  id: 'interruption/before-registration',
  title: 'two spot instances are interrupted before they register: no launch is lost and no instance leaks',
  requirements: ['INT-06'],
  features: ['spot', 'interruption'],
  pools: SPOT,
  under: [faults.spotInterruption({ count: 2, moment: 'before-registration', noticeMs: 5_000 })],
  run: (t) => serve(t, 'recover', { replicas: 4 }),
});

/** Both fit on one node. */
const SMALL = { cpu: '500m', memory: '512Mi' } as const;

/** Found by the explorer in the reference and in Karpenter 1.14.1: https://github.com/kubernetes-sigs/karpenter/issues/2217 */
export const criticalBesideOptedOut = scenario({
  id: 'interruption/critical-beside-opted-out',
  title: 'a critical pod is on an interrupted instance beside one that opted out of disruption: it is asked to leave in time',
  requirements: ['INT-02'],
  features: ['spot', 'interruption', 'do-not-disrupt'],
  pools: [pool('default', { capacityTypes: ['spot'], instanceTypes: NODE_TYPES })],
  faults: { interruption: faults.spotInterruption({ count: 1 }) },
  async run(t, { interruption }) {
    await serve(t, 'provision', { name: 'critical', replicas: 1, ...SMALL, priorityClassName: 'system-cluster-critical' });
    await serve(t, 'provision', { name: 'job', replicas: 1, ...SMALL, annotations: OPTED_OUT });
    await t.injectUntilFired(interruption, 'provision');
    // The two minutes' notice, and the time of the replacements.
    await t.pass('provision', 2);
  },
});

export const secondTerminationHandler = scenario({
  id: 'interruption/second-termination-handler',
  title: 'another termination handler also drains interrupted nodes: each node is replaced once',
  requirements: ['INT-03', 'INT-04', 'INT-11'],
  features: ['spot', 'interruption'],
  // One size, so that there are as many nodes as pods.
  pools: ONE_SIZE,
  faults: { drainer: faults.secondHandler({}), interruption: faults.spotInterruption({ count: 3 }) },
  async run(t, { drainer, interruption }) {
    // They stop slowly: for a while terminating pods and their replacements exist together.
    const ending = endingSlowly({ seconds: 20, graceSeconds: 60 });
    const web = await t.deploy({ kind: 'Deployment', replicas: 6, ...ending, budget: { maxUnavailable: 2 } });
    t.expect.served(web, 'recover');
    // Each pod fills a node, and so do the three replacements.
    t.expect.launchedAtMost(6 + 3);
    await t.untilServed(web, 'provision');
    const handler = await t.inject(drainer);
    await t.inject(interruption);
    await t.untilFired(handler, 'provision');
    // The two minutes' notice, and the time of the replacements.
    await t.pass('provision', 2);
    await t.untilServed(web, 'recover');
  },
});

export const duringLaunch = scenario({
  id: 'interruption/during-launch',
  title: 'spot instances are interrupted before their launch is answered: the notices are acted on, and every pod is served',
  requirements: ['INT-02', 'INT-06'],
  features: ['spot', 'interruption'],
  capabilities: ['spot.interrupt', 'wire.aws'],
  pools: [pool('spot', { capacityTypes: ['spot', 'on-demand'], instanceTypes: [...NODE_TYPES, 'c6i.xlarge'] })],
  faults: { interruption: faults.spotInterruption({ count: 2, moment: 'pending' }) },
  async run(t, { interruption }) {
    const delayMs = t.random.int(1, 8_000);
    await t.inject(faults.slowAnswer({ operations: LAUNCHES, when: always, delayMs }));
    await t.inject(interruption);
    await serve(t, 'recover', { replicas: 4 });
    // The two minutes of the notice.
    await t.pass('provision', 2);
  },
});

export const noticesBeforeRecords = scenario({
  id: 'interruption/notices-before-records',
  title: 'most spot instances of one launch are interrupted while the autoscaler still records them: each notice is acted on',
  requirements: ['INT-01', 'INT-02', 'INT-06'],
  features: ['spot', 'interruption'],
  pools: ONE_SIZE,
  faults: { interruption: faults.spotInterruption({ count: 6, moment: 'pending' }) },
  async run(t, { interruption }) {
    await t.inject(interruption);
    await serve(t, 'recover', { replicas: 8 });
    // The two minutes of the notice.
    await t.pass('provision', 2);
  },
});

export const fallbackAfterInterruption = scenario({
  id: 'interruption/fallback-after-interruption',
  title: "a pool's only spot offering is interrupted, and more capacity is needed soon after: the pool falls back to on-demand",
  requirements: ['INT-05'],
  features: ['spot', 'interruption'],
  pools: [pool('spot', { capacityTypes: ['spot', 'on-demand'], instanceTypes: ['m6i.large'], zones: ['us-east-1a'] })],
  faults: { interruption: faults.spotInterruption({ count: 1 }) },
  async run(t, { interruption }) {
    const web = await serve(t, 'provision', { kind: 'Deployment', replicas: 2 });
    t.expect.served(web, 'recover');
    await t.injectUntilFired(interruption, 'provision');
    // Longer than a notice may wait for a reaction, and as long as what was taken back is to be left alone.
    const minMs = 40_000;
    await t.pause({ minMs, maxMs: Math.max(minMs, t.constants.unavailableOfferingMs - t.lengthMs('launch-lag')) });
    await t.scale(web, 4);
    await t.pass('provision', 2);
    await t.untilServed(web, 'recover');
  },
});

export const namedByInstance = interrupted({
  id: 'interruption/named-by-instance',
  title: 'spot nodes are named by instance id and one is interrupted: it is drained in time, and replaced once',
  requirements: ['REG-11', 'INT-01', 'INT-02'],
  under: [faults.instanceIdHostnames({})],
  replicas: 3,
  replaced: 1,
  interruption: faults.spotInterruption({ count: 1 }),
});
