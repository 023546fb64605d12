import { faults } from '../faults/catalogue.ts';
import { mayFire } from '../faults/fault.ts';
import type { FaultSpec } from '../faults/fault.ts';
import { TERMINATIONS } from '../faults/operations.ts';
import { always, nth } from '../faults/triggers.ts';
import { pool, scenario } from '../harness/scenario.ts';
import type { Trial, Workload, WorkloadSpec } from '../harness/scenario.ts';
import { ONE_TYPE, OPTED_OUT, THIRD_SIZED, endingSlowly } from '../harness/shapes.ts';
import { scaleToNone, serve } from '../harness/steps.ts';
import type { PoolDisruption } from '../model/catalogue.ts';
import { LABEL, WORKLOAD_LABEL } from '../model/kube.ts';

const MINUTE_MS = 60_000;
const WILLING: PoolDisruption = { consolidation: 'when-empty-or-underutilized' };
/** Two, four and eight CPUs, each twice the price of the previous one. */
const SIZES = ['m6i.large', 'm6i.xlarge', 'm6i.2xlarge'] as const;
const SIZED_POOLS = [pool('default', { instanceTypes: SIZES, disruption: WILLING })];
/** Two of them don't fit on a node of two CPUs; three fill one of four. */
const HALF_SIZED = { cpu: '1200m', memory: '1Gi' } as const;
const ONE_TYPE_POOLS = [pool('default', { ...ONE_TYPE, disruption: WILLING })];

/** A node of four CPUs with only one of its three pods left: a smaller node is enough. */
async function outgrow(t: Trial, more: Partial<WorkloadSpec> = {}): Promise<Workload> {
  const web = await serve(t, 'provision', { replicas: 3, ...HALF_SIZED, ...more });
  await t.scale(web, 1);
  return web;
}

/**
 * Two full nodes, with one pod left on the first and two on the second: one node is enough.
 * @param wait how long the nodes stay full
 */
async function halve(
  t: Trial,
  more: Partial<WorkloadSpec> = {},
  wait: () => Promise<void> = () => t.pass('launch-lag'),
): Promise<readonly Workload[]> {
  const one = await serve(t, 'provision', { name: 'one', replicas: 1, ...THIRD_SIZED, ...more });
  const besideOne = await serve(t, 'provision', { name: 'beside-one', replicas: 2, ...THIRD_SIZED, ...more });
  const two = await serve(t, 'provision', { name: 'two', replicas: 2, ...THIRD_SIZED, ...more });
  const besideTwo = await serve(t, 'provision', { name: 'beside-two', replicas: 1, ...THIRD_SIZED, ...more });
  // By then all writes to the new nodes have been done.
  await wait();
  await t.remove(besideOne);
  await t.remove(besideTwo);
  return [one, two];
}

export const emptyNodes = scenario({
  id: 'consolidation/empty-nodes',
  title: 'four pods each fill a node, and three of them go: the three empty nodes are removed and the fourth stays',
  requirements: ['DIS-01'],
  features: ['consolidation'],
  pools: ONE_TYPE_POOLS,
  async run(t) {
    t.expect.launchedAtMost(4);
    const web = await serve(t, 'provision', { replicas: 4 });
    await t.scale(web, 1);
    t.expect.neverWithoutNode(web);
    await t.consolidated(1, 'consolidation');
  },
});

export const underusedNode = scenario({
  id: 'consolidation/underused-node',
  title: 'three pods are left on two nodes where one would do: one node is drained onto the other and removed',
  requirements: ['DIS-01', 'DIS-02', 'CST-07'],
  features: ['consolidation'],
  pools: ONE_TYPE_POOLS,
  async run(t) {
    t.expect.launchedAtMost(2);
    const left = await halve(t);
    for (const workload of left) t.expect.neverWithoutNode(workload);
    await t.consolidated(1, 'consolidation');
  },
});

