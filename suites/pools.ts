import { faults } from '../faults/catalogue.ts';
import { mayFire } from '../faults/fault.ts';
import { always } from '../faults/triggers.ts';
import { pool, scenario } from '../harness/scenario.ts';
import { NODE_POOLS, NODE_TYPES, OPTED_OUT, SPREAD_OVER_ZONES, impossible, servedAfterHeal } from '../harness/shapes.ts';
import { serve, serveTogether } from '../harness/steps.ts';
import { storageClass, volumeClaim, volumeIn } from '../harness/volumes.ts';
import { LABEL, WORKLOAD_LABEL } from '../model/kube.ts';
import type { Volume } from '../model/kube.ts';
import { deploySlowToEnd, drainToTheEnd } from './parts.ts';

/** No pod tolerates this: such a pool only shows what pods should get. */
const FOR_NOBODY = [{ key: 'example.com/nobody', effect: 'NoSchedule' }] as const;

const MINUTE_MS = 60_000;

const EXPIRED_AFTER_MS = 10 * MINUTE_MS;

export const expiredNodes = scenario({
  id: 'pools/expired-nodes',
  title: 'nodes reach the maximum age that their pool allows: they are replaced, and their pods run again',
  requirements: ['DIS-10'],
  features: ['expiry'],
  pools: [pool('default', { instanceTypes: NODE_TYPES, expireAfterMs: EXPIRED_AFTER_MS })],
  async run(t) {
    // Where a node may take long to be removed, the trial lasts until its replacement, and that one's, has expired.
    const lastsMs = t.lengthMs('provision') + t.lengthMs('expiry') + t.lengthMs('provision') + t.lengthMs('launch-lag');
    t.expect.launchedAtMost(3 * (1 + Math.floor(lastsMs / EXPIRED_AFTER_MS)));
    const web = await serve(t, 'provision', { kind: 'Deployment', replicas: 3 });
    await t.emptied('expiry');
    await t.untilServed(web, 'provision');
  },
});

export const expiredWithinBudget = scenario({
  id: 'pools/expired-within-budget',
  title: 'nodes with protected pods expire at the same time: the pods move within their budget, and none is deleted',
  requirements: ['DIS-10', 'BUD-01', 'BUD-02'],
  features: ['expiry'],
  pools: [pool('default', { instanceTypes: NODE_TYPES, expireAfterMs: EXPIRED_AFTER_MS })],
  async run(t) {
    const web = await serve(t, 'provision', { kind: 'Deployment', replicas: 3, budget: { maxUnavailable: 1 } });
    await t.emptied('expiry-in-turn');
    await t.untilServed(web, 'provision');
  },
});

export const terminationGraceBlockedDrain = scenario({
  id: 'pools/termination-grace-blocked-drain',
  title:
    "pods that can never be evicted, or must not be disrupted, block a drain: their nodes are terminated when the pool's grace period is over",
  requirements: ['TRM-04', 'TRM-05'],
  features: ['termination-grace', 'pool-removal'],
  pools: [pool('default', { instanceTypes: NODE_TYPES, terminationGracePeriodMs: 5 * MINUTE_MS })],
  async run(t) {
    const web = await t.deploy({ replicas: 2, budget: { minAvailable: 2 } });
    const job = await t.deploy({ name: 'job', replicas: 1, annotations: OPTED_OUT });
    await drainToTheEnd(t, [web, job]);
  },
});

export const terminationGraceSlowPods = scenario({
  id: 'pools/termination-grace-slow-pods',
  title:
    'nodes may drain for ten minutes: protected pods that need four minutes to terminate get them, and pods that need an hour are cut off when the time is over',
  requirements: ['TRM-04', 'TRM-05'],
  features: ['termination-grace', 'pool-removal'],
  pools: [pool('default', { instanceTypes: NODE_TYPES, terminationGracePeriodMs: 10 * MINUTE_MS })],
  run: async (t) => drainToTheEnd(t, await deploySlowToEnd(t)),
});

