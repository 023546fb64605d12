import { faults } from '../faults/catalogue.ts';
import { pool, scenario } from '../harness/scenario.ts';
import type { UserObject, Workload, WorkloadSpec } from '../harness/scenario.ts';
import { NODE_POOLS, NODE_SIZED, NODE_TYPES, ONE_TYPE, SPREAD_OVER_ZONES, impossible, owedNothing } from '../harness/shapes.ts';
import { serve, serveTogether } from '../harness/steps.ts';
import type { Truth } from '../history/events.ts';
import { defined } from '../model/defined.ts';
import { LABEL, WORKLOAD_LABEL } from '../model/kube.ts';
import type { Container, NodeSelectorRequirement, PodSpec, ReplicaSet } from '../model/kube.ts';

export const spotSpread = scenario({
  id: 'scheduling/spot-spread',
  title: 'fifty pods that must spread over three zones arrive in a spot pool: all of them are served',
  requirements: ['PRV-01', 'SCH-04'],
  features: ['spot'],
  pools: [pool('spot', { capacityTypes: ['spot'] })],
  async run(t) {
    // With only one node there is one domain and no skew; with a node in each zone the constraint counts.
    const first = await Promise.all(
      ['a', 'b', 'c'].map((zone) => t.deploy({ name: `first-${zone}`, replicas: 1, nodeSelector: { [LABEL.zone]: `us-east-1${zone}` } })),
    );
    await serveTogether(t, 'provision', first);
    const web = await t.deploy({ replicas: 50, cpu: '500m', memory: '1Gi', spread: [SPREAD_OVER_ZONES] });
    t.expect.served(web, 'provision');
    t.expect.latency(web, 'pending', 'running', 'provision');
    await t.untilServed(web, 'provision');
  },
});

export const spreadBesideOtherPool = scenario({
  id: 'scheduling/spread-beside-other-pool',
  title:
    'pods must spread over zones and select a pool of one zone, beside a pool of three zones that they do not select: all of them are served',
  requirements: ['SCH-04'],
  pools: [
    pool('red', { instanceTypes: NODE_TYPES, zones: ['us-east-1a'], labels: { team: 'red' } }),
    pool('blue', { instanceTypes: NODE_TYPES, labels: { team: 'blue' } }),
  ],
  async run(t) {
    // The scheduler counts only the zones of nodes that a pod selects, so there is one zone, and no skew.
    await serve(t, 'provision', { replicas: 3, nodeSelector: { team: 'red' }, spread: [SPREAD_OVER_ZONES] });
  },
});

export const spreadBesideUnusablePool = scenario({
  id: 'scheduling/spread-beside-unusable-pool',
  title:
    'pods must spread over zones; their pool has two, and another one has three but requires more types than it allows: all pods are served',
  requirements: ['SCH-04'],
  features: ['minimum-values'],
  pools: [
    pool('default', { instanceTypes: NODE_TYPES, zones: ['us-east-1a', 'us-east-1b'] }),
    pool('broad', { instanceTypes: ['m6i.large'], minimumValues: { [LABEL.instanceType]: 3 } }),
  ],
  async run(t) {
    // No node will ever be in the third zone, so the scheduler does not count it.
    await serve(t, 'provision', { replicas: 3, spread: [SPREAD_OVER_ZONES] });
  },
});

export const podAntiAffinity = scenario({
  id: 'scheduling/pod-anti-affinity',
  title: 'some pods must not share a host, others must not share a zone: each gets a host or a zone to itself',
  requirements: ['SCH-03'],
  pools: [pool('default', { instanceTypes: ['m6i.xlarge', 'm7i.xlarge'] })],
  async run(t) {
    const hosts = await t.deploy({ name: 'hosts', replicas: 6, cpu: '250m', memory: '256Mi', apartOver: LABEL.hostname });
    const zones = await t.deploy({ name: 'zones', replicas: 3, cpu: '250m', memory: '256Mi', apartOver: LABEL.zone });
    await serveTogether(t, 'provision', [hosts, zones]);
  },
});