/** Its nodes have to be unchanged for longer than anything else takes. */
const PATIENT: PoolDisruption = { ...WILLING, consolidateAfterMs: 5 * MINUTE_MS };
/** After that, nodes may be removed as soon as they are underused, unless the time begins again. */
const outwait = (t: Trial): Promise<void> => t.pause({ minMs: 6 * MINUTE_MS, maxMs: 7 * MINUTE_MS });

export const emptyNodesWait = scenario({
  id: 'consolidation/empty-nodes-wait',
  title: 'a pool asks for five minutes without changes, and the pods of all nodes go at once: each empty node stays for that long',
  requirements: ['DIS-12'],
  features: ['consolidation'],
  pools: [pool('default', { ...ONE_TYPE, disruption: PATIENT })],
  async run(t) {
    const web = await serve(t, 'provision', { replicas: 2 * t.nodes });
    await outwait(t);
    t.expect.kept('provision');
    await scaleToNone(t, web);
  },
});

export const emptyNodesWaitWithSlowWrites = scenario({
  id: 'consolidation/empty-nodes-wait-with-slow-writes',
  title:
    'a pool asks for five minutes without changes, and the pods of all nodes go at once while the status of claims is written slowly: each empty node stays for that long',
  requirements: ['DIS-12'],
  features: ['consolidation'],
  pools: [pool('default', { ...ONE_TYPE, disruption: PATIENT })],
  faults: { slowWrites: mayFire(faults.slowAnswer({ operations: ['patch nodeclaims/status'], when: always, delayMs: 500 })) },
  async run(t, { slowWrites }) {
    const web = await serve(t, 'provision', { replicas: 2 * t.nodes });
    await outwait(t);
    await t.inject(slowWrites);
    t.expect.kept('provision');
    await scaleToNone(t, web);
  },
});

export const shortVisits = scenario({
  id: 'consolidation/short-visits',
  title: 'pods run for a second on nodes that have been empty for most of the five minutes that their pool asks for: the time begins again',
  requirements: ['DIS-12'],
  features: ['consolidation'],
  capabilities: ['pods.finish'],
  pools: [pool('default', { ...ONE_TYPE, disruption: PATIENT })],
  async run(t) {
    t.expect.launchedAtMost(4);
    const web = await serve(t, 'provision', { replicas: 4 });
    await t.scale(web, 0);
    await t.pause({ minMs: 4 * MINUTE_MS, maxMs: 4 * MINUTE_MS });
    t.expect.kept('provision');
    const visitors = await serve(t, 'provision', { name: 'visitors', kind: 'Job', replicas: 4, runSeconds: 1 });
    await t.untilFinished(visitors, 'recover');
    t.expect.emptied('scale-in');
    await t.untilEmpty('teardown');
  },
});

export const underusedNodeWaits = scenario({
  id: 'consolidation/underused-node-waits',
  title: 'a pool asks for five minutes without changes, and half of the pods of two nodes go: both stay for that long, then one is removed',
  requirements: ['DIS-12'],
  features: ['consolidation'],
  pools: [pool('default', { ...ONE_TYPE, disruption: PATIENT })],
  async run(t) {
    const left = await halve(t, {}, async () => {
      await outwait(t);
      t.expect.kept('provision');
    });
    for (const workload of left) t.expect.neverWithoutNode(workload);
    await t.consolidated(1, 'consolidation');
  },
});

const STOP = { seconds: 60, graceSeconds: 90 } as const;

/** Found by the explorer in the reference: pods counted as staying until they had stopped. */
export const podsStopSlowly = scenario({
  id: 'consolidation/pods-stop-slowly',
  title:
    'a pool asks for five minutes without changes, and two of three pods take a minute to stop: their node stays for that long, then a smaller one replaces it',
  requirements: ['DIS-12'],
  features: ['consolidation'],
  podStopMs: STOP.seconds * 1_000,
  pools: [pool('default', { instanceTypes: SIZES, disruption: PATIENT })],
  async run(t) {
    const web = await serve(t, 'provision', { replicas: 3, ...HALF_SIZED, ...endingSlowly(STOP) });
    await outwait(t);
    t.expect.kept('provision');
    await t.scale(web, 1);
    t.expect.neverWithoutNode(web);
    await t.emptied('consolidation');
  },
});

