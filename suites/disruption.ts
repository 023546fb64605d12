import { faults } from '../faults/catalogue.ts';
import { specify } from '../faults/fault.ts';
import { pool, scenario } from '../harness/scenario.ts';

const POOLS = [pool('default', { instanceTypes: ['m6i.large', 'm6a.large', 'm7i.large'] })];
/** A pod of this size fills a node. */
const NODE_SIZED = { cpu: '1500m', memory: '2Gi' } as const;

const FOUR_OF_FIVE = 0.8;

export const endedBehindItsBack = scenario({
  id: 'disruption/ended-behind-its-back',
  title: 'somebody else ends two of five instances: their pods are served again, and nothing of them stays',
  capabilities: ['instance.end'],
  pools: POOLS,
  async run(t) {
    const web = await t.deploy({ name: 'web', replicas: 5, ...NODE_SIZED });
    t.expect.served(web, 'replacement');
    await t.untilServed(web, 'provision');
    const ended = await t.inject(specify(faults.instanceEnd, { count: 2 }));
    await t.untilFired(ended, 'provision');
    await t.pass('node-without-instance');
    await t.untilServed(web, 'replacement');
  },
});

export const deadKubelet = scenario({
  id: 'disruption/dead-kubelet',
  title: 'a kubelet stops while its instance runs: once it is back nothing has been lost',
  capabilities: ['boot.delay'],
  pools: POOLS,
  async run(t) {
    const web = await t.deploy({ name: 'web', replicas: 3, ...NODE_SIZED });
    t.expect.served(web, 'replacement');
    await t.untilServed(web, 'provision');
    const dead = await t.inject(specify(faults.deadKubelet, { count: 1 }));
    await t.untilFired(dead, 'provision');
    await t.pass('provision');
    await dead.heal();
    await t.untilServed(web, 'replacement');
  },
});

export const drainedWithinBudget = scenario({
  id: 'disruption/drained-within-budget',
  title: 'the pool is withdrawn while protected pods run: none of them is taken by force',
  pools: POOLS,
  async run(t) {
    const web = await t.deploy({ name: 'web', kind: 'Deployment', replicas: 4, cpu: '500m', memory: '512Mi' });
    await t.protect(web, { maxUnavailable: 1 });
    // Without a pool the one pod that may be evicted finds no other node, and no second one may be.
    t.expect.served(web, 'provision', FOUR_OF_FIVE);
    await t.untilServed(web, 'provision');
    await t.withdrawPools();
    await t.pass('scale-in');
    await t.remove(web);
    await t.untilEmpty('teardown');
  },
});