export const nodeSelectors = scenario({
  id: 'scheduling/node-selectors',
  title: 'pods that ask for a zone, an architecture or a type arrive in one batch: each gets what it asks for',
  requirements: ['PRV-08', 'SCH-01', 'SCH-02'],
  capabilities: ['nodes.arm64'],
  pools: [pool('default', { architectures: ['amd64', 'arm64'] })],
  async run(t) {
    const asked: readonly (Pick<WorkloadSpec, 'name'> & Partial<WorkloadSpec>)[] = [
      { name: 'zone-b', nodeSelector: { [LABEL.zone]: 'us-east-1b' } },
      { name: 'arm', nodeSelector: { [LABEL.arch]: 'arm64' } },
      { name: 'type', nodeSelector: { [LABEL.instanceType]: 'c6i.2xlarge' } },
      // Each is left another zone, and fills its node, so that neither EC2's choice nor another's node suits all of them.
      ...['a', 'b', 'c'].map((only) => {
        const values = ['a', 'b', 'c'].filter((zone) => zone !== only).map((zone) => `us-east-1${zone}`);
        return { name: `only-${only}`, cpu: '7', nodeAffinity: [{ key: LABEL.zone, operator: 'NotIn' as const, values }] };
      }),
    ];
    const workloads = await Promise.all(asked.map((one) => t.deploy({ replicas: 2, cpu: '1', memory: '2Gi', ...one })));
    await serveTogether(t, 'provision', workloads);
  },
});

const SIZE = 'example.com/size';
const FAST = 'example.com/fast';
const TIER = 'example.com/tier';
const SAFE = 'example.com/safe';
/** Two pools, each with one type for each of CHOICES. */
const NINES = { zones: ['us-east-1a'], instanceTypes: ['m6i.large', 'm6a.large', 'm5.large', 'm5a.large', 'm5n.large'] };
const TENS = { zones: ['us-east-1b'], instanceTypes: ['m7i.large', 'm7a.large', 'r5.large', 'r6i.large', 'r6a.large'] };

const exists = (key: string): NodeSelectorRequirement => ({ key, operator: 'Exists' });
const isAbsent = (key: string): NodeSelectorRequirement => ({ key, operator: 'DoesNotExist' });
const not = (key: string, value: string): NodeSelectorRequirement => ({ key, operator: 'NotIn', values: [value] });
const above = (key: string, value: string): NodeSelectorRequirement => ({ key, operator: 'Gt', values: [value] });
const below = (key: string, value: string): NodeSelectorRequirement => ({ key, operator: 'Lt', values: [value] });
/** A term that each pool satisfies only half. */
const NEITHER = [exists(FAST), exists(SAFE)];

/** By operator, alternative terms: those that select the pool `nine`, and those that select `ten`. */
const CHOICES: readonly Readonly<Record<'nine' | 'ten', readonly (readonly NodeSelectorRequirement[])[]>>[] = [
  { nine: [[exists(FAST)]], ten: [[exists(SAFE)]] },
  { nine: [[isAbsent(SAFE)]], ten: [[isAbsent(FAST)]] },
  // A node without the label does not have the value either.
  { nine: [[not(SAFE, '2')]], ten: [[not(FAST, '2')]] },
  { nine: [[above(FAST, '1')]], ten: [[above(SIZE, '9')]] },
  { nine: [NEITHER, [below(SIZE, '10')]], ten: [NEITHER, [below(SAFE, '3')]] },
];

export const nodeAffinityOperators = scenario({
  id: 'scheduling/node-affinity-operators',
  title: 'pods choose between two pools with every node affinity operator, some by alternative terms: each gets a node that matches',
  requirements: ['PRV-08', 'SCH-01'],
  pools: [
    // As strings, 10 sorts before 9.
    pool('nine', { ...NINES, labels: { [SIZE]: '9', [FAST]: '2' } }),
    pool('ten', { ...TENS, labels: { [SIZE]: '10', [SAFE]: '2' } }),
  ],
  async run(t) {
    const asked = CHOICES.flatMap((choice, index) => {
      // Each choice has its own two types, one per pool: a wrongly placed pod finds no node meant for another.
      const values = [NINES, TENS].flatMap(({ instanceTypes }) => instanceTypes.slice(index, index + 1));
      const nodeAffinity: NodeSelectorRequirement[] = [{ key: LABEL.instanceType, operator: 'In', values }];
      return (['nine', 'ten'] as const).map((name) => ({ name: `${name}-${index}`, nodeAffinity, nodeAffinityTerms: choice[name] }));
    });
    const workloads = await Promise.all(asked.map((one) => t.deploy({ replicas: 1, ...one })));
    await serveTogether(t, 'provision', workloads);
  },
});