const LATE_KUBELET = { lateKubelet: faults.slowRegistration({ never: true }) };

/** A pod on a small node, and another one for which a larger node is launched that has room for both, but does not register. */
async function waitBesideLateNode(t: Trial, lateKubelet: FaultSpec): Promise<void> {
  t.expect.launchedAtMost(2);
  const web = await serve(t, 'provision', { replicas: 1, ...THIRD_SIZED });
  const late = await t.inject(lateKubelet);
  const api = await t.deploy({ name: 'api', replicas: 1, ...HALF_SIZED, nodeSelector: { [LABEL.instanceType]: 'm6i.xlarge' } });
  t.expect.neverWithoutNode(web);
  t.expect.kept('consolidation');
  await t.untilFired(late, 'provision');
  await t.pass('consolidation');
  await late.heal();
  t.expect.served(api, 'recover');
  await t.untilServed(api, 'recover');
}

export const ontoStartingNode = scenario({
  id: 'consolidation/onto-starting-node',
  title: 'a pod would fit on a larger node that takes long to boot: its own node stays until that one is ready',
  requirements: ['DIS-02'],
  features: ['consolidation'],
  pools: SIZED_POOLS,
  faults: LATE_KUBELET,
  run: (t, { lateKubelet }) => waitBesideLateNode(t, lateKubelet),
});

export const besideLateNode = scenario({
  id: 'consolidation/beside-late-node',
  title: 'a pod fits on a larger node that took long to boot: its own node goes within the bound once that one is ready',
  requirements: ['DIS-01'],
  features: ['consolidation'],
  pools: SIZED_POOLS,
  faults: LATE_KUBELET,
  async run(t, { lateKubelet }) {
    await waitBesideLateNode(t, lateKubelet);
    await t.consolidated(1, 'consolidation');
  },
});

export const oversizedNode = scenario({
  id: 'consolidation/oversized-node',
  title: 'one of three pods is left on a node, and a smaller node would do: the smaller node is ready before the larger one is removed',
  requirements: ['DIS-02', 'DIS-04', 'CST-03'],
  features: ['consolidation'],
  pools: SIZED_POOLS,
  async run(t) {
    t.expect.launchedAtMost(2);
    const web = await outgrow(t);
    t.expect.neverWithoutNode(web);
    await t.emptied('consolidation');
  },
});

export const smallNodes = scenario({
  id: 'consolidation/small-nodes',
  title: 'three pods arrived one by one and each got a small node: one larger, cheaper node is ready before they are removed',
  requirements: ['DIS-02', 'CST-03'],
  features: ['consolidation'],
  pools: SIZED_POOLS,
  async run(t) {
    t.expect.launchedAtMost(4);
    const workloads = [];
    for (const name of ['first', 'second', 'third']) workloads.push(await serve(t, 'provision', { name, replicas: 1, ...HALF_SIZED }));
    for (const workload of workloads) t.expect.neverWithoutNode(workload);
    t.expect.emptied('consolidation');
    await t.consolidated(1, 'consolidation');
  },
});

export const nothingFits = scenario({
  id: 'consolidation/nothing-fits',
  title: 'every pod fills its node and no cheaper node exists: no node is disrupted',
  requirements: ['DIS-04'],
  features: ['consolidation'],
  pools: ONE_TYPE_POOLS,
  async run(t) {
    t.expect.launchedAtMost(3);
    await serve(t, 'provision', { replicas: 3 });
    await t.kept('consolidation');
  },
});

