import { faults } from '../faults/catalogue.ts';
import { mayFire } from '../faults/fault.ts';
import { LAUNCHES } from '../faults/operations.ts';
import { first } from '../faults/triggers.ts';
import { pool, scenario } from '../harness/scenario.ts';
import type { Trial, Workload, WorkloadSpec } from '../harness/scenario.ts';
import { NODE_POOLS, NODE_SIZED, NODE_TYPES, impossible, servedAfterHeal } from '../harness/shapes.ts';
import { scaleToNone, serve, serveTogether } from '../harness/steps.ts';
import { LABEL } from '../model/kube.ts';

export const scaleOutAndBack = scenario({
  id: 'provisioning/scale-out-and-back',
  title: 'ten pods each fill a node: all are served, and their nodes are removed when the pods go',
  requirements: ['PRV-01', 'PRV-07', 'TRM-01', 'TRM-03', 'TRM-06', 'LEK-01', 'LEK-06', 'CRA-10'],
  pools: NODE_POOLS,
  async run(t) {
    const web = await t.deploy({ replicas: 10 });
    t.expect.served(web, 'provision');
    t.expect.latency(web, 'pending', 'running', 'provision');
    await t.untilServed(web, 'provision');
    await scaleToNone(t, web);
  },
});

export const finishedJob = scenario({
  id: 'provisioning/finished-job',
  title: 'the pods of a Job finish and are not deleted: their nodes are removed, and nothing is launched for them again',
  requirements: ['TRM-01', 'TRM-03'],
  capabilities: ['pods.finish'],
  pools: NODE_POOLS,
  async run(t) {
    t.expect.launchedAtMost(4);
    const job = await serve(t, 'provision', { kind: 'Job', replicas: 4, runSeconds: 120 });
    await t.untilFinished(job, 'recover');
    t.expect.emptied('scale-in');
    await t.untilEmpty('teardown');
  },
});

export const smallScaleOutAndBack = scenario({
  id: 'provisioning/small-scale-out-and-back',
  title:
    'two pods each fill a node, and the target may be killed at any point: both are served, and their nodes are removed when the pods go',
  requirements: ['CRA-01', 'CRA-02', 'CRA-05'],
  crashPoints: true,
  pools: NODE_POOLS,
  run: async (t) => scaleToNone(t, await serve(t, 'provision', { replicas: 2 })),
});

export const twoCycles = scenario({
  id: 'provisioning/two-cycles',
  title: 'a workload scales out to the requested number of nodes and back to none, twice: both rounds meet the same bounds',
  requirements: ['PRV-02', 'TRM-01', 'LEK-01'],
  pools: NODE_POOLS,
  async run(t) {
    const web = await t.deploy({ kind: 'Deployment', replicas: 0 });
    t.expect.served(web, 'provision');
    t.expect.latency(web, 'pending', 'running', 'provision');
    for (let cycle = 0; cycle < 2; cycle += 1) {
      await t.scale(web, t.nodes);
      await t.untilServed(web, 'provision');
      await scaleToNone(t, web);
    }
  },
});

/** Ten of them fill a node of NODE_TYPES. */
const TENTH_SIZED = { cpu: '180m', memory: '512Mi' } as const;

export const tenPodsPerNode = scenario({
  id: 'provisioning/ten-pods-per-node',
  profile: 'extended',
  title: 'ten pods for each of the requested nodes: all are served, and their nodes are removed when the pods go',
  requirements: ['PRV-01', 'TRM-01', 'LEK-01'],
  pools: NODE_POOLS,
  async run(t) {
    const web = await t.deploy({ kind: 'Deployment', replicas: 10 * t.nodes, ...TENTH_SIZED });
    t.expect.served(web, 'provision');
    await t.untilServed(web, 'provision');
    await scaleToNone(t, web);
  },
});

/** A pod of NODE_SIZED fits on a node of two CPUs without an agent of that size, and with it does not. */
const AGENT_SIZED = { cpu: '600m', memory: '256Mi' } as const;