/** Words of which an explanation contains one: for requests that are too large, and for labels that no node has. */
const REQUESTS = 'request|resource|cpu|memory|size';
const LABELS = 'label|selector|affinity|requirement|zone|domain';

export const impossiblePods = scenario({
  id: 'scheduling/impossible-pods',
  title:
    'pods that no pool can serve wait beside pods that can be served: only the latter get nodes, and the reason is given for the pods that wait',
  requirements: ['SCH-07', 'SCH-08', 'TEL-01'],
  pools: NODE_POOLS,
  async run(t) {
    // The target may use its own words, but it has to distinguish the reasons.
    const unservable: readonly (Omit<WorkloadSpec, 'replicas'> & { readonly why: string; readonly word: string })[] = [
      { name: 'too-large', cpu: '64', memory: '128Gi', why: 'no type of the pool is that large', word: REQUESTS },
      {
        name: 'elsewhere',
        cpu: '1',
        memory: '1Gi',
        nodeSelector: { [LABEL.zone]: 'us-east-1f' },
        why: 'the pool has no subnet there',
        word: LABELS,
      },
      {
        name: 'no-such-label',
        cpu: '1',
        memory: '1Gi',
        nodeSelector: { 'example.com/rack': 'r1' },
        why: 'no node of the pool has the label',
        word: LABELS,
      },
    ];
    for (const { why, word, ...spec } of unservable) {
      const waiting = await t.deploy({ replicas: 2, ...spec, truth: impossible(why) });
      t.expect.noLaunchFor(waiting);
      t.expect.explained(waiting, [word]);
    }
    // First alone, so that nothing else could be the reason for a launch. Then with others, where one launch too many is for these.
    await t.pass('launch-lag', 2);
    t.expect.launchedAtMost(3);
    await serve(t, 'provision', { replicas: 3 });
    await t.pass('explain');
  },
});

export const unusualSpreads = scenario({
  id: 'scheduling/unusual-spreads',
  title:
    'pods have unusual but legal constraints, such as a spread without a selector or over an unknown label: pods that can be served are served',
  requirements: ['PRV-08', 'SCH-04', 'SCH-05', 'SCH-06', 'SCH-07', 'SCH-09', 'TEL-02'],
  pools: [pool('default')],
  async run(t) {
    // Each of these has to trigger its own nodes: otherwise it could find room on others' nodes by luck.
    const small = { cpu: '500m', memory: '1Gi' } as const;
    await serve(t, 'provision', { name: 'many-domains', replicas: 3, ...small, spread: [{ ...SPREAD_OVER_ZONES, minDomains: 5 }] });
    const racks = { ...SPREAD_OVER_ZONES, topologyKey: 'example.com/rack', whenUnsatisfiable: 'ScheduleAnyway' as const };
    await serve(t, 'provision', { name: 'soft', replicas: 4, ...NODE_SIZED, spread: [racks] });
    // A preference that no node can satisfy.
    const wish = [{ key: 'example.com/disk', operator: 'In' as const, values: ['fast'] }];
    await serve(t, 'provision', { name: 'wish', replicas: 4, ...NODE_SIZED, preferredAffinity: wish });
    const served = [
      { name: 'no-selector', replicas: 4, spread: [{ ...SPREAD_OVER_ZONES, labelSelector: {} }] },
      { name: 'plain', replicas: 10 },
    ];
    const workloads = await Promise.all(served.map((one) => t.deploy({ cpu: '500m', memory: '1Gi', ...one })));
    const unknown = await t.deploy({
      name: 'unknown-key',
      replicas: 1,
      cpu: '500m',
      memory: '1Gi',
      spread: [{ ...SPREAD_OVER_ZONES, topologyKey: 'example.com/rack' }],
      truth: impossible('no node has the label example.com/rack'),
    });
    // The target may use its own words: kube-scheduler's own message names no key.
    t.expect.explained(unknown, ['spread']);
    await serveTogether(t, 'provision', workloads);
    await t.pass('explain');
  },
});

