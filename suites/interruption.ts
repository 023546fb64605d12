import { faults } from '../faults/catalogue.ts';
import { specify } from '../faults/fault.ts';
import type { FaultSpec } from '../faults/fault.ts';
import { pool, scenario } from '../harness/scenario.ts';
import type { BudgetSpec, Scenario } from '../harness/scenario.ts';
import { STOP_SECONDS_ANNOTATION } from '../model/kube.ts';
import { NODE_POOLS, NODE_SIZED, NODE_TYPES, serve } from './parts.ts';

const SPOT = [pool('spot', { capacityTypes: ['spot', 'on-demand'], instanceTypes: [...NODE_TYPES, 'c6i.xlarge'] })];

/** Spot instances run pods that fill one each, and are taken back. */
function interrupted(options: {
  readonly id: string;
  readonly title: string;
  readonly requirements: readonly string[];
  readonly replicas: number;
  /** Over the pods; by default none. */
  readonly budget?: BudgetSpec;
  /** What stands in the way of the messages, armed before. By default nothing. */
  readonly before?: readonly FaultSpec[];
  /** What stands in the way of evictions, armed before. By default nothing. Who deletes pods that no budget protects never meets it. */
  readonly refusals?: readonly FaultSpec[];
  /** Instances that are taken, where each has one pod and is replaced once: pods and nodes are as many then. */
  readonly replaced?: number;
  readonly fault: FaultSpec;
}): Scenario {
  const { before = [], refusals = [], budget } = options;
  return scenario({
    id: options.id,
    title: options.title,
    requirements: options.requirements,
    profile: 'extended',
    features: ['spot', 'interruption'],
    capabilities: ['spot.interrupt', ...new Set([...before, ...refusals].flatMap(({ capabilities }) => capabilities))],
    pools: options.replaced === undefined ? SPOT : [pool('spot', { capacityTypes: ['spot', 'on-demand'], instanceTypes: NODE_TYPES })],
    async run(t) {
      if (options.replaced !== undefined) t.expect.launchedAtMost(options.replicas + options.replaced);
      const web = await t.deploy({ name: 'web', kind: 'Deployment', replicas: options.replicas, ...NODE_SIZED });
      if (budget !== undefined) await t.protect(web, budget);
      t.expect.served(web, 'recover');
      await t.untilServed(web, 'provision');
      for (const fault of before) await t.inject(fault);
      for (const fault of refusals) await t.inject(fault, 'may-fire');
      const taken = await t.inject(options.fault);
      await t.untilFired(taken, 'provision');
      // The two minutes of the notice, and the time of the replacements.
      await t.pass('provision', 2);
      await t.untilServed(web, 'recover');
    },
  });
}

/** As for a budget that another drain has used up: two refusals, and there is time left. */
const REFUSED_AT_FIRST = specify(faults.blockedEviction, { when: { kind: 'first', count: 2 } });

export const oneWarning = interrupted({
  id: 'interruption/one-warning',
  title: 'one of five spot instances is taken back: its pods are asked to leave in time, and again when that is refused',
  requirements: ['INT-01', 'INT-02', 'INT-03', 'LEK-05'],
  replicas: 5,
  refusals: [REFUSED_AT_FIRST],
  fault: specify(faults.spotInterruption, { count: 1 }),
});

export const rebalanceFirst = interrupted({
  id: 'interruption/rebalance-first',
  title: 'a rebalance recommendation comes first, then the warning, each of them twice',
  requirements: ['INT-01', 'INT-02', 'MSG-01'],
  replicas: 4,
  replaced: 2,
  fault: specify(faults.spotInterruption, { count: 2, rebalance: 'before', rebalanceBeforeMs: 60_000, message: 'duplicated' }),
});

export const manyAtOnce = interrupted({
  id: 'interruption/many-at-once',
  title: 'spot ends everywhere at once: all of ten instances are taken back in one moment',
  requirements: ['INT-01', 'INT-02', 'INT-03', 'INT-05'],
  replicas: 10,
  fault: specify(faults.spotInterruption, {}),
});

export const lateWarning = interrupted({
  id: 'interruption/late-warning',
  title: 'the warning comes after the instance is gone: nothing is done twice, and the pods are served',
  requirements: ['MSG-02'],
  replicas: 4,
  replaced: 2,
  fault: specify(faults.spotInterruption, { count: 2, message: 'late' }),
});

export const lostWarning = interrupted({
  id: 'interruption/lost-warning',
  title: 'the warning never comes: the dead node is found out otherwise',
  requirements: ['MSG-03'],
  replicas: 4,
  fault: specify(faults.spotInterruption, { count: 2, message: 'lost' }),
});

export const withinBudget = interrupted({
  id: 'interruption/within-budget',
  title: 'protected pods run on interrupted instances: they are evicted as their budget allows, never deleted',
  requirements: ['INT-04'],
  replicas: 6,
  budget: { maxUnavailable: 1 },
  fault: specify(faults.spotInterruption, { count: 2 }),
});

export const strayMessages = interrupted({
  id: 'interruption/stray-messages',
  title: 'messages that are malformed, unknown or about instances of others stand before a warning: it is acted on all the same',
  requirements: ['MSG-04'],
  replicas: 4,
  before: [
    specify(faults.strayMessages, { what: 'malformed' }),
    specify(faults.strayMessages, { what: 'unknown' }),
    specify(faults.strayMessages, { what: 'foreign' }),
  ],
  fault: specify(faults.spotInterruption, { count: 1 }),
});

