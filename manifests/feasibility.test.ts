import { expect, test } from '@playwright/test';
import { pool } from '../harness/scenario.ts';
import type { InstanceType, Pool } from '../model/catalogue.ts';
import { defined } from '../model/defined.ts';
import { devicesOf } from '../model/devices.ts';
import { parseCatalogue } from '../model/instance-catalogue.ts';
import type { Container, PodSpec } from '../model/kube.ts';
import { LABEL } from '../model/kube.ts';
import { judgeFeasibility } from './feasibility.ts';
import type { Feasibility } from './feasibility.ts';
import type { Load } from './load.ts';
import { judgeLimits } from './limits.ts';

const COMMON = {
  hypervisor: 'nitro',
  bareMetal: false,
  currentGeneration: true,
  usageClasses: ['spot', 'on-demand'],
  networkInterfaces: 3,
  ipv4PerInterface: 10,
  zones: ['a', 'b'],
  onDemandUsdPerHour: 0.1,
};
const catalogue = parseCatalogue(
  JSON.stringify([
    { ...COMMON, type: 'm6i.large', vcpu: 2, memoryMiB: 8_192, architecture: 'x86_64' },
    { ...COMMON, type: 'm6i.4xlarge', vcpu: 16, memoryMiB: 65_536, architecture: 'x86_64' },
    { ...COMMON, type: 'm6g.large', vcpu: 2, memoryMiB: 8_192, architecture: 'arm64', zones: ['a'] },
    {
      ...COMMON,
      type: 'g4dn.xlarge',
      vcpu: 4,
      memoryMiB: 16_384,
      architecture: 'x86_64',
      gpu: { count: 1, name: 'T4', manufacturer: 'NVIDIA', memoryMiB: 16_384, workloads: ['ml-ai'] },
    },
  ]),
  { region: 'r', zones: ['a', 'b'], source: 'test' },
);
const GIB = 2 ** 30;
const market = {
  catalogue,
  nodesOf: () => ({
    allocatable: ({ vcpu, memoryMiB }: { readonly vcpu: number; readonly memoryMiB: number }) => ({
      cpu: vcpu * 1_000,
      memory: memoryMiB * 2 ** 20,
      'ephemeral-storage': 20 * GIB,
      pods: 29,
    }),
  }),
};

type Requests = Readonly<Record<string, string>>;

function load(spec: Partial<PodSpec> = {}, requests: Requests = { cpu: '1', memory: '1Gi' }, replicas = 3): Load {
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'main', resources: { requests: { ...requests } } }], ...spec },
  };
  return { name: 'web', namespace: 'shop', replicas, template, isDaemon: false };
}

function judge(subject: Load, pools: readonly Pool[], others: readonly Load[] = []): Feasibility {
  const loads = [subject, ...others];
  const found = judgeLimits(loads, judgeFeasibility(loads, pools, market)).get(subject.name);
  if (found === undefined) throw new Error('not judged');
  return found;
}

const GENERAL = [pool('general', { instanceTypes: ['m6i.large', 'm6i.4xlarge'] })];
const TAINT = { key: 'dedicated', value: 'batch', effect: 'NoSchedule' } as const;
const SPOT_BESIDE = [...GENERAL, pool('cheap', { instanceTypes: ['m6i.large'], capacityTypes: ['spot'], taints: [TAINT] })];
const SELF = { matchLabels: { app: 'web' } };
const agent: Load = {
  ...load({ tolerations: [{ operator: 'Exists' }] }, { cpu: '500m', memory: '512Mi' }, 0),
  name: 'agent',
  isDaemon: true,
};

function spread(over: string, options: { readonly minDomains?: number; readonly soft?: boolean } = {}): Partial<PodSpec> {
  const { minDomains, soft = false } = options;
  return {
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: over,
        whenUnsatisfiable: soft ? 'ScheduleAnyway' : 'DoNotSchedule',
        labelSelector: SELF,
        ...defined({ minDomains }),
      },
    ],
  };
}

function apart(over: string): Partial<PodSpec> {
  return {
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: over, labelSelector: SELF }] } },
  };
}