export const minimumValuesNotMet = scenario({
  id: 'pools/minimum-values-not-met',
  title:
    'the preferred pool requires three types but allows two: nothing is launched from it, the reason is given, and the other pool serves the pods',
  requirements: ['PRV-13', 'PRV-09', 'TEL-02'],
  features: ['minimum-values', 'weights'],
  pools: [
    pool('broad', {
      instanceTypes: ['m6i.large', 'm6a.large'],
      labels: { tier: 'broad' },
      minimumValues: { [LABEL.instanceType]: 3 },
      weight: 50,
    }),
    pool('spare', { instanceTypes: ['m7i.large'], weight: 1 }),
  ],
  async run(t) {
    t.expect.launchedFrom('spare');
    const only = await t.deploy({
      name: 'only-broad',
      replicas: 2,
      nodeSelector: { tier: 'broad' },
      truth: impossible('its pool requires more types than it allows'),
    });
    t.expect.noLaunchFor(only);
    t.expect.explained(only, [LABEL.instanceType]);
    await serve(t, 'provision', { replicas: 3 });
    await t.pass('explain');
  },
});

export const minimumValues = scenario({
  id: 'pools/minimum-values',
  title:
    'a pool requires three types and two zones: every launch offers that choice, and pods that narrow it too far stay pending, with a reason',
  requirements: ['PRV-13'],
  features: ['minimum-values'],
  pools: [pool('default', { instanceTypes: NODE_TYPES, minimumValues: { [LABEL.instanceType]: 3, [LABEL.zone]: 2 } })],
  async run(t) {
    // First: while launching, their nodes still have room for a pod that arrives then. Once running, each pod fills its node.
    await serve(t, 'provision', { replicas: 5 });
    const picky = await t.deploy({
      name: 'picky',
      replicas: 1,
      nodeSelector: { [LABEL.zone]: 'us-east-1a' },
      truth: impossible('it allows one zone, but its pool requires two'),
    });
    t.expect.noLaunchFor(picky);
    t.expect.explained(picky, [LABEL.zone]);
    await t.pass('explain');
  },
});

const AGENT = { key: 'example.com/agent-not-ready', effect: 'NoSchedule' } as const;
const STARTING_POOLS = [pool('default', { instanceTypes: NODE_TYPES, startupTaints: [AGENT] })];

export const startupTaintsRemovedLate = scenario({
  id: 'pools/startup-taints-removed-late',
  title: 'agents take five minutes to remove the startup taints: pods wait for these nodes, and no others are launched',
  requirements: ['REG-08'],
  features: ['taints'],
  capabilities: ['boot.delay'],
  pools: STARTING_POOLS,
  async run(t) {
    await t.inject(faults.startupAgents({ afterMs: Math.min(5 * MINUTE_MS, Math.floor(t.constants.registrationTimeoutMs / 3)) }));
    t.expect.launchedAtMost(3);
    await serve(t, 'registration', { replicas: 3 });
  },
});

/** One per node, in turn. */
const AGENTS_AFTER_MS = [0, 0, 50, 100, 200, 300, 500, 1_000];

export const startupTaintsRemovedEarly = scenario({
  id: 'pools/startup-taints-removed-early',
  title: 'agents remove startup taints, once, while the autoscaler writes to the same nodes: the taints are not put back',
  requirements: ['REG-09'],
  features: ['taints'],
  pools: STARTING_POOLS,
  // A write to a node is based on its state a moment before. An autoscaler that does not write there can't be delayed.
  under: [
    mayFire(faults.lateRequest({ operations: ['patch nodes', 'update nodes'], when: always, delayMs: 400 })),
    ...AGENTS_AFTER_MS.map((afterMs) => faults.startupAgents({ afterMs, count: 1 })),
  ],
  async run(t) {
    t.expect.launchedAtMost(AGENTS_AFTER_MS.length);
    await serve(t, 'provision', { replicas: AGENTS_AFTER_MS.length });
  },
});

