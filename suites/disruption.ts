import { faults } from '../faults/catalogue.ts';
import { mayFire } from '../faults/fault.ts';
import { pool, scenario } from '../harness/scenario.ts';
import { NODE_POOLS, ONE_TYPE, OPTED_OUT, THIRD_SIZED, endingSlowly } from '../harness/shapes.ts';
import { serve, serveTogether } from '../harness/steps.ts';

/** Pods begin in the first one, and move to the second when the first is removed. */
const OLD_AND_NEW = [pool('old', { instanceTypes: ['m6i.large'], weight: 50 }), pool('new', { instanceTypes: ['m7i.large'], weight: 1 })];

export const instancesTerminatedExternally = scenario({
  id: 'disruption/instances-terminated-externally',
  title: 'someone else terminates two of five instances: their pods run again, and their Nodes are removed',
  requirements: ['INT-08', 'LEK-05'],
  pools: NODE_POOLS,
  faults: { end: faults.instanceEnd({ count: 2 }) },
  async run(t, { end }) {
    const web = await serve(t, 'replacement', { replicas: 5 }, 'provision');
    await t.injectUntilFired(end, 'provision');
    await t.pass('node-without-instance');
    await t.untilServed(web, 'replacement');
  },
});

export const deadKubelet = scenario({
  id: 'disruption/dead-kubelet',
  title: 'a kubelet stops for a few minutes while its instance runs: its node is not replaced',
  requirements: ['INT-09'],
  pools: NODE_POOLS,
  faults: { deadKubelet: faults.deadKubelet({ count: 1 }) },
  async run(t, { deadKubelet }) {
    const web = await t.deploy({ replicas: 3 });
    t.expect.served(web, 'replacement');
    // Its pods are not evicted for the first five minutes.
    t.expect.launchedAtMost(3);
    await t.untilServed(web, 'provision');
    const dead = await t.injectUntilFired(deadKubelet, 'provision');
    await t.pause({ minMs: 200_000, maxMs: 280_000 });
    await dead.heal();
    await t.untilServed(web, 'replacement');
  },
});

export const drainedWithinBudget = scenario({
  id: 'disruption/drained-within-budget',
  crashPoints: true,
  title: 'the pool is removed while pods protected by a PodDisruptionBudget run: none of them is deleted or killed',
  requirements: ['BUD-01', 'BUD-02', 'TRM-02'],
  features: ['pool-removal'],
  pools: NODE_POOLS,
  async run(t) {
    const web = await serve(t, 'provision', {
      kind: 'Deployment',
      replicas: 4,
      cpu: '500m',
      memory: '512Mi',
      budget: { maxUnavailable: 1 },
    });
    // Without a pool the only evictable pod finds no other node, and no second one may be evicted.
    t.expect.servedUntilNow(web);
    await t.withdrawPools();
    await t.pass('scale-in');
    await t.remove(web);
    await t.untilEmpty('teardown');
  },
});

export const criticalPodsLast = scenario({
  id: 'disruption/critical-pods-last',
  title: 'one of two pools is removed while a critical pod and others run there: the others are asked to leave first',
  requirements: ['TRM-09'],
  features: ['weights', 'pool-removal', 'drain-order'],
  pools: OLD_AND_NEW,
  async run(t) {
    const small = { cpu: '300m', memory: '256Mi' } as const;
    const web = { name: 'web', kind: 'Deployment', replicas: 2, ...small, ...endingSlowly({ seconds: 20, graceSeconds: 60 }) } as const;
    const critical = { name: 'critical', kind: 'Deployment', replicas: 1, ...small, priorityClassName: 'system-cluster-critical' } as const;
    await serveTogether(t, 'provision', [await t.deploy(web), await t.deploy(critical)]);
    // The target has to know by then where all of them are.
    await t.pass('launch-lag');
    await t.withdrawPools('old');
    await t.pass('replacement');
  },
});

export const movedWithinBudget = scenario({
  id: 'disruption/moved-within-budget',
  title: 'one of two pools is removed while protected pods run on it: they move to the other pool within their budget, and none is deleted',
  requirements: ['BUD-01', 'BUD-02', 'TRM-02'],
  features: ['weights', 'pool-removal'],
  pools: OLD_AND_NEW,
  async run(t) {
    const web = await t.deploy({ kind: 'Deployment', replicas: 4, budget: { maxUnavailable: 1 } });
    t.expect.launchedFrom('old');
    t.expect.served(web, 'recover');
    await t.untilServed(web, 'provision');
    await t.withdrawPools('old');
    t.expect.launchedFrom('new');
    // The pods move one after the other to a node of the other pool.
    await t.emptied('replacement');
    await t.untilServed(web, 'recover');
  },
});