export const daemonSetOverhead = scenario({
  id: 'provisioning/daemonset-overhead',
  title: 'a DaemonSet runs an agent on every node: new nodes are large enough for the pod and the agent',
  requirements: ['PRV-03', 'TRM-01'],
  pools: [pool('default', { instanceTypes: ['m6i.large', 'm6i.xlarge', 'm7i.large', 'm7i.xlarge'] })],
  async run(t) {
    // Higher priority than the pods, as usual for agents: it takes its share even if the pods were there first.
    await t.daemonSet({ name: 'agent', ...AGENT_SIZED, priorityClassName: 'system-node-critical' });
    await scaleToNone(t, await serve(t, 'provision', { replicas: 4, apartOver: LABEL.hostname }));
  },
});

export const daemonSetOnRegisteredNodes = scenario({
  id: 'provisioning/daemonset-on-registered-nodes',
  title: 'an agent selects a label that nodes get when they are registered: new nodes are large enough for the pod and the agent',
  requirements: ['PRV-03', 'TRM-01'],
  pools: [pool('default', { instanceTypes: ['m6i.large', 'm6i.xlarge', 'm7i.large', 'm7i.xlarge'] })],
  async run(t) {
    // Where nodes never get the label, the agent runs nowhere, and the pods have all of the room.
    const nodeSelector = { 'karpenter.sh/registered': 'true' };
    await t.daemonSet({ name: 'agent', ...AGENT_SIZED, nodeSelector, priorityClassName: 'system-node-critical' });
    await scaleToNone(t, await serve(t, 'provision', { replicas: 4, apartOver: LABEL.hostname }));
  },
});

export const daemonSetOfOneType = scenario({
  id: 'provisioning/daemonset-of-one-type',
  title: 'a large agent runs on the larger of two types only, and leaves no room for a pod there: pods get nodes of the smaller type',
  requirements: ['PRV-03'],
  pools: [pool('default', { instanceTypes: ['m6i.large', 'm6i.xlarge'] })],
  async run(t) {
    t.expect.launchedAtMost(3);
    await t.daemonSet({ name: 'agent', cpu: '3', memory: '1Gi', nodeSelector: { [LABEL.instanceType]: 'm6i.xlarge' } });
    await serve(t, 'provision', { replicas: 3 });
  },
});

export const newDaemonSet = scenario({
  id: 'provisioning/new-daemonset',
  title: 'a DaemonSet is deployed when the nodes are full: nothing is launched for it',
  requirements: ['PRV-04'],
  pools: NODE_POOLS,
  async run(t) {
    await serve(t, 'provision', { replicas: 3 });
    // Before that, launches may be for the pods.
    await t.pass('launch-lag');
    // It doesn't fit on these nodes, but would on an empty one of the same type.
    const agent = await t.daemonSet({ name: 'agent', cpu: '600m', memory: '512Mi' });
    t.expect.noLaunchFor(agent);
    await t.pass('launch-lag', 2);
  },
});

export const podsPerNode = scenario({
  id: 'provisioning/pods-per-node',
  title: 'many pods request almost nothing: no more of them are planned onto a node than its type has addresses for',
  requirements: ['PRV-05', 'CST-01'],
  pools: [pool('default', { instanceTypes: ['m6i.large', 'm7i.large'] })],
  async run(t) {
    // Four nodes are enough; even at half that density eight are.
    t.expect.launchedAtMost(8);
    await serve(t, 'provision', { name: 'tiny', replicas: 90, cpu: '10m', memory: '16Mi' });
  },
});

/** Two pods within a limit, then ten more that each need a node: the limit leaves room for three nodes. */
async function meetLimit(t: Trial, size: Pick<WorkloadSpec, 'cpu' | 'memory'>): Promise<void> {
  await serve(t, 'provision', { name: 'within', replicas: 2, ...size });
  const beyond = await t.deploy({
    name: 'beyond',
    replicas: 10,
    ...size,
    truth: impossible('the limit of the pool leaves room for only three more nodes'),
  });
  t.expect.explained(beyond, [], 'provision');
  // Longer than they would need to be served, so that it is known what is reported about unserved ones.
  await t.pass('provision', 1.5);
  await t.remove(beyond);
}