function using(claimName: string): { readonly volumes: readonly Volume[] } {
  return { volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] };
}

const SMALL = { cpu: '250m', memory: '256Mi' } as const;

export const volumeZones = scenario({
  id: 'pools/volume-zones',
  title:
    'some volumes exist in one zone, some can be created in only one, and some anywhere: each pod gets a node that can attach its volume',
  requirements: ['SCH-10'],
  features: ['volumes'],
  capabilities: ['volumes.create'],
  pools: NODE_POOLS,
  async run(t) {
    await t.apply([
      ...volumeIn('us-east-1a', 'data-a'),
      ...volumeIn('us-east-1b', 'data-b'),
      storageClass('only-c', ['us-east-1c']),
      storageClass('anywhere', []),
      volumeClaim('made-in-c', { storageClassName: 'only-c' }),
      volumeClaim('made-anywhere', { storageClassName: 'anywhere' }),
    ]);
    const names = ['data-a', 'data-b', 'made-in-c', 'made-anywhere'];
    const workloads = await Promise.all(names.map((name) => t.deploy({ name, replicas: 1, ...SMALL, ...using(name) })));
    await serveTogether(t, 'provision', workloads);
  },
});

export const volumeOfTwoZones = scenario({
  id: 'pools/volume-of-two-zones',
  title: 'a volume exists in two zones, and pods that use such volumes are allowed in one of them: each gets its node there',
  requirements: ['SCH-10'],
  features: ['volumes'],
  pools: NODE_POOLS,
  async run(t) {
    const zones = ['us-east-1a', 'us-east-1b'];
    await t.apply(zones.flatMap((zone) => volumeIn(zones, `data-${zone}`)));
    const workloads = await Promise.all(
      zones.map((zone) => t.deploy({ name: zone, replicas: 1, nodeSelector: { [LABEL.zone]: zone }, ...using(`data-${zone}`) })),
    );
    await serveTogether(t, 'provision', workloads);
  },
});

export const missingStorageClass = scenario({
  id: 'pools/missing-storage-class',
  title:
    'a pod with a missing storage class arrives with ten healthy pods: the healthy pods are served, and the reason why the other one waits is given',
  requirements: ['SCH-07', 'SCH-08', 'TEL-01'],
  features: ['volumes'],
  pools: NODE_POOLS,
  async run(t) {
    await t.apply([volumeClaim('data', { storageClassName: 'no-such-class' })]);
    const poison = await t.deploy({
      name: 'poison',
      replicas: 1,
      ...SMALL,
      ...using('data'),
      truth: impossible('its storage class does not exist'),
    });
    t.expect.noLaunchFor(poison);
    // Who does not look up the class sees a claim that is not bound, as the scheduler does.
    t.expect.explained(poison, ['no-such-class|PersistentVolumeClaim']);
    await serve(t, 'provision', { name: 'healthy', replicas: 10 });
    await t.pass('explain');
  },
});

export const volumeZoneIsFull = scenario({
  id: 'pools/volume-zone-is-full',
  title:
    "a pod's volume is in a zone where its spread allows no further pod: nothing is launched for it, and the reason why it waits is given",
  requirements: ['SCH-08', 'TEL-02'],
  features: ['volumes'],
  pools: NODE_POOLS,
  async run(t) {
    await t.apply([...volumeIn('us-east-1a', 'data-0'), ...volumeIn('us-east-1a', 'data-1')]);
    const labelSelector = { matchExpressions: [{ key: WORKLOAD_LABEL, operator: 'In' as const, values: ['first', 'second'] }] };
    const database = { replicas: 1, spread: [{ ...SPREAD_OVER_ZONES, labelSelector }] };
    const first = await t.deploy({ name: 'first', ...database, ...using('data-0') });
    // Its node makes the other zone one that the scheduler counts.
    const elsewhere = await t.deploy({ name: 'elsewhere', replicas: 1, nodeSelector: { [LABEL.zone]: 'us-east-1b' } });
    await serveTogether(t, 'provision', [first, elsewhere]);
    // A launch later than that can't be for these pods.
    await t.pass('launch-lag');
    const truth = impossible('its volume is in us-east-1a, where its spread allows no second pod while us-east-1b has none');
    const second = await t.deploy({ name: 'second', ...database, ...using('data-1'), truth });
    t.expect.noLaunchFor(second);
    t.expect.explained(second, ['spread']);
    await t.pass('explain');
  },
});