export const packedWithinBudget = scenario({
  id: 'disruption/packed-within-budget',
  title:
    'three protected pods are left on three nodes where one would do: whoever moves them evicts them within their budget, and none is deleted',
  requirements: ['BUD-01', 'BUD-02', 'TRM-06'],
  pools: [pool('default', { ...ONE_TYPE, disruption: { consolidation: 'when-empty-or-underutilized' } })],
  async run(t) {
    const bulk = await serve(t, 'provision', { name: 'bulk', replicas: 3, cpu: '1200m', memory: '1Gi' });
    // Each node has room for one of them.
    const web = await serve(t, 'provision', { kind: 'Deployment', replicas: 3, ...THIRD_SIZED, budget: { maxUnavailable: 1 } });
    await t.remove(bulk);
    // Who only removes empty nodes leaves them alone.
    await t.pass('scale-in');
    await t.pass('consolidation');
    await t.untilServed(web, 'recover');
  },
});

/** Found by the explorer in the reference: it launched nodes for pods that never left, and kept them although they were empty. */
export const optedOutPodsStay = scenario({
  id: 'disruption/opted-out-pods-stay',
  title: 'one of two pools is removed while pods that must not be disrupted run on it: they stay, and nothing is launched for them',
  requirements: ['TRM-08'],
  features: ['weights', 'do-not-disrupt', 'pool-removal'],
  pools: OLD_AND_NEW,
  async run(t) {
    t.expect.launchedAtMost(3);
    const web = await serve(t, 'provision', { replicas: 3, annotations: OPTED_OUT });
    await t.withdrawPools('old');
    await t.pass('replacement');
    // Nobody evicts them: the user does without them in the end.
    await t.remove(web);
    await t.emptied('scale-in');
  },
});

export const ghostNode = scenario({
  id: 'disruption/ghost-node',
  title:
    'an instance is terminated without a message while the cloud controller is down: its Node is removed, although its pod cannot be evicted',
  requirements: ['LEK-05', 'LEK-08'],
  features: ['node-removal'],
  pools: NODE_POOLS,
  // aws/karpenter-provider-aws#9226: a cache showed the ended instance as running, and the drain of its Node waited for ever.
  faults: {
    silence: mayFire(faults.queuePerturbation({ what: 'lose' })),
    controllerDown: mayFire(faults.cloudController({ what: 'down', controllers: ['cloud-node-lifecycle-controller'] })),
    deadKubelet: faults.deadKubelet({ count: 1 }),
    end: faults.instanceEnd({ count: 1 }),
  },
  async run(t, { silence, controllerDown, deadKubelet, end }) {
    const tolerations = ['unreachable', 'not-ready'].map(
      (what) => ({ key: `node.kubernetes.io/${what}`, operator: 'Exists', effect: 'NoExecute' }) as const,
    );
    const web = await serve(t, 'provision', { kind: 'Deployment', replicas: 1, tolerations });
    await t.protect(web, { maxUnavailable: 0 });
    // Who reads no queue meets none of its messages.
    await t.inject(silence);
    // Whether the target is first, or the cloud controller, is the target's business.
    await t.inject(controllerDown);
    await t.injectUntilFired(deadKubelet, 'provision');
    await t.injectUntilFired(end, 'provision');
    // Its Node goes within the bound, and the pod is created again as soon as it has gone.
    await t.pass('node-without-instance', 2);
    await t.untilServed(web, 'provision');
  },
});

export const nodeDeleted = scenario({
  id: 'disruption/node-deleted',
  title: 'someone deletes the Nodes of two of five running instances: the instances are terminated, and their pods run again',
  requirements: ['LEK-04'],
  pools: NODE_POOLS,
  faults: { deletion: faults.nodeDeleted({ count: 2 }) },
  async run(t, { deletion }) {
    const web = await serve(t, 'provision', { replicas: 5 });
    t.expect.served(web, 'replacement');
    await t.injectUntilFired(deletion, 'provision');
    await t.untilServed(web, 'replacement');
    // Who does not remember what was a node finds out at the time-out.
    await t.pass('instance-without-node');
  },
});

/** Longer than autoscalers with node repair wait for a node. */
const SILENT_MS = 33 * 60_000;

export const allKubeletsSilent = scenario({
  id: 'disruption/all-kubelets-silent',
  title: 'no kubelet reaches the API server for half an hour while all instances run: no node is removed, and no pod loses its place',
  requirements: ['INT-12'],
  pools: NODE_POOLS,
  faults: { silence: faults.deadKubelet({}) },
  async run(t, { silence }) {
    // Kubernetes evicts no pod then, so nothing has to be replaced.
    t.expect.launchedAtMost(3);
    const web = await serve(t, 'provision', { replicas: 3 });
    const silent = await t.injectUntilFired(silence, 'provision');
    await t.pause({ minMs: SILENT_MS, maxMs: SILENT_MS + 60_000 });
    await silent.heal();
    await t.untilServed(web, 'replacement');
  },
});