/** Found by the explorer in the reference, which estimated the prices of types from their vCPUs and memory. */
export const dearerType = scenario({
  id: 'consolidation/dearer-type',
  title: 'a pool allows a second type with less memory that costs more: the node of the first type stays, although the second would do',
  requirements: ['CST-05'],
  features: ['consolidation'],
  pools: [pool('default', { instanceTypes: ['m5a.xlarge'], disruption: WILLING })],
  async run(t) {
    t.expect.launchedAtMost(1);
    await serve(t, 'provision', { replicas: 1, ...HALF_SIZED });
    await t.changePool(pool('default', { instanceTypes: ['m5a.xlarge', 'c5n.xlarge'], disruption: WILLING }));
    await t.kept('consolidation');
  },
});

export const replacementNeverRegisters = scenario({
  id: 'consolidation/replacement-never-registers',
  title: 'the smaller replacement node never registers: the larger node stays, and its pod keeps running',
  requirements: ['DIS-02'],
  features: ['consolidation'],
  pools: SIZED_POOLS,
  faults: { lateKubelets: faults.slowRegistration({ never: true }) },
  async run(t, { lateKubelets }) {
    const web = await outgrow(t);
    const broken = await t.inject(lateKubelets);
    t.expect.neverWithoutNode(web);
    t.expect.kept('registration');
    await t.untilFired(broken, 'consolidation');
    await t.pass('registration');
  },
});

export const replacementWithoutCapacity = scenario({
  id: 'consolidation/replacement-without-capacity',
  title: 'EC2 has no capacity for the cheaper node: the larger node stays, and its pod keeps running',
  requirements: ['DIS-02'],
  features: ['consolidation'],
  pools: SIZED_POOLS,
  faults: { shortage: faults.insufficientCapacity({ instanceTypes: ['m6i.large'], errors: 'all' }) },
  async run(t, { shortage }) {
    t.expect.launchedAtMost(1);
    const web = await outgrow(t);
    const scarce = await t.inject(shortage);
    t.expect.neverWithoutNode(web);
    t.expect.kept('consolidation');
    await t.untilFired(scarce, 'consolidation');
    await t.pass('consolidation');
  },
});

export const doNotDisruptPod = scenario({
  id: 'consolidation/do-not-disrupt-pod',
  title: 'the only pod left on a large node must not be disrupted: the node stays',
  requirements: ['BUD-05'],
  features: ['consolidation', 'do-not-disrupt'],
  pools: SIZED_POOLS,
  async run(t) {
    t.expect.launchedAtMost(1);
    await outgrow(t, { annotations: OPTED_OUT });
    await t.kept('consolidation');
  },
});

export const protectedPod = scenario({
  id: 'consolidation/protected-pod',
  title:
    'the only pod left on a large node is protected by a budget that allows no eviction: the node stays, and nothing is launched for it',
  requirements: ['BUD-09'],
  features: ['consolidation'],
  pools: SIZED_POOLS,
  async run(t) {
    t.expect.launchedAtMost(1);
    await outgrow(t, { budget: { minAvailable: 1 } });
    await t.kept('consolidation');
  },
});

export const doNotDisruptNode = scenario({
  id: 'consolidation/do-not-disrupt-node',
  title: 'a user has marked a large node as do-not-disrupt, and one small pod is left on it: the node stays',
  requirements: ['BUD-07'],
  features: ['consolidation', 'do-not-disrupt'],
  pools: SIZED_POOLS,
  async run(t) {
    t.expect.launchedAtMost(1);
    await outgrow(t);
    await t.keepNodes();
    await t.kept('consolidation');
  },
});

export const usedNodesKept = scenario({
  id: 'consolidation/used-nodes-kept',
  title: 'the pools allow no node with pods to be removed: underused and oversized nodes stay',
  requirements: ['BUD-08'],
  features: ['consolidation'],
  pools: [
    pool('default', { ...ONE_TYPE, labels: { tier: 'default' }, disruption: { consolidation: 'when-empty' } }),
    pool('never', { instanceTypes: SIZES, labels: { tier: 'never' }, disruption: { ...WILLING, consolidateAfterMs: 'never' } }),
  ],
  async run(t) {
    t.expect.launchedAtMost(2 + 1);
    await outgrow(t, { name: 'grown', nodeSelector: { tier: 'never' } });
    await halve(t, { nodeSelector: { tier: 'default' } });
    await t.kept('consolidation');
  },
});