const LARGE_TYPES = ['m5d.24xlarge', 'r5.24xlarge'] as const;
/** As large as the others, but cheaper. */
const METAL_TYPES = ['c5.metal', 'm5.metal'] as const;

export const bareMetal = scenario({
  id: 'pools/bare-metal',
  title: 'a pool allows bare metal and more expensive virtual machines of the same size: only pods that ask for bare metal get it',
  requirements: ['CST-04', 'SCH-01'],
  pools: [
    pool('default', { instanceTypes: [...METAL_TYPES, ...LARGE_TYPES] }),
    // No pod tolerates this taint: the pool shows what ordinary pods should get.
    pool('ordinary', { instanceTypes: LARGE_TYPES, taints: FOR_NOBODY }),
  ],
  async run(t) {
    t.expect.launchedFrom('ordinary');
    await serve(t, 'provision', { name: 'plain', replicas: 2, cpu: '80', memory: '64Gi' });
    t.expect.launchedFrom('default');
    await serve(t, 'provision', {
      name: 'metal',
      replicas: 1,
      cpu: '80',
      memory: '64Gi',
      nodeSelector: { [LABEL.instanceType]: 'm5.metal' },
    });
  },
});

/** Eight CPUs and one GPU. */
const GPU_TYPE = 'g4dn.2xlarge';
/** As large as a GPU_TYPE, but more expensive. */
const WITHOUT_GPU = ['i3en.2xlarge', 'r6idn.2xlarge'] as const;
/** Only their GPUs keep two of them from sharing a node. */
const GPU_SIZED = { cpu: '1', memory: '4Gi', gpus: 1 } as const;
const GPU_POOL = pool('default', { instanceTypes: [GPU_TYPE, ...WITHOUT_GPU] });

/** More types than an autoscaler offers to EC2 at once (Karpenter: 60), all of them large. By name they come before the small ones. */
const SIXTY_FOUR_LARGE = [
  'c5a',
  'c6a',
  'c6i',
  'c7a',
  'c7i',
  'm5',
  'm5a',
  'm5d',
  'm6a',
  'm6i',
  'm7a',
  'm7i',
  'r5',
  'r5a',
  'r6a',
  'r6i',
].flatMap((family) => ['4xlarge', '8xlarge', '12xlarge', '16xlarge'].map((size) => `${family}.${size}`));
const SMALL_TYPES = ['t3.medium', 't3a.medium'];

export const manyTypes = scenario({
  id: 'pools/many-types',
  title: 'a pool allows two small types and 64 large ones: one small pod gets a small node',
  requirements: ['CST-08'],
  features: ['consolidation'],
  pools: [
    pool('default', { instanceTypes: [...SIXTY_FOUR_LARGE, ...SMALL_TYPES] }),
    // No pod tolerates this taint: the pool shows what the pod should get.
    pool('small', { instanceTypes: SMALL_TYPES, taints: FOR_NOBODY }),
  ],
  async run(t) {
    t.expect.launchedAtMost(1);
    t.expect.launchedFrom('small');
    await serve(t, 'provision', { replicas: 1, cpu: '500m', memory: '512Mi' });
  },
});

