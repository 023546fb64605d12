import { faults } from '../faults/catalogue.ts';
import { specify } from '../faults/fault.ts';
import type { FaultSpec } from '../faults/fault.ts';
import { pool, scenario } from '../harness/scenario.ts';
import type { Scenario } from '../harness/scenario.ts';

const SPOT = [pool('spot', { capacityTypes: ['spot', 'on-demand'], instanceTypes: ['m6i.large', 'm6a.large', 'm7i.large', 'c6i.xlarge'] })];
/** A pod of this size fills a node. */
const NODE_SIZED = { cpu: '1500m', memory: '2Gi' } as const;

/** Spot instances run pods, and are taken back. */
function interrupted(options: {
  readonly id: string;
  readonly title: string;
  readonly replicas: number;
  readonly fault: (t: Parameters<Scenario['run']>[0]) => FaultSpec;
}): Scenario {
  return scenario({
    id: options.id,
    title: options.title,
    profile: 'extended',
    features: ['spot', 'interruption'],
    capabilities: ['spot.interrupt'],
    pools: SPOT,
    async run(t) {
      const web = await t.deploy({ name: 'web', replicas: options.replicas, ...NODE_SIZED });
      t.expect.served(web, 'recover');
      await t.untilServed(web, 'provision');
      const taken = await t.inject(options.fault(t));
      await t.untilFired(taken, 'provision');
      // The two minutes of the notice, and the time of the replacements.
      await t.pass('provision', 2);
      await t.untilServed(web, 'recover');
    },
  });
}

export const oneWarning = interrupted({
  id: 'interruption/one-warning',
  title: 'one of five spot instances is taken back: its pods are asked to leave in time',
  replicas: 5,
  fault: () => specify(faults.spotInterruption, { count: 1 }),
});

export const rebalanceFirst = interrupted({
  id: 'interruption/rebalance-first',
  title: 'a rebalance recommendation comes first, then the warning, each of them twice',
  replicas: 4,
  fault: () => specify(faults.spotInterruption, { count: 2, rebalance: 'before', rebalanceBeforeMs: 60_000, message: 'duplicated' }),
});

export const manyAtOnce = interrupted({
  id: 'interruption/many-at-once',
  title: 'spot ends everywhere at once: all of ten instances are taken back in one moment',
  replicas: 10,
  fault: () => specify(faults.spotInterruption, {}),
});

export const lateWarning = interrupted({
  id: 'interruption/late-warning',
  title: 'the warning comes after the instance is gone: nothing is done twice, and the pods are served',
  replicas: 4,
  fault: () => specify(faults.spotInterruption, { count: 2, message: 'late' }),
});

export const lostWarning = interrupted({
  id: 'interruption/lost-warning',
  title: 'the warning never comes: the dead node is found out otherwise',
  replicas: 4,
  fault: () => specify(faults.spotInterruption, { count: 2, message: 'lost' }),
});

export const beforeRegistration = scenario({
  id: 'interruption/before-registration',
  title: 'spot instances are taken back before they have registered: no launch is lost, no instance is left',
  profile: 'extended',
  features: ['spot', 'interruption'],
  capabilities: ['spot.interrupt'],
  pools: SPOT,
  async run(t) {
    await t.inject(specify(faults.spotInterruption, { count: 2, moment: 'before-registration', noticeMs: 20_000 }));
    const web = await t.deploy({ name: 'web', replicas: 4, ...NODE_SIZED });
    t.expect.served(web, 'replacement');
    await t.untilServed(web, 'replacement');
  },
});

export const withinBudget = scenario({
  id: 'interruption/within-budget',
  title: 'protected pods run on interrupted instances: they are evicted as their budget allows, never deleted',
  profile: 'extended',
  features: ['spot', 'interruption'],
  capabilities: ['spot.interrupt'],
  pools: SPOT,
  async run(t) {
    const web = await t.deploy({ name: 'web', kind: 'Deployment', replicas: 6, ...NODE_SIZED });
    await t.protect(web, { maxUnavailable: 1 });
    t.expect.served(web, 'recover');
    await t.untilServed(web, 'provision');
    const taken = await t.inject(specify(faults.spotInterruption, { count: 2 }));
    await t.untilFired(taken, 'provision');
    await t.pass('provision', 2);
    await t.untilServed(web, 'recover');
  },
});

export const strayMessages = scenario({
  id: 'interruption/stray-messages',
  title: 'messages that are malformed or about other clusters stand before a warning: it is acted on all the same',
  profile: 'extended',
  features: ['spot', 'interruption'],
  capabilities: ['spot.interrupt', 'queue.perturb'],
  pools: SPOT,
  async run(t) {
    const web = await t.deploy({ name: 'web', replicas: 4, ...NODE_SIZED });
    t.expect.served(web, 'recover');
    await t.untilServed(web, 'provision');
    await t.inject(specify(faults.strayMessages, { what: 'malformed' }));
    await t.inject(specify(faults.strayMessages, { what: 'foreign' }));
    const taken = await t.inject(specify(faults.spotInterruption, { count: 1 }));
    await t.untilFired(taken, 'provision');
    await t.pass('provision', 2);
    await t.untilServed(web, 'recover');
  },
});
