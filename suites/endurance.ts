import { faults } from '../faults/catalogue.ts';
import { pool, scenario } from '../harness/scenario.ts';
import { NODE_POOLS, NODE_TYPES, THIRD_SIZED } from '../harness/shapes.ts';
import { scaleToNone, serve } from '../harness/steps.ts';
import type { Pool } from '../model/catalogue.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const HOURS = 24;
/** Before its memory is judged: caches are full, and some nodes have come and gone. */
const WARM_UP_HOURS = 3;
/** A pool changes and its nodes are replaced, or a new version is rolled out, by turns. */
const CHANGED_EVERY_HOURS = 3;

/** A fifth of the nodes may go at once, and none between nine and ten. Each change of its label makes its nodes drift. */
function busyPool(generation: number): Pool {
  return pool('default', {
    instanceTypes: NODE_TYPES,
    labels: { generation: String(generation) },
    expireAfterMs: 8 * HOUR_MS,
    disruption: {
      consolidation: 'when-empty-or-underutilized',
      budgets: [{ nodes: '20%' }, { nodes: '0', schedule: '0 9 * * *', durationMs: HOUR_MS }],
    },
  });
}

export const soak = scenario({
  id: 'endurance/soak',
  title:
    'a day in which a thousand pods come and go on twenty to forty nodes, with expiry, drift and roll-outs within budgets: all are served, and memory does not grow',
  profile: 'endurance',
  requirements: ['PRV-01', 'PRV-02', 'TRM-01', 'LEK-01', 'DIS-07', 'DIS-10', 'BUD-03', 'BUD-04', 'BUD-06', 'CRA-07'],
  features: ['expiry', 'drift', 'consolidation', 'disruption-budgets'],
  capabilities: ['time.virtual'],
  pools: [busyPool(0)],
  leastNodes: 40,
  mostNodes: 40,
  async run(t) {
    const web = await serve(t, 'recover', { kind: 'Deployment', replicas: 20, budget: { maxUnavailable: 2 } }, 'provision');
    const batch = await t.deploy({ name: 'batch', kind: 'Deployment', replicas: 0, ...THIRD_SIZED });
    t.expect.served(batch, 'recover');
    for (let hour = 1; hour <= HOURS; hour += 1) {
      if (hour === WARM_UP_HOURS + 1) t.expect.steadyMemory();
      if (hour % (2 * CHANGED_EVERY_HOURS) === 0) await t.changePool(busyPool(hour));
      else if (hour % CHANGED_EVERY_HOURS === 0) await t.rollOut(web);
      await t.scale(batch, 40);
      await t.untilServed(batch, 'recover');
      await t.pause({ minMs: 20 * MINUTE_MS, maxMs: 25 * MINUTE_MS });
      await t.scale(batch, 0);
      await t.pause({ minMs: 33 * MINUTE_MS, maxMs: 37 * MINUTE_MS });
    }
  },
});

export const storm = scenario({
  id: 'endurance/storm',
  title:
    'spot ends in all zones at once, and is not available again, while a new version is rolled out on forty nodes: every pod runs on demand',
  profile: 'endurance',
  requirements: ['INT-01', 'INT-02', 'INT-03', 'INT-05', 'LEK-01'],
  features: ['spot', 'interruption'],
  pools: [pool('spot', { capacityTypes: ['spot', 'on-demand'], instanceTypes: NODE_TYPES })],
  faults: {
    drought: faults.insufficientCapacity({ capacityTypes: ['spot'], errors: 'tried' }),
    storm: faults.spotInterruption({}),
  },
  leastNodes: 100,
  async run(t, { drought, storm: ending }) {
    const web = await serve(t, 'recover', { kind: 'Deployment', replicas: 40 }, 'provision');
    await t.rollOut(web);
    // The first new pods have nodes, and most old ones still run.
    await t.pass('provision', 0.25);
    await t.inject(drought);
    await t.injectUntilFired(ending, 'provision');
    // The two minutes' notice, and the time of the replacements.
    await t.pass('provision', 2);
    await t.untilServed(web, 'recover');
  },
});

export const largeCluster = scenario({
  id: 'endurance/large-cluster',
  title: 'a thousand pods each fill a node: all are served, and their nodes are removed when the pods go',
  profile: 'endurance',
  requirements: ['PRV-01', 'TRM-01', 'LEK-01', 'LEK-06'],
  pools: NODE_POOLS,
  leastNodes: 1_000,
  run: async (t) => scaleToNone(t, await serve(t, 'provision', { kind: 'Deployment', replicas: t.nodes })),
});