export const gpuPods = scenario({
  id: 'pools/gpu-pods',
  title: 'a pool allows types with and without GPUs: pods that request a GPU get one node each, and other pods get no GPU nodes',
  requirements: ['PRV-16', 'REG-12', 'CST-04'],
  features: ['gpus'],
  capabilities: ['nodes.devices'],
  pools: [
    GPU_POOL,
    // No pod tolerates this taint: the pool shows what pods without GPUs should get.
    pool('ordinary', { instanceTypes: WITHOUT_GPU, taints: FOR_NOBODY }),
  ],
  async run(t) {
    t.expect.launchedAtMost(2 + 2 + 1);
    t.expect.launchedFrom('ordinary');
    await serve(t, 'provision', { name: 'plain', replicas: 2, cpu: '5', memory: '8Gi' });
    t.expect.launchedFrom('default');
    const workloads = await Promise.all([
      t.deploy({ name: 'gpu', replicas: 2, ...GPU_SIZED }),
      // It fits on none of the first nodes, and on a GPU node it leaves room for a pod that needs the GPU.
      t.deploy({ name: 'beside', replicas: 1, cpu: '3', memory: '4Gi' }),
    ]);
    await serveTogether(t, 'devices', workloads);
  },
});

/** Found by the explorer: the reference wrote a label that no API server accepts, and never recorded the instance that it had launched. */
export const gpuNameWithSpaces = scenario({
  id: 'pools/gpu-name-with-spaces',
  title: "the name of the types' GPUs has spaces, which no label may have: pods that request a GPU get their nodes all the same",
  requirements: ['PRV-16'],
  features: ['gpus'],
  capabilities: ['nodes.devices'],
  pools: [pool('default', { instanceTypes: ['g7e.2xlarge'] })],
  async run(t) {
    t.expect.launchedAtMost(2);
    await serve(t, 'provision', { name: 'gpu', replicas: 2, ...GPU_SIZED });
  },
});

export const gpusOfferedLate = scenario({
  id: 'pools/gpus-offered-late',
  title:
    'device plugins register five minutes after their nodes are Ready: pods wait for these nodes, which stay, and no others are launched',
  requirements: ['REG-12'],
  features: ['gpus'],
  capabilities: ['boot.delay', 'nodes.devices'],
  pools: [GPU_POOL],
  async run(t) {
    await t.inject(faults.lateDevices({ delayMs: Math.min(5 * MINUTE_MS, Math.floor(t.constants.registrationTimeoutMs / 3)) }));
    t.expect.launchedAtMost(2);
    const gpu = await t.deploy({ name: 'gpu', replicas: 2, ...GPU_SIZED });
    t.expect.served(gpu, 'registration');
    await t.untilLaunched(2, 'provision');
    await t.kept('registration');
  },
});

export const mixedArchitectures = scenario({
  id: 'pools/mixed-architectures',
  title: 'a pool allows two architectures, and pods for either or both arrive at once: all of them are served',
  requirements: ['SCH-02', 'SCH-01', 'CST-06'],
  capabilities: ['nodes.arm64'],
  pools: [pool('default', { architectures: ['amd64', 'arm64'], instanceTypes: ['m6i.large', 'm6g.large', 'm7i.large', 'm7g.large'] })],
  async run(t) {
    const among = (...values: string[]): { readonly nodeAffinity: readonly { key: string; operator: 'In'; values: string[] }[] } => ({
      nodeAffinity: [{ key: LABEL.arch, operator: 'In', values }],
    });
    const workloads = await Promise.all([
      t.deploy({ name: 'intel', replicas: 3, ...among('amd64') }),
      t.deploy({ name: 'graviton', replicas: 3, ...among('arm64') }),
      t.deploy({ name: 'both', replicas: 3, ...among('amd64', 'arm64') }),
    ]);
    await serveTogether(t, 'provision', workloads);
  },
});