export const budgetZero = scenario({
  id: 'consolidation/budget-zero',
  title: "a pool's disruption budget is zero: underused and empty nodes stay",
  requirements: ['BUD-03'],
  features: ['consolidation', 'disruption-budgets'],
  pools: [pool('default', { ...ONE_TYPE, disruption: { ...WILLING, budgets: [{ nodes: '0' }] } })],
  async run(t) {
    t.expect.launchedAtMost(3);
    const web = await serve(t, 'provision', { replicas: 3 });
    await t.scale(web, 1);
    await t.kept('consolidation');
    // Pods that the user removes are still removed, so that the world can settle.
    await t.changePool(pool('default', { ...ONE_TYPE, disruption: WILLING }));
    await t.consolidated(1, 'consolidation');
  },
});

/** Trials in virtual time start at midnight, so the budget is active from the start. */
const MIDNIGHT = '0 0 * * *';
/** Workloads that `halve` serves one after the other. */
const HALVED_IN_TURN = 4;

export const budgetSchedule = scenario({
  id: 'consolidation/budget-schedule',
  title: 'a disruption budget is zero in the first minutes of each day: surplus nodes stay during that time and are removed afterwards',
  requirements: ['BUD-04'],
  features: ['consolidation', 'disruption-budgets'],
  capabilities: ['time.virtual'],
  pools: ONE_TYPE_POOLS,
  async run(t) {
    t.expect.launchedAtMost(4);
    // However long the nodes take to register, they are surplus for the whole bound while no disruption is allowed.
    const heldMs = HALVED_IN_TURN * t.lengthMs('provision') + t.lengthMs('launch-lag') + t.lengthMs('consolidation');
    const budget = { nodes: '0', schedule: MIDNIGHT, durationMs: Math.ceil(heldMs / MINUTE_MS + 1) * MINUTE_MS };
    await t.changePool(pool('default', { ...ONE_TYPE, disruption: { ...WILLING, budgets: [budget] } }));
    const left = await halve(t);
    for (const workload of left) t.expect.neverWithoutNode(workload);
    await t.kept('consolidation');
    // The rest of the time that the nodes did not need to register.
    await t.pass('provision', HALVED_IN_TURN);
    await t.consolidated(1, 'consolidation');
  },
});

/** Requests that mark a node for removal. */
const NODE_MARKS = ['patch nodes', 'update nodes'];

/** Long enough for pods to arrive and run, and shorter than any client waits for a response. */
const MARK_HELD_MS = 25_000;

export const podsArriveMeanwhile = scenario({
  id: 'consolidation/pods-arrive-meanwhile',
  title: 'pods land on a node after it was chosen for removal and before it is tainted: the node stays',
  requirements: ['DIS-03'],
  features: ['consolidation'],
  pools: ONE_TYPE_POOLS,
  faults: { lateMark: faults.lateRequest({ operations: NODE_MARKS, delayMs: MARK_HELD_MS }) },
  async run(t, { lateMark }) {
    t.expect.launchedAtMost(2);
    await halve(t);
    // The mark is the first visible step of a plan, however long it was validated before.
    await t.injectUntilFired(lateMark, 'consolidation');
    // They fill both nodes: without either one, another node would be needed.
    await serve(t, 'provision', { name: 'late', replicas: 3, ...THIRD_SIZED });
    await t.kept('consolidation');
  },
});