export const nodeLimit = scenario({
  id: 'provisioning/node-limit',
  title: "ten pods each need a node, and the pool's limit is five nodes: the limit holds, and the reason is given for the pods that wait",
  requirements: ['LIM-01', 'LIM-02', 'TEL-04'],
  features: ['node-limits'],
  pools: [pool('default', { instanceTypes: NODE_TYPES, limits: { nodes: 5 } })],
  run: (t) => meetLimit(t, NODE_SIZED),
});

export const cpuLimit = scenario({
  id: 'provisioning/cpu-limit',
  title:
    "ten pods each need a 2-CPU node, and the pool's limit is eleven CPUs: five nodes at most, and the reason is given for the pods that wait",
  requirements: ['LIM-01', 'LIM-02', 'TEL-04'],
  pools: [pool('default', { instanceTypes: NODE_TYPES, limits: { cpu: 11 } })],
  run: (t) => meetLimit(t, NODE_SIZED),
});

export const memoryLimit = scenario({
  id: 'provisioning/memory-limit',
  title:
    "ten pods each need an 8 GiB node, and the pool's limit is 43 GiB: five nodes at most, and the reason is given for the pods that wait",
  requirements: ['LIM-01', 'LIM-02', 'TEL-04'],
  pools: [pool('default', { instanceTypes: NODE_TYPES, limits: { memoryMiB: 43 * 1024 } })],
  run: (t) => meetLimit(t, { cpu: '100m', memory: '5Gi' }),
});

export const limitBesideOtherPool = scenario({
  id: 'provisioning/limit-beside-other-pool',
  title: 'one of two pools has a limit of five CPUs, and three nodes of the other have six: two pods that need the limited one are served',
  requirements: ['LIM-02', 'LIM-01'],
  pools: [
    pool('limited', { instanceTypes: NODE_TYPES, labels: { team: 'a' }, limits: { cpu: 5 } }),
    pool('other', { instanceTypes: NODE_TYPES, labels: { team: 'b' } }),
  ],
  async run(t) {
    t.expect.launchedAtMost(5);
    await serve(t, 'provision', { name: 'other', replicas: 3, nodeSelector: { team: 'b' } });
    await serve(t, 'provision', { name: 'limited', replicas: 2, nodeSelector: { team: 'a' } });
  },
});

/** Longer than many clients wait for an answer: by then they have created another one. Go's client waits as long as it takes. */
const STORED_LATE_MS = 100_000;

export const cpuLimitWithLateClaims = scenario({
  id: 'provisioning/cpu-limit-with-late-claims',
  title:
    "two pods each need a 2-CPU node, the pool's limit is five CPUs, and what the autoscaler stores for them arrives after it has given up and tried again: the limit holds",
  requirements: ['LIM-01', 'API-08'],
  pools: [pool('default', { instanceTypes: NODE_TYPES, limits: { cpu: 5 } })],
  // Other autoscalers store nothing before they launch.
  faults: { late: mayFire(faults.lateRequest({ operations: ['create nodeclaims'], when: first(2), delayMs: STORED_LATE_MS })) },
  async run(t, { late }) {
    await t.inject(late);
    t.expect.launchedAtMost(2);
    await serve(t, 'recover', { replicas: 2, ...NODE_SIZED });
    await t.pause({ minMs: STORED_LATE_MS, maxMs: STORED_LATE_MS });
    await t.pass('launch-lag');
  },
});

export const farBelowLimits = scenario({
  id: 'provisioning/far-below-limits',
  title: 'sixteen pods each need a node and come nowhere near the limits of their pool: they are served as soon as without limits',
  requirements: ['LIM-02'],
  pools: [pool('default', { instanceTypes: NODE_TYPES, limits: { cpu: 1_000, memoryMiB: 4_000 * 1_024 } })],
  async run(t) {
    t.expect.launchedAtMost(16);
    await serve(t, 'provision', { replicas: 16 });
  },
});