export const minDomains = scenario({
  id: 'pools/min-domains',
  title: 'pods that must spread over three zones arrive when only one zone has nodes: the other two zones get nodes',
  requirements: ['SCH-05'],
  pools: [pool('default', { instanceTypes: ['m6i.xlarge', 'm7i.xlarge'] })],
  async run(t) {
    await serve(t, 'provision', { name: 'first', replicas: 1, ...SMALL, nodeSelector: { [LABEL.zone]: 'us-east-1a' } });
    const spread = [{ ...SPREAD_OVER_ZONES, minDomains: 3 } as const];
    await serve(t, 'provision', { replicas: 3, ...SMALL, spread });
  },
});

export const exclusivePools = scenario({
  id: 'pools/pool-per-team',
  title:
    'two teams each have a tainted, labelled pool: each gets its own nodes, and a pod that belongs to no team gets no node, and the reason is given',
  requirements: ['PRV-10', 'PRV-08', 'SCH-08', 'TEL-01'],
  features: ['taints'],
  pools: ['red', 'blue'].map((team, index) =>
    pool(team, {
      instanceTypes: [index === 0 ? 'm6i.large' : 'm7i.large'],
      labels: { team },
      taints: [{ key: 'team', value: team, effect: 'NoSchedule' }],
    }),
  ),
  async run(t) {
    const nobody = await t.deploy({ name: 'nobody', replicas: 1, truth: impossible('it tolerates the taint of neither pool') });
    t.expect.noLaunchFor(nobody);
    t.expect.explained(nobody, ['taint|tolerat']);
    const teams = await Promise.all(
      ['red', 'blue'].map((team) =>
        t.deploy({
          name: team,
          replicas: 3,
          nodeSelector: { team },
          tolerations: [{ key: 'team', operator: 'Equal', value: team, effect: 'NoSchedule' }],
        }),
      ),
    );
    await serveTogether(t, 'provision', teams);
    await t.pass('explain');
  },
});

export const staticCapacity = scenario({
  id: 'pools/static-capacity',
  title: 'a pool has a fixed size of three nodes: empty nodes stay, and a lost node is replaced',
  requirements: ['PRV-14'],
  features: ['static-capacity'],
  pools: [...NODE_POOLS, pool('static', { instanceTypes: NODE_TYPES, labels: { tier: 'static' }, replicas: 3 })],
  faults: {
    shortage: faults.insufficientCapacity({ errors: 'all' }),
    end: faults.instanceEnd({ count: 1 }),
  },
  async run(t, { shortage, end }) {
    await t.untilLaunched(3, 'provision');
    await t.pass('provision');
    await t.pass('scale-in');
    // From here on pods can only be served by the nodes that were kept.
    const drought = await t.inject(shortage);
    const web = await t.deploy({ replicas: 3, nodeSelector: { tier: 'static' } });
    t.expect.served(web, 'replacement');
    t.expect.latency(web, 'pending', 'running', 'provision');
    await t.untilServed(web, 'provision');
    // The others need nodes of the other pool, one each; a lost node is replaced once.
    const others = await t.deploy({ name: 'others', replicas: 2, truth: servedAfterHeal('there is no capacity') });
    t.expect.served(others, 'recover');
    t.expect.launchedAtMost(3 + 2 + 1);
    await t.untilFired(drought, 'provision');
    await drought.heal();
    await t.untilServed(others, 'recover');
    await t.injectUntilFired(end, 'provision');
    await t.pass('node-without-instance');
    for (const workload of [web, others]) await t.untilServed(workload, 'replacement');
  },
});

export const staticCapacityDrift = scenario({
  id: 'pools/static-capacity-drift',
  title: 'a fixed-size pool of three nodes switches to another instance type: nodes are replaced within the budget, and pods keep running',
  requirements: ['DIS-07', 'BUD-06', 'PRV-14'],
  features: ['static-capacity', 'drift', 'disruption-budgets'],
  pools: [pool('default', { instanceTypes: ['m6i.large'], replicas: 3 })],
  async run(t) {
    t.expect.launchedAtMost(3 + 3);
    const web = await serve(t, 'provision', { replicas: 3 });
    t.expect.neverWithoutNode(web);
    const disruption = { consolidation: 'when-empty', budgets: [{ nodes: '1' }] } as const;
    await t.changePool(pool('default', { instanceTypes: ['m7i.large'], replicas: 3, disruption }));
    t.expect.launchedFrom('default');
    await t.emptied('drift');
  },
});