export const nodeWritesRefused = scenario({
  id: 'consolidation/node-writes-refused',
  title: 'writes to Nodes are refused, so nodes cannot be tainted or cordoned: no node is removed while pods arrive',
  requirements: ['DIS-05'],
  features: ['consolidation'],
  pools: ONE_TYPE_POOLS,
  faults: { refusal: faults.serverError({ operations: NODE_MARKS, when: always }) },
  async run(t, { refusal }) {
    t.expect.launchedAtMost(3);
    const web = await serve(t, 'provision', { replicas: 3 });
    const refused = await t.inject(refusal);
    await t.scale(web, 1);
    t.expect.kept('consolidation');
    await t.untilFired(refused, 'consolidation');
    await serve(t, 'provision', { name: 'late', replicas: 2 });
    await t.pass('consolidation');
  },
});

export const rollOut = scenario({
  id: 'consolidation/roll-out',
  title: 'a Deployment rolls out with a 25% surge: no node is removed while its pods still need it, and the surplus is removed afterwards',
  requirements: ['DIS-04', 'PRV-12'],
  features: ['consolidation'],
  pools: ONE_TYPE_POOLS,
  async run(t) {
    // With a surge of a quarter, three extra pods run beside nine that fill their nodes. In the end all are spread out.
    t.expect.launchedAtMost(5);
    const web = await serve(t, 'provision', { kind: 'Deployment', replicas: 9, ...THIRD_SIZED });
    await t.rollOut(web);
    await t.consolidated(3, 'consolidation');
    await t.untilLeft(3, 'consolidation');
  },
});

/** Kubelets that are this late leave a window in which a replacement is in progress. */
const REPLACEMENT_LATE_MS = 60_000;

export const interruptedMeanwhile = scenario({
  id: 'consolidation/interrupted-meanwhile',
  title: 'a spot interruption hits during a consolidation: the pod is served, and no surplus instance is left',
  requirements: ['DIS-02', 'INT-10'],
  features: ['spot', 'interruption', 'consolidation', 'spot-consolidation'],
  pools: [pool('default', { capacityTypes: ['spot'], disruption: WILLING })],
  faults: {
    lateKubelets: faults.slowRegistration({ delayMs: REPLACEMENT_LATE_MS, count: 1 }),
    interruption: faults.spotInterruption({ count: 1 }),
  },
  async run(t, { lateKubelets, interruption }) {
    // On an instance large enough that smaller ones are certainly cheaper: spot prices are not proportional to size.
    const web = await serve(t, 'provision', { replicas: 6, ...HALF_SIZED });
    await t.scale(web, 1);
    t.expect.servedUntilNow(web);
    t.expect.served(web, 'recover');
    // Every pod has its node: any launch now is a consolidation, or this does not fire.
    const replacing = await t.injectUntilFired(lateKubelets, 'consolidation');
    if (replacing.firings() === 0) return;
    await t.injectUntilFired(interruption, 'provision');
    await t.pass('provision', 2);
    await t.untilServed(web, 'recover');
  },
});

/** A random mutant showed that nothing noticed whether the autoscaler looks once more when the replacement is ready. */
export const keptMeanwhile = scenario({
  id: 'consolidation/kept-meanwhile',
  title: 'a user marks a node as do-not-disrupt while its smaller replacement starts: the node stays',
  requirements: ['BUD-07'],
  features: ['consolidation', 'do-not-disrupt'],
  pools: SIZED_POOLS,
  faults: { lateKubelets: faults.slowRegistration({ delayMs: REPLACEMENT_LATE_MS, count: 1 }) },
  async run(t, { lateKubelets }) {
    t.expect.launchedAtMost(2);
    await outgrow(t);
    t.expect.kept('consolidation');
    // Every pod has its node: any launch now is a replacement, or this does not fire.
    const replacing = await t.injectUntilFired(lateKubelets, 'consolidation');
    if (replacing.firings() === 0) return;
    await t.keepNodes();
    await t.pass('consolidation');
  },
});