/** Late, and in time for whoever needs no more than the thirty seconds of the bound. */
const LATE_MS = 45_000;
/** Later than the warning that it should have come with. */
const OVERTAKEN_MS = 75_000;

export const perturbedQueue = interrupted({
  id: 'interruption/perturbed-queue',
  title: 'every message comes three times, two warnings late, and the recommendations after the warnings: each is acted on once',
  requirements: ['MSG-01', 'MSG-02'],
  replicas: 6,
  replaced: 4,
  before: [
    specify(faults.queuePerturbation, { what: 'duplicate', copies: 3 }),
    specify(faults.queuePerturbation, { what: 'delay', kinds: ['spot-interruption'], count: 2, delayMs: LATE_MS }),
    specify(faults.queuePerturbation, { what: 'delay', kinds: ['rebalance'], delayMs: OVERTAKEN_MS }),
  ],
  fault: specify(faults.spotInterruption, { count: 4, rebalance: 'with' }),
});

/** Longer than the twenty seconds of a poll that has begun, and short enough to leave time to act in the two minutes. */
const OUTAGE = { minMs: 25_000, maxMs: 50_000 } as const;

export const queueOutage = scenario({
  id: 'interruption/queue-outage',
  title: 'the queue is away for a while in the middle of a storm of warnings: what waits in it is acted on once it is back',
  requirements: ['MSG-05'],
  profile: 'extended',
  features: ['spot', 'interruption'],
  capabilities: ['spot.interrupt', 'wire.aws'],
  pools: SPOT,
  async run(t) {
    const web = await t.deploy({ name: 'web', replicas: 8, ...NODE_SIZED });
    t.expect.served(web, 'recover');
    await t.untilServed(web, 'provision');
    const some = await t.inject(specify(faults.spotInterruption, { count: 3 }));
    await t.untilFired(some, 'provision');
    const outage = await t.inject(specify(faults.queueOutage, { how: 'unavailable' }));
    const more = await t.inject(specify(faults.spotInterruption, { count: 4 }));
    await t.untilFired(more, 'provision');
    await t.pause(OUTAGE);
    await outage.heal();
    await t.pass('provision', 2);
    await t.untilServed(web, 'recover');
  },
});

export const scheduledChange = scenario({
  id: 'interruption/scheduled-change',
  title: 'the hosts of all nodes will be retired in two weeks: their protected pods move in good time, none by force',
  requirements: ['INT-07'],
  profile: 'extended',
  features: ['interruption', 'maintenance'],
  capabilities: ['queue.perturb'],
  pools: NODE_POOLS,
  async run(t) {
    const web = await t.deploy({ name: 'web', kind: 'Deployment', replicas: 3, ...NODE_SIZED });
    await t.protect(web, { maxUnavailable: 1 });
    t.expect.served(web, 'recover');
    await t.untilServed(web, 'provision');
    const announced = await t.inject(specify(faults.scheduledChange, {}));
    // One pod after the other gets its place on a node that is not to be retired.
    t.expect.emptied('replacement');
    await t.untilFired(announced, 'provision');
    await t.pass('replacement');
    await t.untilServed(web, 'recover');
  },
});

export const beforeRegistration = scenario({
  id: 'interruption/before-registration',
  title: 'spot instances are taken back before they have registered: no launch is lost, no instance is left',
  requirements: ['INT-06'],
  profile: 'extended',
  features: ['spot', 'interruption'],
  capabilities: ['spot.interrupt'],
  pools: SPOT,
  async run(t) {
    await t.inject(specify(faults.spotInterruption, { count: 2, moment: 'before-registration', noticeMs: 5_000 }));
    await serve(t, 'recover', { replicas: 4 });
  },
});

export const secondHandler = scenario({
  id: 'interruption/second-handler',
  title: 'a termination handler of somebody else drains the interrupted nodes as well: each of them is replaced once',
  requirements: ['INT-03', 'INT-04', 'INT-11'],
  profile: 'extended',
  features: ['spot', 'interruption'],
  capabilities: ['spot.interrupt'],
  // Of one size, so that pods and nodes are as many.
  pools: [pool('spot', { capacityTypes: ['spot', 'on-demand'], instanceTypes: NODE_TYPES })],
  async run(t) {
    // They take their time to end: for a while those that leave are there beside those that come for them.
    const ending = { graceSeconds: 60, annotations: { [STOP_SECONDS_ANNOTATION]: '20' } };
    const web = await t.deploy({ name: 'web', kind: 'Deployment', replicas: 6, ...NODE_SIZED, ...ending });
    await t.protect(web, { maxUnavailable: 2 });
    t.expect.served(web, 'recover');
    // Each pod fills a node, and so do the three that lose theirs.
    t.expect.launchedAtMost(6 + 3);
    await t.untilServed(web, 'provision');
    const handler = await t.inject(specify(faults.secondHandler, {}));
    await t.inject(specify(faults.spotInterruption, { count: 3 }));
    await t.untilFired(handler, 'provision');
    // The two minutes of the notice, and the time of the replacements.
    await t.pass('provision', 2);
    await t.untilServed(web, 'recover');
  },
});