function beside(over: string, app: string): Partial<PodSpec> {
  const labelSelector = { matchLabels: { app } };
  return { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: over, labelSelector }] } } };
}

const SMALL = { cpu: '100m', memory: '128Mi' };
/** Four of the smallest nodes. */
const LIMITED = [pool('small', { instanceTypes: ['m6i.large'], limits: { cpu: 8 } })];

function onPort(port: { readonly hostPort?: number }): Container {
  return { name: 'main', ports: [{ containerPort: 80, ...port }], resources: { requests: SMALL } };
}

function cache(spec: Partial<PodSpec>): Load {
  const { template, ...rest } = load(spec);
  return { ...rest, name: 'cache', template: { ...template, metadata: { labels: { app: 'cache' } } } };
}

const CASES: readonly {
  readonly what: string;
  readonly load?: Load;
  readonly pools?: readonly Pool[];
  readonly others?: readonly Load[];
  readonly kind: Feasibility['kind'];
  readonly why?: RegExp;
}[] = [
  { what: 'a pod that fits', kind: 'servable' },
  {
    what: 'as many types as minValues asks for',
    pools: [{ ...pool('general', { instanceTypes: ['m6i.large', 'm6i.4xlarge'] }), minimumValues: { [LABEL.instanceType]: 2 } }],
    kind: 'servable',
  },
  {
    what: 'fewer types on which it fits than minValues asks for',
    load: load({}, { cpu: '3' }),
    pools: [{ ...pool('general', { instanceTypes: ['m6i.large', 'm6i.4xlarge'] }), minimumValues: { [LABEL.instanceType]: 2 } }],
    kind: 'unservable',
    why: /^pool general: minValues asks for 2 values of node.kubernetes.io\/instance-type, and the nodes on which it fits have 1$/,
  },
  { what: 'no pools', pools: [], kind: 'unservable', why: /^there is no NodePool$/ },
  {
    what: 'a zone that no pool has',
    load: load({ nodeSelector: { [LABEL.zone]: 'c' } }),
    kind: 'unservable',
    why: /^pool general: it has no nodes with zone c \(it has a, b\)$/,
  },
  {
    what: 'an architecture that no pool has',
    load: load({ nodeSelector: { [LABEL.arch]: 'arm64' } }),
    kind: 'unservable',
    why: /pool general: it has no nodes with architecture arm64 \(it has amd64\)/,
  },
  {
    what: 'a zone that has no nodes of the architecture',
    load: load({ nodeSelector: { [LABEL.arch]: 'arm64', [LABEL.zone]: 'b' } }),
    pools: [pool('both', { architectures: ['amd64', 'arm64'] })],
    kind: 'unservable',
    why: /none of its nodes has all requested labels at once: .*arch, .*zone/,
  },
  {
    what: 'a label that no pool sets',
    load: load({ nodeSelector: { tier: 'gold' } }),
    kind: 'unservable',
    why: /label tier gold, a label that it does not set/,
  },
  {
    what: 'a label that the pool sets',
    load: load({ nodeSelector: { tier: 'gold' } }),
    pools: [pool('gold', { labels: { tier: 'gold' } })],
    kind: 'servable',
  },
  {
    what: 'a label whose value the pool leaves open',
    load: load({ nodeSelector: { tier: 'gold' } }),
    pools: [pool('open', { requirements: [{ key: 'tier', operator: 'In', values: ['gold', 'silver'] }] })],
    kind: 'servable',
  },
  {
    what: 'a value that the pool excludes',
    load: load({ nodeSelector: { tier: 'bronze' } }),
    pools: [pool('open', { requirements: [{ key: 'tier', operator: 'In', values: ['gold', 'silver'] }] })],
    kind: 'unservable',
    why: /label tier bronze/,
  },
  {
    what: "the pool's own name as a label",
    load: load({ nodeSelector: { 'karpenter.sh/nodepool': 'general' } }),
    kind: 'servable',
  },
  {
    what: 'a taint that is not tolerated',
    pools: [pool('batch', { taints: [TAINT] })],
    kind: 'unservable',
    why: /^pool batch: its taint dedicated=batch:NoSchedule is not tolerated$/,
  },
  {
    what: 'a taint that is tolerated',
    load: load({ tolerations: [{ key: 'dedicated', operator: 'Exists' }] }),
    pools: [pool('batch', { taints: [TAINT] })],
    kind: 'servable',
  },
  { what: 'a start-up taint', pools: [pool('slow', { startupTaints: [TAINT] })], kind: 'servable' },
  { what: 'a PreferNoSchedule taint', pools: [pool('soft', { taints: [{ ...TAINT, effect: 'PreferNoSchedule' }] })], kind: 'servable' },
  {
    what: 'a pod larger than every type',
    load: load({}, { cpu: '20' }),
    kind: 'unservable',
    why: /it is too large: it requests 20 cpu, and a m6i\.4xlarge has 16 cpu for it$/,
  },
  {
    what: 'a pod that would fit without the DaemonSets',
    load: load({}, { cpu: '16' }),
    others: [agent],
    kind: 'unservable',
    why: /a m6i\.4xlarge has 15500m cpu for it, 500m cpu taken by DaemonSets/,
  },
  {
    what: 'a pod that fits, since the DaemonSet does not run there',
    load: load({}, { cpu: '16' }),
    others: [{ ...agent, template: load({ nodeSelector: { tier: 'gold' } }).template }],
    kind: 'servable',
  },
  {
    what: 'more ephemeral storage than nodes have',
    load: load({}, { 'ephemeral-storage': '50Gi' }),
    kind: 'unservable',
    why: /50Gi ephemeral-storage/,
  },
  {
    what: 'limits below the smallest node',
    pools: [pool('small', { limits: { cpu: 1 } })],
    kind: 'unservable',
    why: /^pool small: its limits \(1 CPU\) are below the smallest node on which it fits$/,
  },
  {
    what: 'limits that the workloads may reach',
    pools: [pool('small', { limits: { cpu: 4 } })],
    kind: 'partly',
    why: /limits of pool small may be reached/,
  },
  { what: 'limits that small pods stay below, since they share a node', load: load({}, SMALL), pools: LIMITED, kind: 'servable' },
  {
    what: 'limits that they may reach, since each uses a port of its node',
    load: load({ containers: [onPort({ hostPort: 80 })] }),
    pools: LIMITED,
    kind: 'partly',
    why: /limits of pool small may be reached/,
  },
  {
    what: 'limits that they may reach, since each uses the network of its node',
    load: load({ containers: [onPort({})], hostNetwork: true }),
    pools: LIMITED,
    kind: 'partly',
    why: /limits of pool small may be reached/,
  },
  {
    what: 'limits that pods with ports of their own stay below',
    load: load({ containers: [onPort({})] }),
    pools: LIMITED,
    kind: 'servable',
  },
  {
    what: 'a limit on memory that is wasted, since each node has CPU for one pod',
    load: load({}, { cpu: '1500m', memory: '1Gi' }),
    pools: [pool('small', { instanceTypes: ['m6i.large'], limits: { memoryMiB: 40_000 } })],
    kind: 'partly',
    why: /limits of pool small may be reached/,
  },
  {
    what: 'a limit on memory that has room for what is wasted',
    load: load({}, { cpu: '1500m', memory: '1Gi' }),
    pools: [pool('small', { instanceTypes: ['m6i.large'], limits: { memoryMiB: 50_000 } })],
    kind: 'servable',
  },
  {
    what: 'a limit on CPU that is wasted, since each node has memory for one pod',
    load: load({}, { cpu: '100m', memory: '6Gi' }),
    pools: LIMITED,
    kind: 'partly',
    why: /limits of pool small may be reached/,
  },
  {
    what: 'a limit on CPU that is wasted on cheap types, but not on dear ones with much memory',
    load: load({}, { cpu: '100m', memory: '6Gi' }, 10),
    pools: [pool('small', { instanceTypes: ['m6i.large', 'x1e.xlarge'], limits: { cpu: 16 } })],
    kind: 'partly',
    why: /limits of pool small may be reached/,
  },
  { what: 'limits that only one of its pools has', pools: [pool('small', { limits: { cpu: 4 } }), ...GENERAL], kind: 'servable' },
  { what: 'limits far away', pools: [pool('large', { limits: { cpu: 100, memoryMiB: 1_000_000, nodes: 50 } })], kind: 'servable' },
  {
    what: 'a pool that allows nothing',
    pools: [pool('none', { instanceTypes: ['x1.huge'] })],
    kind: 'unservable',
    why: /^pool none: it allows no instance type of this region$/,
  },
  {
    what: 'a reason for every pool',
    pools: [pool('batch', { taints: [TAINT] }), pool('none', { zones: ['z'] })],
    kind: 'unservable',
    why: /^pool batch: its taint .*; pool none: it allows no/,
  },
  {
    what: 'a GPU that no pool has',
    load: load({}, { 'nvidia.com/gpu': '1' }),
    kind: 'unservable',
    why: /requests nvidia\.com\/gpu, and no pool allows a type that offers it/,
  },
  {
    what: 'a GPU that a pool has',
    load: load({}, { 'nvidia.com/gpu': '1' }),
    pools: [pool('gpu', { instanceTypes: ['g4dn.xlarge'] })],
    kind: 'untestable',
    why: /nodes of pool gpu may offer/,
  },
  { what: 'its own scheduler', load: load({ schedulerName: 'volcano' }), kind: 'untestable', why: /volcano/ },
  { what: 'scheduling gates', load: load({ schedulingGates: [{ name: 'x/y' }] }), kind: 'untestable', why: /gates/ },
  {
    what: 'a label that Karpenter supports and this world does not',
    load: load({ nodeSelector: { 'karpenter.k8s.aws/instance-local-nvme': '100' } }),
    kind: 'untestable',
    why: /instance-local-nvme/,
  },
  { what: 'a request that is no quantity', load: load({}, { cpu: 'lots' }), kind: 'unservable', why: /"lots" is not a quantity/ },
  { what: 'spread over zones', load: load(spread(LABEL.zone)), kind: 'servable' },
  {
    what: 'spread over more zones than there are',
    load: load(spread(LABEL.zone, { minDomains: 3 })),
    kind: 'partly',
    why: /requires 3 domains of topology.kubernetes.io\/zone, and there are 2 \(a, b\): at most 2 of 3 pods can run/,
  },
  {
    what: 'spread over a label that no node has',
    load: load(spread('rack')),
    kind: 'unservable',
    why: /spread over rack, a label that no node has/,
  },
  { what: 'soft spread over a label that no node has', load: load(spread('rack', { soft: true })), kind: 'servable' },
  {
    what: 'spread over capacity types, of which only others use one',
    load: load(spread(LABEL.capacityType)),
    pools: SPOT_BESIDE,
    others: [{ ...load({ tolerations: [{ operator: 'Exists' }] }), name: 'batch' }],
    kind: 'partly',
    why: /nodes for batch may have karpenter.sh\/capacity-type spot, .* at most 1 of 3 pods can run then/,
  },
  {
    what: 'spread over capacity types, of which nobody uses one',
    load: load(spread(LABEL.capacityType)),
    pools: SPOT_BESIDE,
    kind: 'servable',
  },
  {
    what: 'spread over the capacity types that it asks for',
    load: load({ ...spread(LABEL.capacityType), nodeSelector: { [LABEL.capacityType]: 'on-demand' } }),
    pools: SPOT_BESIDE,
    others: [{ ...load({ tolerations: [{ operator: 'Exists' }] }), name: 'batch' }],
    kind: 'servable',
  },
  { what: 'spread over hostnames', load: load(spread(LABEL.hostname, { minDomains: 9 })), kind: 'servable' },
  { what: 'apart over hostnames', load: load(apart(LABEL.hostname)), kind: 'servable' },
  {
    what: 'apart over zones, one of which only a pool with limits has',
    load: load(apart(LABEL.zone), SMALL, 2),
    pools: [pool('small', { limits: { nodes: 1 } }), pool('general', { zones: ['a'] })],
    kind: 'partly',
    why: /limits of pool small may be reached/,
  },
  { what: 'apart over zones, one pod too many', load: load(apart(LABEL.zone)), kind: 'partly', why: /at most 2 of 3 can run/ },
  { what: 'together with its own pods', load: load(beside(LABEL.zone, 'web')), kind: 'servable' },
  {
    what: 'together with pods that can not be served',
    load: load(beside(LABEL.zone, 'cache')),
    others: [cache({ nodeSelector: { [LABEL.zone]: 'c' } })],
    kind: 'partly',
    why: /share topology.kubernetes.io\/zone with pods of cache: it depends on where they are/,
  },
  {
    what: 'together with pods in another zone',
    load: load({ ...beside(LABEL.zone, 'cache'), nodeSelector: { [LABEL.zone]: 'a' } }),
    others: [cache({ nodeSelector: { [LABEL.zone]: 'b' } })],
    kind: 'partly',
  },
  {
    what: 'together with pods that it can follow to any zone',
    load: load(beside(LABEL.zone, 'cache')),
    others: [cache({})],
    kind: 'servable',
  },
  {
    what: 'together with pods that must follow it',
    load: load(beside(LABEL.zone, 'cache')),
    others: [cache(beside(LABEL.zone, 'web'))],
    kind: 'partly',
  },
  { what: 'together on one host that has room for all', load: load(beside(LABEL.hostname, 'web'), { cpu: '100m' }), kind: 'servable' },
  {
    what: 'together on one host that may be too small',
    load: load(beside(LABEL.hostname, 'web')),
    kind: 'partly',
    why: /its 3 pods must share one node, and not all of its nodes have room/,
  },
  {
    what: 'together in a zone, and spread',
    load: load({ ...beside(LABEL.zone, 'web'), ...spread(LABEL.zone) }),
    kind: 'partly',
    why: /near other pods and also spread/,
  },
  {
    what: 'spread over zones, one of which only a pool with limits has',
    load: load(spread(LABEL.zone), SMALL),
    pools: [pool('small', { limits: { nodes: 1 } }), pool('general', { zones: ['a'] })],
    kind: 'partly',
    why: /limits of pool small may be reached/,
  },
  {
    what: 'together on one host, of which each uses the same port',
    load: load({ ...beside(LABEL.hostname, 'web'), containers: [onPort({ hostPort: 80 })] }, SMALL),
    kind: 'partly',
    why: /share one node, and use the same port of it/,
  },
  {
    what: 'together in a zone, and apart over hosts',
    load: load({ affinity: { ...beside(LABEL.zone, 'web').affinity, ...apart(LABEL.hostname).affinity } }),
    kind: 'partly',
    why: /near other pods and also away/,
  },
  { what: 'together with missing pods', load: load(beside(LABEL.zone, 'cache')), kind: 'unservable', why: /with pods that no workload/ },
  {
    what: 'an affinity of several terms, of which one is enough',
    load: load({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: LABEL.zone, operator: 'In', values: ['z'] }] },
              { matchExpressions: [{ key: LABEL.capacityType, operator: 'NotIn', values: ['spot'] }] },
            ],
          },
        },
      },
    }),
    kind: 'servable',
  },
];