/** Fifteen types that cost less than a node for eight pods, and others that cost far less: only the latter should be asked for. */
const DEAR_SPOT = ['c5', 'c5a', 'c5ad', 'c5d', 'c5n', 'c6a', 'c6i', 'c6id', 'c6in', 'c7a', 'c7i', 'c7i-flex', 'c8a', 'c8i', 'c8i-flex'];
const CHEAP_SPOT = [
  'm5',
  'm5a',
  'm5ad',
  'm5d',
  'm5n',
  'm6a',
  'm6i',
  'm6id',
  'm6in',
  'm7a',
  'm7i',
  'm7i-flex',
  'm8a',
  'm8i',
  'm8i-flex',
  't3',
  't3a',
];
const SPOT_CHOICE = ['m5.8xlarge', ...DEAR_SPOT.map((family) => `${family}.2xlarge`), ...CHEAP_SPOT.map((family) => `${family}.large`)];

export const spotToSpot = scenario({
  id: 'consolidation/spot-to-spot',
  title: 'a spot node that has become too large is replaced by a cheaper one, which is cheap enough to stay',
  requirements: ['DIS-02', 'DIS-04'],
  features: ['spot', 'consolidation', 'spot-consolidation'],
  pools: [pool('default', { capacityTypes: ['spot'], instanceTypes: SPOT_CHOICE, disruption: WILLING })],
  faults: { lateKubelets: faults.slowRegistration({ delayMs: REPLACEMENT_LATE_MS, count: 1 }) },
  async run(t, { lateKubelets }) {
    // One for all pods, and one in its place.
    t.expect.launchedAtMost(2);
    const web = await serve(t, 'provision', { replicas: 8, ...HALF_SIZED });
    await t.scale(web, 1);
    t.expect.neverWithoutNode(web);
    // Every pod has its node: any launch now is a consolidation, or this does not fire.
    const replacing = await t.injectUntilFired(lateKubelets, 'consolidation');
    if (replacing.firings() === 0) return;
    await t.consolidated(1, 'consolidation');
    await t.pass('consolidation');
  },
});

export const emptyDoNotDisruptNode = scenario({
  id: 'consolidation/empty-do-not-disrupt-node',
  title: 'nodes that a user marked as do-not-disrupt become empty: they stay, and later pods run on them',
  requirements: ['BUD-07'],
  features: ['do-not-disrupt'],
  pools: ONE_TYPE_POOLS,
  async run(t) {
    t.expect.launchedAtMost(2);
    const web = await serve(t, 'provision', { replicas: 2 });
    await t.keepNodes();
    await t.scale(web, 0);
    await t.kept('scale-in');
    await t.scale(web, 2);
    await t.untilServed(web, 'provision');
  },
});

export const budgetPercentage = scenario({
  id: 'consolidation/budget-percentage',
  title: "a pool's budget allows a quarter of its nodes to be disrupted at once: its empty nodes are removed one at a time",
  requirements: ['BUD-03'],
  features: ['disruption-budgets'],
  pools: [pool('default', { ...ONE_TYPE, disruption: { consolidation: 'when-empty', budgets: [{ nodes: '25%' }] } })],
  async run(t) {
    t.expect.launchedAtMost(4);
    const web = await serve(t, 'provision', { replicas: 4 });
    await t.scale(web, 1);
    t.expect.consolidated(1, 'settle');
    await t.untilLeft(1, 'settle');
    await t.pass('settle');
  },
});

/** Of one plan: about two marks, and the first eviction. */
const PLAN_EFFECTS = 3;
const PLAN_STEPS = [...NODE_MARKS, 'create pods/eviction', ...TERMINATIONS];

export const killedWhileConsolidating = scenario({
  id: 'consolidation/killed-meanwhile',
  title:
    'the autoscaler is killed during a consolidation, after a side effect chosen by the seed: the consolidation is completed or undone',
  requirements: ['CRA-05'],
  features: ['consolidation'],
  capabilities: ['target.kill', 'wire.kube'],
  pools: ONE_TYPE_POOLS,
  async run(t) {
    await halve(t);
    await t.inject(
      mayFire(faults.crash({ operations: PLAN_STEPS, when: nth(t.random.int(1, PLAN_EFFECTS)), moment: 'after', applied: true })),
    );
    t.expect.consolidated(1, 'settle');
    await t.untilLeft(1, 'settle');
    await t.pass('settle');
  },
});

