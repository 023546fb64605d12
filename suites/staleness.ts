import { faults } from '../faults/catalogue.ts';
import { specify } from '../faults/fault.ts';
import { scenario } from '../harness/scenario.ts';
import type { Scenario } from '../harness/scenario.ts';
import { LAUNCHES, NODE_POOLS, scaleToNone, serve } from './parts.ts';

/** Who lists again and again instead of watching, and never from the cache, is never shown the past. */
const WHO_WATCHES = 'may-fire';

/**
 * What is seen so late, by its kind: longer than it takes to launch, shorter than the patience of anybody who waits for news.
 * `*` is whatever is watched besides, objects of the autoscaler's own among it.
 */
type Lags = Readonly<Partial<Record<'pods' | 'nodes' | '*', number>>>;

/** Lets kinds of objects be seen late while nodes come and go: nothing is forgotten, and nothing is launched twice. */
function seenLate(options: { readonly id: string; readonly title: string; readonly lags: Lags }): Scenario {
  return scenario({
    id: options.id,
    title: options.title,
    requirements: ['STL-03'],
    capabilities: ['watch.perturb'],
    pools: NODE_POOLS,
    async run(t) {
      for (const [kind, lagMs] of Object.entries(options.lags)) {
        await t.inject(specify(faults.watchLag, { resources: [kind], lagMs }), WHO_WATCHES);
      }
      t.expect.launchedAtMost(5);
      const web = await serve(t, 'recover', { replicas: 5 });
      await t.scale(web, 0);
      await t.untilEmpty('settle');
    },
  });
}

export const podsSeenLate = seenLate({
  id: 'staleness/pods-seen-late',
  title: 'pods are seen twenty seconds late and nodes at once: none is served twice',
  lags: { pods: 20_000 },
});

export const nodesSeenLate = seenLate({
  id: 'staleness/nodes-seen-late',
  title: 'nodes are seen forty seconds late and pods at once: nothing is launched again for pods whose node is there',
  lags: { nodes: 40_000 },
});

export const allSeenLate = seenLate({
  id: 'staleness/all-seen-late',
  title: 'each kind of object is seen late by another time: what was just written oneself is not done again',
  lags: { pods: 20_000, nodes: 30_000, '*': 10_000 },
});

export const closedWatches = scenario({
  id: 'staleness/closed-watches',
  title: 'all watches are closed every ten seconds while nodes come and go: what changed meanwhile is seen',
  requirements: ['STL-04'],
  capabilities: ['watch.perturb'],
  pools: NODE_POOLS,
  async run(t) {
    await t.inject(specify(faults.closedWatches, { periodMs: 10_000 }), WHO_WATCHES);
    t.expect.launchedAtMost(5);
    await scaleToNone(t, await serve(t, 'recover', { replicas: 5 }));
  },
});

export const expiredWatches = scenario({
  id: 'staleness/expired-watches',
  title: 'watches end with 410 every half a minute, and what is listed then is from a cache that is behind: nothing is lost or done twice',
  requirements: ['STL-04'],
  capabilities: ['watch.perturb'],
  pools: NODE_POOLS,
  async run(t) {
    // Some of them are open already when the cache falls behind: they have seen more than it will list.
    await t.inject(specify(faults.watchLag, { lagMs: 8_000 }), WHO_WATCHES);
    await t.inject(specify(faults.closedWatches, { expired: true, periodMs: 30_000 }), WHO_WATCHES);
    t.expect.launchedAtMost(5);
    await scaleToNone(t, await serve(t, 'recover', { replicas: 5 }));
  },
});

/** A cache that is older is taken out of service. */
const LONGEST_LAG_MS = 300_000;

export const restartedIntoThePast = scenario({
  id: 'staleness/restarted-into-the-past',
  title: 'restarted while every node is in use, it is shown the pods of minutes ago: no node is taken for empty, and none launched anew',
  requirements: ['STL-05', 'STL-03'],
  capabilities: ['watch.perturb', 'target.kill'],
  pools: NODE_POOLS,
  async run(t) {
    t.expect.launchedAtMost(5);
    const web = await serve(t, 'provision', { replicas: 5 });
    // Longer than a node has to be empty: who believes in the list ends nodes that are in use.
    const lagMs = Math.min(LONGEST_LAG_MS, t.constants.emptyAfterMs + 30_000);
    await t.inject(specify(faults.watchLag, { resources: ['pods'], lagMs }), WHO_WATCHES);
    await t.restartTarget();
    t.expect.kept('scale-in');
    await t.pass('scale-in');
    await t.untilServed(web, 'recover');
  },
});

export const killedIntoThePast = scenario({
  id: 'staleness/killed-into-the-past',
  title: 'killed right after a launch, it comes up and is shown how things were before: what it launched is found, and nothing of it stays',
  requirements: ['STL-04', 'CRA-01', 'CRA-02'],
  capabilities: ['watch.perturb', 'target.kill'],
  pools: NODE_POOLS,
  async run(t) {
    await t.inject(specify(faults.watchLag, { lagMs: 20_000 }), WHO_WATCHES);
    await t.inject(specify(faults.crash, { operations: LAUNCHES, moment: 'after', applied: true }));
    await scaleToNone(t, await serve(t, 'recover', { replicas: 5 }));
  },
});

/** Most of the five minutes of which EC2 speaks. */
const LATE_READS_MS = 200_000;

export const lateDescriptions = scenario({
  id: 'staleness/late-descriptions',
  title: 'EC2 shows changes minutes late while nodes come, stay and go: nothing that was launched is taken for lost, and all of it ends',
  requirements: ['STL-01'],
  capabilities: ['reads.stale'],
  pools: NODE_POOLS,
  async run(t) {
    await t.inject(specify(faults.staleReads, { maxMs: LATE_READS_MS, resources: ['instances'] }));
    t.expect.launchedAtMost(5);
    const web = await serve(t, 'recover', { replicas: 5 });
    await t.pass('node-without-instance');
    await scaleToNone(t, web);
  },
});