export const staticCapacitySmaller = scenario({
  id: 'pools/static-capacity-smaller',
  title: 'a fixed-size pool of four nodes shrinks to two: the two nodes without pods are removed, and pods keep running',
  requirements: ['PRV-17'],
  features: ['static-capacity'],
  pools: [pool('default', { instanceTypes: NODE_TYPES, replicas: 4 })],
  async run(t) {
    t.expect.launchedAtMost(4);
    await t.untilLaunched(4, 'provision');
    const web = await serve(t, 'provision', { replicas: 2 });
    t.expect.neverWithoutNode(web);
    await t.changePool(pool('default', { instanceTypes: NODE_TYPES, replicas: 2 }));
    await t.consolidated(2, 'consolidation');
    await t.untilServed(web, 'provision');
  },
});

const TINY = { cpu: '10m', memory: '16Mi' } as const;

export const maximumPods = scenario({
  id: 'pools/maximum-pods',
  title: 'the nodes of one pool take at most eight pods, those of another a hundred: neither gets more nodes than its pods need',
  requirements: ['PRV-15'],
  features: ['node-settings'],
  pools: [
    pool('sparse', { instanceTypes: ['m6i.large'], labels: { tier: 'sparse' }, nodeSettings: { kubelet: { maxPods: 8 } } }),
    pool('dense', { instanceTypes: ['m6i.large'], labels: { tier: 'dense' }, nodeSettings: { kubelet: { maxPods: 100 } } }),
  ],
  async run(t) {
    t.expect.launchedAtMost(3 + 1);
    const workloads = await Promise.all([
      t.deploy({ name: 'sparse', replicas: 24, ...TINY, nodeSelector: { tier: 'sparse' } }),
      t.deploy({ name: 'dense', replicas: 60, ...TINY, nodeSelector: { tier: 'dense' } }),
    ]);
    await serveTogether(t, 'provision', workloads);
  },
});

export const kubeletReservations = scenario({
  id: 'pools/kubelet-reservations',
  title: 'kubelets reserve more memory than usual: pods that only fit without the reservations get larger nodes at once',
  requirements: ['PRV-15'],
  features: ['node-settings'],
  pools: [
    pool('default', {
      instanceTypes: ['m6i.large', 'm6i.xlarge'],
      nodeSettings: {
        kubelet: { kubeReserved: { memory: '2Gi' }, systemReserved: { memory: '512Mi' }, evictionHard: { 'memory.available': '10%' } },
      },
    }),
  ],
  async run(t) {
    t.expect.launchedAtMost(3);
    await serve(t, 'provision', { replicas: 3, cpu: '1', memory: '5Gi', apartOver: LABEL.hostname });
  },
});

export const userDataLabels = scenario({
  id: 'pools/user-data-labels',
  title:
    'a label is set on nodes only by their user data: it stays, nothing counts as drift, and pods that select it run on the nodes that have it',
  requirements: ['REG-10'],
  features: ['node-settings'],
  pools: [pool('default', { instanceTypes: NODE_TYPES, nodeSettings: { userDataLabels: { 'example.com/disk': 'fast' } } })],
  async run(t) {
    t.expect.launchedAtMost(2);
    await serve(t, 'provision', { replicas: 2, cpu: '1200m', memory: '1Gi' });
    await t.kept('drift');
    await serve(t, 'provision', { name: 'picky', replicas: 2, ...SMALL, nodeSelector: { 'example.com/disk': 'fast' } });
  },
});
