import { faults } from '../faults/catalogue.ts';
import { mayFire } from '../faults/fault.ts';
import type { FaultSpec } from '../faults/fault.ts';
import { LAUNCHES } from '../faults/operations.ts';
import { scenario } from '../harness/scenario.ts';
import type { Trial } from '../harness/scenario.ts';
import { NODE_POOLS, servedAfterHeal } from '../harness/shapes.ts';
import { scaleToNone, serve } from '../harness/steps.ts';
import { comeAndGo, comeOnceAndGo, comeStayAndGo } from './parts.ts';

/** A kind of object is seen so late. Who lists again and again instead of watching, and never from the cache, is never shown the past. */
const lag = (kind: string, lagMs: number): FaultSpec => mayFire(faults.watchLag({ resources: [kind], lagMs }));

// Lags are longer than it takes to launch, and shorter than the patience of anybody who waits for news.

export const stalePods = scenario({
  id: 'staleness/stale-pods',
  title: 'pods are seen twenty seconds late and nodes without delay: nothing is launched twice',
  requirements: ['STL-03'],
  pools: NODE_POOLS,
  under: [lag('pods', 20_000)],
  run: comeOnceAndGoLate,
});

export const staleNodes = scenario({
  id: 'staleness/stale-nodes',
  title: 'nodes are seen forty seconds late and pods without delay: nothing is launched for pods that already have a node',
  requirements: ['STL-03'],
  pools: NODE_POOLS,
  under: [lag('nodes', 40_000)],
  run: comeOnceAndGoLate,
});

export const staleCaches = scenario({
  id: 'staleness/stale-caches',
  title: 'each kind of object is seen with a different delay: the autoscaler does not repeat what it has just written',
  requirements: ['STL-03'],
  pools: NODE_POOLS,
  // The last is whatever is watched besides, objects of the autoscaler's own among it.
  under: [lag('pods', 20_000), lag('nodes', 30_000), lag('*', 10_000)],
  run: comeOnceAndGoLate,
});

/** Five nodes come, and no more, and go in time of their own. */
async function comeOnceAndGoLate(t: Trial): Promise<void> {
  t.expect.launchedAtMost(5);
  await comeAndGo(t);
}

/** Here the lag is longer than the patience of whoever gives up nodes after a quarter of an hour. */
export const readyUnseen = scenario({
  id: 'staleness/ready-unseen',
  title: 'nodes become ready after minutes, and that is seen ten minutes later: they stay, with their pods',
  requirements: ['STL-08'],
  pools: NODE_POOLS,
  faults: { unready: faults.neverReady({}), late: lag('nodes', 600_000) },
  async run(t, { unready, late }) {
    const broken = await t.inject(unready);
    const web = await t.deploy({ replicas: 2, truth: servedAfterHeal('its nodes are not ready at first') });
    await t.untilFired(broken, 'provision');
    await t.pass('launch-lag');
    // Whoever writes to new Nodes has done so, and knows them as they were then.
    const unseen = await t.inject(late);
    await t.pass('provision', 4.5);
    await broken.heal();
    await t.untilServed(web, 'recover');
    t.expect.neverWithoutNode(web);
    await t.pass('registration');
    await unseen.heal();
  },
});

export const closedWatches = scenario({
  id: 'staleness/closed-watches',
  title: 'all watches are closed every ten seconds while nodes come and go: no change is missed',
  requirements: ['STL-04'],
  pools: NODE_POOLS,
  under: [mayFire(faults.closedWatches({ periodMs: 10_000 }))],
  run: comeOnceAndGo,
});

export const expiredWatches = scenario({
  id: 'staleness/expired-watches',
  title: 'watches end with 410 every thirty seconds, and the next list comes from a stale cache: nothing is lost or done twice',
  requirements: ['STL-04'],
  pools: NODE_POOLS,
  // Some of them are open already when the cache falls behind: they have seen more than it will list.
  under: [mayFire(faults.watchLag({ lagMs: 8_000 })), mayFire(faults.closedWatches({ expired: true, periodMs: 30_000 }))],
  // Who is told again and again that its watch has expired waits longer each time before it lists: client-go's reflectors up to a minute.
  // Source: client-go, `tools/cache/reflector.go` (30 s, with up to as much added at random).
  run: comeOnceAndGoLate,
});

/** A cache that is older is taken out of service. */
const LONGEST_LAG_MS = 300_000;

export const restartedWithStaleList = scenario({
  id: 'staleness/restarted-with-stale-list',
  title:
    'the autoscaler restarts and reads a pod list that is minutes old: no node in use is treated as empty, and nothing new is launched',
  requirements: ['STL-05', 'STL-03'],
  capabilities: ['watch.perturb', 'target.kill'],
  pools: NODE_POOLS,
  async run(t) {
    t.expect.launchedAtMost(5);
    const web = await serve(t, 'provision', { replicas: 5 });
    // Longer than a node has to be empty: who believes in the list ends nodes that are in use.
    const lagMs = Math.min(LONGEST_LAG_MS, t.constants.emptyAfterMs + 30_000);
    await t.inject(lag('pods', lagMs));
    await t.restartTarget();
    await t.kept('scale-in');
    await t.untilServed(web, 'recover');
  },
});

/** Longer than an instance may be without a record: who believes in its cache ends what it has launched and recorded itself. */
const RECORDS_LAG_MS = 60_000;

export const restartedWithStaleRecords = scenario({
  id: 'staleness/restarted-with-stale-records',
  title:
    'the autoscaler restarts and reads a list of its own records from before its launches: no instance is taken for a leak, and pods keep their nodes',
  requirements: ['STL-09', 'STL-05'],
  capabilities: ['watch.perturb', 'target.kill'],
  pools: NODE_POOLS,
  async run(t) {
    t.expect.launchedAtMost(5);
    const web = await serve(t, 'provision', { replicas: 5 });
    await t.inject(lag('nodeclaims', RECORDS_LAG_MS));
    await t.restartTarget();
    await t.kept('scale-in');
    await t.untilServed(web, 'recover');
  },
});

export const staleRecords = scenario({
  id: 'staleness/stale-records',
  title: 'the autoscaler sees its own records a minute late: no instance is taken for a leak, and pods keep their nodes',
  requirements: ['STL-09', 'STL-03'],
  pools: NODE_POOLS,
  under: [lag('nodeclaims', RECORDS_LAG_MS)],
  async run(t) {
    t.expect.launchedAtMost(5);
    const web = await serve(t, 'recover', { replicas: 5 });
    await t.kept('scale-in');
    await t.untilServed(web, 'recover');
  },
});

export const killedWithStaleList = scenario({
  id: 'staleness/killed-with-stale-list',
  title: 'the autoscaler is killed right after a launch and restarts with a stale cache: it finds what it launched, and no instance leaks',
  requirements: ['STL-04', 'CRA-01', 'CRA-02'],
  pools: NODE_POOLS,
  under: [mayFire(faults.watchLag({ lagMs: 20_000 })), faults.crash({ operations: LAUNCHES, moment: 'after', applied: true })],
  run: async (t) => scaleToNone(t, await serve(t, 'recover', { replicas: 5 })),
});

/** Most of the five minutes of which EC2 speaks. */
const LATE_READS_MS = 200_000;

export const staleDescriptions = scenario({
  id: 'staleness/stale-descriptions',
  title: 'EC2 shows changes minutes late while nodes come, stay and go: no instance is treated as lost, and all are terminated in the end',
  requirements: ['STL-01'],
  pools: NODE_POOLS,
  under: [faults.staleReads({ maxMs: LATE_READS_MS, resources: ['instances'] })],
  run: comeStayAndGo,
});