export const preferredPool = scenario({
  id: 'provisioning/preferred-pool',
  title: 'two pools could serve the pods: the one with a weight is used, or the other, which has none, when the first has no capacity',
  requirements: ['PRV-09', 'CAP-07'],
  features: ['weights'],
  // By name the other one comes first, and its type costs more.
  pools: [pool('ordinary', { instanceTypes: ['m7i.large'] }), pool('preferred', { instanceTypes: ['m6i.large'], weight: 50 })],
  faults: { shortage: faults.insufficientCapacity({ instanceTypes: ['m6i.large'], errors: 'all' }) },
  async run(t, { shortage }) {
    t.expect.launchedFrom('preferred');
    await serve(t, 'provision', { name: 'first', replicas: 3 });

    await t.inject(shortage);
    t.expect.launchedFrom('ordinary');
    await serve(t, 'fallback', { name: 'second', replicas: 3 });
  },
});

export const taintedPool = scenario({
  id: 'provisioning/tainted-pool',
  title: 'pods that tolerate a tainted pool arrive with pods that do not: each gets nodes that it can use',
  requirements: ['PRV-10', 'REG-08'],
  features: ['taints'],
  pools: [
    pool('default', { instanceTypes: ['m6i.large'] }),
    pool('batch', {
      instanceTypes: ['m7i.large'],
      labels: { tier: 'batch' },
      taints: [{ key: 'batch', value: 'yes', effect: 'NoSchedule' }],
      startupTaints: [{ key: 'example.com/agent-not-ready', effect: 'NoSchedule' }],
    }),
  ],
  async run(t) {
    const web = await t.deploy({ replicas: 3 });
    const batch = await t.deploy({
      name: 'batch',
      replicas: 3,
      nodeSelector: { tier: 'batch' },
      tolerations: [{ key: 'batch', operator: 'Exists' }],
    });
    await serveTogether(t, 'provision', [web, batch]);
  },
});

/** All three of the SDK's attempts at each of four launches: then the autoscaler itself must find out what happened. */
const LOST_ANSWERS = 12;

export const poolDeletedDuringLaunch = scenario({
  id: 'provisioning/pool-deleted-during-launch',
  title: 'pods and pool are removed while launches are in progress and their answers are lost: every instance is still terminated',
  requirements: ['LEK-02', 'LEK-03', 'TRM-03'],
  features: ['pool-removal'],
  pools: NODE_POOLS,
  faults: {
    loss: faults.lostAnswer({ operations: LAUNCHES, when: first(LOST_ANSWERS) }),
  },
  async run(t, { loss }) {
    const lost = await t.inject(loss);
    const job = await t.deploy({ name: 'job', replicas: 4 });
    await t.untilFired(lost, 'launch-lag');
    // The pause depends on the seed, to hit every moment of the following attempts, and some after them.
    await t.pause({ minMs: 0, maxMs: 12_000 });
    await t.remove(job);
    await t.withdrawPools();
    await t.untilEmpty('teardown');
  },
});

/** As a user who changes his mind: before the launch is asked for, while it is, and after. */
const CHANGE_OF_MIND = { minMs: 0, maxMs: 5_000 } as const;
const CHANGES_OF_MIND = 4;
const BRIEF_PODS = 8;

export const shortLivedPods = scenario({
  id: 'provisioning/short-lived-pods',
  title: 'pods, their launches and their pool appear and disappear within moments: later pods are still served',
  requirements: ['STL-07'],
  pools: [pool('brief', { instanceTypes: ['m6i.large'] }), pool('default', { instanceTypes: ['m7i.large'] })],
  faults: { shortage: faults.insufficientCapacity({ instanceTypes: ['m6i.large'], errors: 'tried' }) },
  async run(t, { shortage }) {
    const come = (name: string, replicas: number): Promise<Workload> => {
      return t.deploy({ name, replicas, nodeSelector: { [LABEL.instanceType]: 'm6i.large' } });
    };
    for (let change = 1; change <= CHANGES_OF_MIND; change += 1) {
      const brief = await come(`brief-${change}`, BRIEF_PODS);
      await t.pause(CHANGE_OF_MIND);
      await t.remove(brief);
    }
    // More than can find room on what was launched until now: what is asked for besides is refused at once.
    const drought = await t.inject(shortage);
    const inVain = await come('in-vain', BRIEF_PODS * (CHANGES_OF_MIND + 1));
    await t.untilFired(drought, 'provision');
    await t.pass('provision');
    await t.remove(inVain);
    await drought.heal();
    await t.withdrawPools('brief');
    await serve(t, 'recover', { replicas: 3 });
  },
});