/** The target reads these pods incorrectly, so they don't count. */
const MALFORMED = { kind: 'malformed', why: 'the target reads maxSkew -1', field: 'maxSkew' } as const;

export const unmetSpread = scenario({
  id: 'scheduling/unmet-spread',
  title:
    'a pod has a spread constraint that no node can satisfy: the other pods of its batch are served, and the reason is given for this one',
  requirements: ['SCH-07', 'SCH-08', 'TEL-02'],
  pools: [pool('default', { capacityTypes: ['spot', 'on-demand'] })],
  async run(t) {
    const racks = [{ ...SPREAD_OVER_ZONES, topologyKey: 'example.com/rack' }];
    const small = { cpu: '500m', memory: '1Gi' } as const;
    const truth = impossible('no node has the label example.com/rack');
    const unmet = await t.deploy({ name: 'unmet', replicas: 1, ...small, spread: racks, truth });
    const healthy = await t.deploy({ name: 'healthy', replicas: 10, ...small, spread: [SPREAD_OVER_ZONES] });
    t.expect.noLaunchFor(unmet);
    t.expect.explained(unmet, ['spread']);
    await t.served(healthy, 'provision');
    await t.pass('explain');
  },
});

export const negativeMaxSkew = scenario({
  id: 'scheduling/negative-max-skew',
  title: 'the autoscaler reads a pod with maxSkew -1: the healthy pods of its batch are served, and nothing is launched just for that pod',
  requirements: ['SCH-11', 'SCH-12', 'TEL-03'],
  profile: 'robustness',
  features: ['spot'],
  pools: [pool('spot', { capacityTypes: ['spot'] })],
  under: ['beside', 'alone'].map((name) => faults.topologySkew({ labels: { [WORKLOAD_LABEL]: name }, maxSkew: -1 })),
  async run(t) {
    const beside = await t.deploy({ name: 'beside', replicas: 1, cpu: '2', memory: '4Gi', spread: [SPREAD_OVER_ZONES], truth: MALFORMED });
    const healthy = await t.deploy({ name: 'healthy', replicas: 10, cpu: '500m', memory: '1Gi', spread: [SPREAD_OVER_ZONES] });
    t.expect.served(healthy, 'provision');
    t.expect.noLaunchFor(beside);
    t.expect.explained(beside, ['maxSkew']);
    await t.untilServed(healthy, 'provision');
    // Before that, launches may be for the healthy pods.
    await t.pass('launch-lag');

    // Too large for the existing nodes: an autoscaler that ignores its skew launches one for it.
    const alone = await t.deploy({ name: 'alone', replicas: 1, cpu: '24', memory: '48Gi', spread: [SPREAD_OVER_ZONES], truth: MALFORMED });
    t.expect.noLaunchFor(alone);
    t.expect.explained(alone, ['maxSkew']);
    await t.pass('explain');
  },
});

export const spreadWithoutSelector = scenario({
  id: 'scheduling/spread-without-selector',
  title: 'pods have a spread constraint without a label selector, which matches no pods: they are served like any others',
  requirements: ['SCH-06', 'CRA-06'],
  pools: [pool('default')],
  async run(t) {
    const spread = { ...SPREAD_OVER_ZONES, labelSelector: undefined } as const;
    const strange = await t.deploy({ name: 'strange', replicas: 3, cpu: '500m', memory: '1Gi', spread: [spread] });
    const plain = await t.deploy({ name: 'plain', replicas: 3, cpu: '500m', memory: '1Gi' });
    await serveTogether(t, 'provision', [strange, plain]);
  },
});

/** Of no node that there ever was. */
const MISSING = 'ip-10-255-0-1.ec2.internal';