export const budgetWithUnreadyNode = scenario({
  id: 'consolidation/budget-with-unready-node',
  title: 'a budget allows one node to be disrupted while one is NotReady: surplus nodes stay until that node recovers',
  requirements: ['BUD-03'],
  features: ['disruption-budgets'],
  pools: [pool('default', { ...ONE_TYPE, disruption: { consolidation: 'when-empty', budgets: [{ nodes: '1' }] } })],
  faults: { deadKubelet: faults.deadKubelet({ count: 1 }) },
  async run(t, { deadKubelet }) {
    t.expect.launchedAtMost(4);
    const stays = await serve(t, 'provision', { name: 'stays', replicas: 2 });
    const goes = await serve(t, 'provision', { name: 'goes', replicas: 2 });
    const dead = await t.injectUntilFired(deadKubelet, 'provision');
    // Until it is NotReady, which takes up to a minute.
    await t.pause({ minMs: 60_000, maxMs: 70_000 });
    await t.remove(goes);
    await t.pause({ minMs: 150_000, maxMs: 170_000 });
    await dead.heal();
    await t.untilServed(stays, 'recover');
    await t.untilLeft(2, 'settle');
  },
});

const SPREAD_NODES = 4;

export const preferredSpread = scenario({
  id: 'consolidation/preferred-spread',
  title: 'pods that prefer to spread over zones are left on four nodes: at least one node is removed, then the rest stay',
  requirements: ['DIS-06'],
  features: ['consolidation'],
  pools: [pool('default', { instanceTypes: ['m6i.large'], disruption: { consolidation: 'when-empty-or-underutilized' } })],
  async run(t) {
    t.expect.launchedAtMost(2 * SPREAD_NODES);
    const numbers = Array.from({ length: SPREAD_NODES }, (_, index) => index + 1);
    const labelSelector = {
      matchExpressions: [{ key: WORKLOAD_LABEL, operator: 'In' as const, values: numbers.map((number) => `spread-${number}`) }],
    };
    const spread = [{ maxSkew: 1, topologyKey: LABEL.zone, whenUnsatisfiable: 'ScheduleAnyway', labelSelector } as const];
    const left: Workload[] = [];
    const beside: Workload[] = [];
    for (const number of numbers) {
      left.push(await serve(t, 'provision', { name: `spread-${number}`, replicas: 1, ...THIRD_SIZED, spread }));
      beside.push(await serve(t, 'provision', { name: `beside-${number}`, replicas: 2, ...THIRD_SIZED }));
    }
    for (const workload of beside) await t.remove(workload);
    // One node a zone is enough where the preference counts, and two where it does not.
    await t.consolidated(3, 'settle');
    await t.kept('consolidation');
    for (const workload of left) await t.untilServed(workload, 'recover');
  },
});

export const requiredSpread = scenario({
  id: 'consolidation/required-spread',
  title: 'pods that must spread over hosts are left alone on three nodes: no node is removed only to be launched again',
  requirements: ['DIS-11'],
  pools: ONE_TYPE_POOLS,
  async run(t) {
    t.expect.launchedAtMost(3);
    const beside = await serve(t, 'provision', { name: 'beside', replicas: 3, ...HALF_SIZED });
    const spread = [{ maxSkew: 1, topologyKey: LABEL.hostname, whenUnsatisfiable: 'DoNotSchedule' }] as const;
    const web = await serve(t, 'provision', { replicas: 3, ...THIRD_SIZED, spread });
    await t.remove(beside);
    // A pod that is evicted finds no place: its node counts, as one without such a pod, for as long as it is there.
    t.expect.neverWithoutNode(web);
    await t.pass('consolidation', 2);
    await t.untilServed(web, 'recover');
  },
});
