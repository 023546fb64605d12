import { faults } from '../faults/catalogue.ts';
import { specify } from '../faults/fault.ts';
import { pool, scenario } from '../harness/scenario.ts';

/** One pod of this size fills a node of NODE_TYPES: ten pods are ten nodes. */
const NODE_SIZED = { cpu: '1500m', memory: '2Gi' } as const;
const NODE_TYPES = ['m6i.large', 'm6a.large', 'm7i.large'] as const;

export const scaleOutAndBack = scenario({
  id: 'provisioning/scale-out-and-back',
  title: 'ten pods that each fill a node are served, and their nodes go when the pods go',
  pools: [pool('default', { instanceTypes: NODE_TYPES })],
  async run(t) {
    const web = await t.deploy({ name: 'web', replicas: 10, ...NODE_SIZED });
    t.expect.served(web, 'provision');
    t.expect.latency(web, 'pending', 'running', 'provision');
    await t.untilServed(web, 'provision');
    await t.scale(web, 0);
    t.expect.emptied('scale-in');
    await t.untilEmpty('teardown');
  },
});

/** All three of the SDK's attempts at each of four launches: the autoscaler itself must find out what became of them. */
const LOST_ANSWERS = 12;

export const withdrawnDuringLaunch = scenario({
  id: 'provisioning/withdrawn-during-launch',
  title: 'pods and pool are withdrawn while launches are under way and their answers are lost: every instance still ends',
  capabilities: ['wire.aws'],
  pools: [pool('default', { instanceTypes: NODE_TYPES })],
  async run(t) {
    const losing = specify(faults.lostAnswer, {
      operations: ['ec2:CreateFleet'],
      when: { kind: 'first', count: LOST_ANSWERS },
    });
    const lost = await t.inject(losing);
    const job = await t.deploy({ name: 'job', replicas: 4, ...NODE_SIZED });
    await t.untilFired(lost, 'launch-lag');
    // Seeds meet every moment of the attempts that follow.
    await t.pause({ minMs: 0, maxMs: 5_000 });
    await t.remove(job);
    await t.withdrawPools();
    await t.untilEmpty('teardown');
  },
});