export const podOnMissingNode = scenario({
  id: 'scheduling/pod-on-missing-node',
  title: 'a pod is bound to a Node that does not exist: other pods, spread over zones, are still served',
  requirements: ['SCH-07'],
  pools: [pool('default')],
  async run(t) {
    const labels = { app: 'lost' };
    const containers = [{ name: 'main', image: 'registry.k8s.io/pause:3.10' }];
    // However often such a pod is collected, the next takes its place.
    const lost = {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'lost', namespace: 'default' },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { nodeName: MISSING, containers } },
      },
    };
    await t.apply([{ resource: 'replicasets', object: lost }]);
    await serve(t, 'provision', { replicas: 6, cpu: '500m', memory: '1Gi', spread: [SPREAD_OVER_ZONES] });
  },
});

/** Found by the explorer in Karpenter 1.14.1. */
export const contradictoryLabels = scenario({
  id: 'scheduling/contradictory-labels',
  title:
    'pods ask for two values of a label at once, and for a number above and below the same bound: nothing is launched for them, they learn why, and others run',
  requirements: ['SCH-07', 'SCH-08', 'TEL-02'],
  profile: 'extended',
  pools: NODE_POOLS,
  async run(t) {
    const truth = impossible('no node can have both values of its label');
    const asked: readonly Partial<WorkloadSpec>[] = [
      { name: 'two-values', nodeSelector: { [TIER]: '1' }, nodeAffinity: [{ key: TIER, operator: 'In', values: ['2'] }] },
      { name: 'no-number', nodeAffinity: [above(TIER, '2'), below(TIER, '2')] },
    ];
    for (const spec of asked) {
      const workload = await t.deploy({ replicas: 1, ...spec, truth });
      t.expect.noLaunchFor(workload);
      t.expect.explained(workload, [TIER]);
    }
    await t.pass('explain');
    await serve(t, 'provision', { name: 'healthy', replicas: 2 });
  },
});

/** Found by the explorer in Karpenter 1.14.1. Webhooks add such preferences for everybody. */
export const contradictoryPreference = scenario({
  id: 'scheduling/contradictory-preference',
  title: 'pods require one value of a label and prefer another, and a second pool does not have the label: they are served by the first',
  requirements: ['SCH-09'],
  profile: 'extended',
  pools: [pool('labelled', { instanceTypes: ['m6i.large'], labels: { [TIER]: '2' } }), pool('other', { instanceTypes: ['m7i.large'] })],
  run: (t) =>
    serve(t, 'provision', {
      replicas: 2,
      nodeSelector: { [TIER]: '2' },
      preferredAffinity: [{ key: TIER, operator: 'In', values: ['3'] }],
    }),
});

/** Found by the explorer in Karpenter 1.14.1. */
export const preferenceBesideAlternatives = scenario({
  id: 'scheduling/preference-beside-alternatives',
  title:
    'pods may run where either of two terms holds, of which only the first does, and prefer a type that no pool allows: they are served',
  requirements: ['SCH-01', 'SCH-09'],
  profile: 'extended',
  pools: [pool('default', ONE_TYPE)],
  run: (t) =>
    serve(t, 'provision', {
      replicas: 2,
      nodeAffinityTerms: [[isAbsent(FAST)], [exists(SAFE)]],
      preferredAffinity: [{ key: LABEL.instanceType, operator: 'In', values: ['r6i.large'] }],
    }),
});

export const gatedPods = scenario({
  id: 'scheduling/gated-pods',
  title: 'pods wait behind a scheduling gate or for another scheduler: nothing is launched for them',
  requirements: ['SCH-13'],
  pools: NODE_POOLS,
  async run(t) {
    const waiting: readonly (Pick<WorkloadSpec, 'name'> & Partial<WorkloadSpec> & { readonly why: string })[] = [
      { name: 'gated', schedulingGates: ['example.com/quota'], why: 'its scheduling gate is never removed' },
      { name: 'foreign', schedulerName: 'nobody', why: 'its scheduler does not exist' },
    ];
    const workloads: Workload[] = [];
    for (const { why, ...spec } of waiting) {
      workloads.push(await t.deploy({ replicas: 3, ...spec, truth: impossible(why) }));
    }
    for (const workload of workloads) t.expect.noLaunchFor(workload);
    // Alone first: nothing else could be the reason of a launch.
    await t.pass('launch-lag', 2);
    await serve(t, 'provision', { replicas: 2 });
    await t.pass('launch-lag', 2);
    // Nobody owes them a word: that they wait is meant, and others know why.
    for (const workload of workloads) await t.remove(workload);
  },
});