/** The claim is gone by then, as its launch is refused at once, and an autoscaler that looks for lost records hasn't looked yet. */
const ANSWER_LATE_MS = 5_000;

export const refusedBeforeRecorded = scenario({
  id: 'provisioning/refused-before-recorded',
  title: 'launches are refused, and their claims deleted, before the creation of the claims is answered: later pods are still served',
  requirements: ['STL-07'],
  pools: [pool('brief', { instanceTypes: ['m6i.large'] }), pool('default', { instanceTypes: ['m7i.large'] })],
  faults: {
    shortage: faults.insufficientCapacity({ instanceTypes: ['m6i.large'], errors: 'all' }),
    // Other autoscalers store nothing before they launch.
    slowAnswers: mayFire(faults.slowAnswer({ operations: ['create nodeclaims'], when: first(2), delayMs: ANSWER_LATE_MS })),
  },
  async run(t, { shortage, slowAnswers }) {
    const drought = await t.inject(shortage);
    await t.inject(slowAnswers);
    const waiting = await t.deploy({
      name: 'waiting',
      replicas: 2,
      nodeSelector: { [LABEL.instanceType]: 'm6i.large' },
      truth: servedAfterHeal('its type has no capacity'),
    });
    t.expect.served(waiting, 'recover');
    await t.untilFired(drought, 'provision');
    await t.pass('launch-lag');
    await drought.heal();
    await serve(t, 'recover', { name: 'later', replicas: 3, nodeSelector: { [LABEL.instanceType]: 'm7i.large' } });
    await t.untilServed(waiting, 'recover');
  },
});

const NO_NODES = faults.slowRegistration({ never: true });

export const nodeLimitBeforeRegistration = scenario({
  id: 'provisioning/node-limit-before-registration',
  title: "no node registers, eight pods each need a node, and the pool's limit is three nodes: the limit holds, even during replacements",
  requirements: ['LIM-03'],
  features: ['node-limits'],
  pools: [pool('default', { instanceTypes: NODE_TYPES, limits: { nodes: 3 } })],
  under: [NO_NODES],
  run: meetLimitWithoutNodes,
});

export const cpuLimitBeforeRegistration = scenario({
  id: 'provisioning/cpu-limit-before-registration',
  title:
    "no node registers, eight pods each need a 2-CPU node, and the pool's limit is seven CPUs: the limit holds, even during replacements",
  requirements: ['LIM-03'],
  pools: [pool('default', { instanceTypes: NODE_TYPES, limits: { cpu: 7 } })],
  under: [NO_NODES],
  run: meetLimitWithoutNodes,
});

/** Eight pods that each need a node, of which the pool allows three, and none ever registers. */
async function meetLimitWithoutNodes(t: Trial): Promise<void> {
  const web = await t.deploy({ replicas: 8, truth: impossible('no kubelet registers, and the pool allows three nodes') });
  // Until the first are given up, and what comes in their place has been launched.
  await t.pass('instance-without-node');
  await t.remove(web);
}

export const identicalPools = scenario({
  id: 'provisioning/identical-pools',
  title: 'two identical pools could serve pods that each fill a node: no more nodes are launched than there are pods',
  requirements: ['PRV-11'],
  pools: [pool('one', { instanceTypes: ['m6i.large'] }), pool('other', { instanceTypes: ['m6i.large'] })],
  async run(t) {
    t.expect.launchedAtMost(4);
    await serve(t, 'provision', { replicas: 4 });
    await t.pass('launch-lag');
  },
});