for (const { what, load: subject = load(), pools = GENERAL, others = [], kind, why } of CASES) {
  test(`${what}: ${kind}`, () => {
    const found = judge(subject, pools, others);
    expect(found.kind).toBe(kind);
    if (why !== undefined) expect('why' in found ? found.why : '').toMatch(why);
  });
}

test('a DaemonSet needs no nodes and is always servable', () => {
  expect(judge(agent, []).kind).toBe('servable');
});

test('devices count like other resources where nodes offer them', () => {
  const offering = {
    catalogue,
    nodesOf: () => ({ allocatable: (type: InstanceType) => ({ ...market.nodesOf().allocatable(type), ...devicesOf(type) }) }),
  };
  const kindOf = (gpus: string, types: readonly string[]): string | undefined => {
    const one = load({}, { cpu: '1', memory: '1Gi', 'nvidia.com/gpu': gpus });
    return judgeFeasibility([one], [pool('any', { instanceTypes: types })], offering).get('web')?.kind;
  };
  expect(kindOf('1', ['m6i.large', 'g4dn.xlarge'])).toBe('servable');
  expect(kindOf('2', ['m6i.large', 'g4dn.xlarge'])).toBe('unservable');
  expect(kindOf('1', ['m6i.large'])).toBe('unservable');
});