export const podAffinity = scenario({
  id: 'scheduling/pod-affinity',
  title: 'some pods must share a zone with each other, others with another workload: each pod gets a node in the right zone',
  requirements: ['SCH-14'],
  pools: NODE_POOLS,
  async run(t) {
    // One after the other: pods that may go to nodes of others would only show the scheduler's luck.
    await serve(t, 'provision', { name: 'together', replicas: 4, near: { workload: 'together', over: LABEL.zone } });
    await serve(t, 'provision', { name: 'database', replicas: 1, nodeSelector: { [LABEL.zone]: 'us-east-1c' } });
    await serve(t, 'provision', { name: 'beside', replicas: 3, near: { workload: 'database', over: LABEL.zone } });
  },
});

/**
 * Pods of one container, as a user wrote it.
 * @param more of their specification, and whether they can be scheduled, which is the default
 */
function podsOf(
  name: string,
  replicas: number,
  container: Partial<Container>,
  {
    truth = { kind: 'schedulable' },
    namespace = 'default',
    app,
    ...more
  }: Pick<PodSpec, 'affinity' | 'nodeSelector' | 'topologySpreadConstraints'> & {
    readonly truth?: Truth;
    readonly namespace?: string;
    readonly app?: string;
  } = {},
): UserObject {
  const labels = { [WORKLOAD_LABEL]: name, ...defined({ app }) };
  const spec: PodSpec = {
    containers: [{ name: 'main', image: 'registry.k8s.io/pause:3.10', ...container }],
    terminationGracePeriodSeconds: 30,
    ...more,
  };
  const object = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name, namespace },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  } satisfies ReplicaSet;
  return { resource: 'replicasets', object, workload: { name, kind: 'ReplicaSet', replicas, truth, note: `${replicas} pods` } };
}

export const sameAppInTwoNamespaces = scenario({
  id: 'scheduling/same-app-in-two-namespaces',
  title: 'an app runs in one zone, and again in another namespace, spread over three zones: each zone gets a node for the second',
  requirements: ['SCH-04', 'SCH-05'],
  pools: [pool('default', ONE_TYPE)],
  async run(t) {
    const app = 'shop';
    // In a cluster that others use, too, nobody else's.
    const namespace = 'scaleproof-staging';
    const container = { resources: { requests: NODE_SIZED } };
    const staging = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    const nodeSelector = { [LABEL.zone]: 'us-east-1a' };
    const first = [{ resource: 'namespaces', object: staging }, podsOf('staged', 3, container, { namespace, app, nodeSelector })];
    await serveTogether(t, 'provision', await t.apply(first));
    const spread = [{ ...SPREAD_OVER_ZONES, minDomains: 3, labelSelector: { matchLabels: { app } } }];
    await serveTogether(t, 'provision', await t.apply([podsOf('live', 3, container, { app, topologySpreadConstraints: spread })]));
  },
});

const TINY = { cpu: '50m', memory: '64Mi' } as const;

export const hostPorts = scenario({
  id: 'scheduling/host-ports',
  title: 'pods that use the same port of their node arrive with pods that use another: no two of the first kind share a node',
  requirements: ['SCH-15'],
  pools: NODE_POOLS,
  async run(t) {
    // More than an autoscaler could serve in time that plans only one of them in each of its rounds.
    t.expect.launchedAtMost(15);
    const proxies = podsOf('proxy', 15, { resources: { requests: TINY }, ports: [{ containerPort: 80, hostPort: 8080 }] });
    const others = podsOf('other', 2, { resources: { requests: TINY }, ports: [{ containerPort: 80, hostPort: 9090 }] });
    await serveTogether(t, 'provision', await t.apply([proxies, others]));
  },
});

export const ephemeralStorage = scenario({
  id: 'scheduling/ephemeral-storage',
  title: 'pods that each need most of the disk of a node arrive together: each gets a node of its own',
  requirements: ['SCH-16'],
  pools: NODE_POOLS,
  async run(t) {
    t.expect.launchedAtMost(4);
    const requests = { ...TINY, 'ephemeral-storage': '10Gi' };
    await serveTogether(t, 'provision', await t.apply([podsOf('builder', 4, { resources: { requests } })]));
  },
});

/** A pod that requires, by its name, a Node that is gone, as debugging tools and storage helpers make them. */
function pinnedPod(truth: Truth): UserObject {
  const matchFields = [{ key: 'metadata.name', operator: 'In' as const, values: [MISSING] }];
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } } };
  return podsOf('pinned', 1, { resources: { requests: TINY } }, { affinity, truth });
}

/** Such a pod made Cluster Autoscaler panic: kubernetes/autoscaler#8097. That later releases give no reason must not hide this. */
export const missingNodeByName = scenario({
  id: 'scheduling/missing-node-by-name',
  title: 'a pod requires a Node by name that is gone: nothing is launched for it, and the other pods of its batch are served',
  requirements: ['SCH-07', 'SCH-08', 'CRA-06'],
  pools: NODE_POOLS,
  async run(t) {
    const pinned = await t.apply([pinnedPod(owedNothing('another scenario asks for the reason'))]);
    for (const workload of pinned) t.expect.noLaunchFor(workload);
    // Alone first: nothing else could be the reason of a launch.
    await t.pass('launch-lag', 2);
    await serve(t, 'provision', { replicas: 3 });
    await t.pass('launch-lag');
  },
});

export const missingNodeExplained = scenario({
  id: 'scheduling/missing-node-explained',
  title: 'a pod requires a Node by name that is gone: the reason why it waits is given',
  requirements: ['TEL-01'],
  pools: NODE_POOLS,
  async run(t) {
    const pinned = await t.apply([pinnedPod(impossible('its Node is gone'))]);
    for (const workload of pinned) t.expect.explained(workload, ['affinity|selector|field']);
    await t.pass('explain', 2);
  },
});

/** The nearest numbers to the bounds of pods are among those that the pool excludes. */
const EXCLUDED_TIERS = ['3', '8'];

export const openLabelBounds = scenario({
  id: 'scheduling/open-label-bounds',
  title:
    'a pool leaves a label open but excludes two numbers, and pods ask for one above or below these: their nodes get numbers that suit both, and stay',
  requirements: ['SCH-17', 'SCH-01'],
  features: ['drift', 'open-labels'],
  pools: [
    pool('default', { instanceTypes: NODE_TYPES, requirements: [{ key: 'example.com/tier', operator: 'NotIn', values: EXCLUDED_TIERS }] }),
  ],
  async run(t) {
    t.expect.launchedAtMost(2);
    const asking = (operator: 'Gt' | 'Lt', bound: string): Pick<WorkloadSpec, 'nodeAffinity'> => ({
      nodeAffinity: [{ key: 'example.com/tier', operator, values: [bound] }],
    });
    const workloads = await Promise.all([
      t.deploy({ name: 'above', replicas: 1, ...asking('Gt', '2') }),
      t.deploy({ name: 'below', replicas: 1, ...asking('Lt', '9') }),
    ]);
    await serveTogether(t, 'provision', workloads);
    await t.kept('drift');
  },
});

/** Found by the explorer: the reference gave the label another value, and launched one useless node after the other. */
export const openLabelAlternatives = scenario({
  id: 'scheduling/open-label-alternatives',
  title: 'a pool leaves a label open, and pods accept either a zone that it does not have or one value of the label: nodes get that value',
  requirements: ['SCH-17', 'SCH-01'],
  features: ['open-labels'],
  pools: [
    pool('default', {
      instanceTypes: NODE_TYPES,
      zones: ['us-east-1a'],
      requirements: [{ key: 'example.com/tier', operator: 'In', values: ['1', '2', '3'] }],
    }),
  ],
  async run(t) {
    t.expect.launchedAtMost(2);
    const nodeAffinityTerms: WorkloadSpec['nodeAffinityTerms'] = [
      [{ key: LABEL.zone, operator: 'In', values: ['us-east-1b'] }],
      [{ key: 'example.com/tier', operator: 'In', values: ['2'] }],
    ];
    await serve(t, 'provision', { replicas: 2, cpu: '1200m', memory: '1Gi', nodeAffinityTerms });
  },
});
