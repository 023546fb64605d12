import type { Random } from '../../../../runtime/random.ts';

/** A kind of objects that scripts are about. */
export interface Kind {
  readonly plural: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Controllers of a real cluster write such objects too: their versions and status are not compared. */
  readonly controlled: boolean;
  /** Has a scale subresource. */
  readonly scaled?: boolean;
  readonly custom?: boolean;
  /** How often it is drawn, against the others. */
  readonly weight: number;
  /** All but the metadata of a new object. @param name of the object */
  create(random: Random, name: string): object;
  /** A change, as a merge patch; most are valid. */
  change(random: Random): object;
  /** The same for its status, if it has one that a client may write. */
  status?(random: Random): object;
  /** Strategic changes, which name elements of lists. */
  strategic?(random: Random): object;
}

const CONTAINER = { name: 'main', image: 'pause' };
/** Nobody schedules such pods, so nobody but the script changes them. */
const NOBODY = 'nobody';
export const POD_SPEC = { containers: [CONTAINER], schedulerName: NOBODY, automountServiceAccountToken: false };

const value = (random: Random): string | null => random.pick(['1', '2', '3', '', null]);

/** Labels, annotations: what every object has. */
export function metadataChange(random: Random): object {
  return random.pick([
    { metadata: { labels: { tier: value(random) } } },
    { metadata: { labels: { tier: 'a', zone: 'b' } } },
    { metadata: { annotations: { note: value(random) } } },
    { metadata: { annotations: { 'example.com/note': 'text', note: value(random) } } },
    { metadata: { labels: null } },
    { metadata: { labels: { tier: random.pick(['-bad', 'x y', 'fine']) } } },
    { metadata: { annotations: { 'bad key': 'x' } } },
    { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'gone', uid: '' }] } },
    { metadata: { generation: 7 } },
    { metadata: { creationTimestamp: null } },
    { metadata: { uid: 'another' } },
    { metadata: { name: 'another' } },
    {},
  ]);
}

const tolerations = (random: Random): object[] =>
  random.pick([
    [{ key: 'a', operator: 'Exists' }],
    [{ key: 'a', operator: 'Equal', value: '1', effect: 'NoSchedule' }],
    [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }],
    [{ key: 'a', operator: 'Exists', value: 'x' }],
    [{ key: 'a', effect: 'Never' }],
  ]);

const taints = (random: Random): object[] =>
  random.pick([
    [{ key: 'a', value: '1', effect: 'NoSchedule' }],
    [{ key: 'a', effect: 'NoExecute' }],
    [
      { key: 'a', effect: 'NoSchedule' },
      { key: 'b', value: '2', effect: 'PreferNoSchedule' },
    ],
    [
      { key: 'a', effect: 'NoSchedule' },
      { key: 'a', value: '2', effect: 'NoSchedule' },
    ],
    [{ key: 'a', effect: 'Never' }],
    [{ key: 'b b', effect: 'NoSchedule' }],
  ]);

const spread = (random: Random): object[] => [
  {
    maxSkew: random.pick([1, 2, 5, 0, -1]),
    topologyKey: random.pick(['topology.kubernetes.io/zone', 'kubernetes.io/hostname', '']),
    whenUnsatisfiable: random.pick(['DoNotSchedule', 'ScheduleAnyway', 'DoNotSchedule', 'Perhaps']),
    ...random.pick([{}, { labelSelector: { matchLabels: { app: 'x' } } }, { minDomains: 2 }, { matchLabelKeys: ['app'] }]),
  },
];

const affinity = (random: Random): object =>
  random.pick([
    {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            {
              matchExpressions: [
                {
                  key: 'zone',
                  operator: random.pick(['In', 'NotIn', 'Exists', 'Gt']),
                  values: random.pick([['a'], ['1'], ['a', 'b'], []]),
                },
              ],
            },
          ],
        },
      },
    },
    {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          {
            topologyKey: random.pick(['kubernetes.io/hostname', 'zone', '']),
            labelSelector: {
              matchExpressions: [{ key: 'app', operator: random.pick(['In', 'Exists']), values: random.pick([['x'], []]) }],
            },
          },
        ],
      },
    },
    {
      podAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: random.pick([1, 100, 0, 101]),
            podAffinityTerm: { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'x' } } },
          },
        ],
      },
    },
  ]);

const podDetail = (random: Random): object =>
  random.pick<() => object>([
    () => ({}),
    () => ({ tolerations: tolerations(random) }),
    () => ({ topologySpreadConstraints: spread(random) }),
    () => ({ affinity: affinity(random) }),
    () => ({ nodeSelector: { zone: 'a' }, terminationGracePeriodSeconds: random.pick([0, 5, 30, -1]) }),
    () => ({ restartPolicy: random.pick(['Always', 'Never', 'OnFailure', 'Sometimes']) }),
    () => ({ priorityClassName: random.pick(['system-node-critical', 'system-cluster-critical', 'no-such-class']) }),
    () => ({ hostNetwork: true, containers: [{ ...CONTAINER, ports: [{ containerPort: random.pick([80, 8080, 0, 70_000]) }] }] }),
    () => ({
      containers: [
        {
          ...CONTAINER,
          resources: {
            requests: {
              cpu: random.pick(['100m', '1', '0.5', '1e3m', '-1', 'much']),
              memory: random.pick(['64Mi', '1Gi', '1000000', '1.5G']),
            },
            ...random.pick([{}, {}, { limits: { cpu: random.pick(['2', '50m']) } }]),
          },
        },
        ...random.pick([[], [], [{ name: 'side', image: 'pause' }], [{ name: 'main', image: 'pause' }]]),
      ],
    }),
    () => ({
      initContainers: [{ name: 'first', image: 'pause', ...random.pick([{}, { restartPolicy: 'Always' }, { restartPolicy: 'Never' }]) }],
    }),
    () => ({ schedulingGates: [{ name: random.pick(['example.com/gate', 'bad gate']) }] }),
  ])();

const template = (random: Random, name: string): object => ({
  metadata: { labels: { app: name, ...random.pick([{}, { tier: 'a' }]) } },
  spec: { ...POD_SPEC, ...podDetail(random) },
});

const podChange = (random: Random): object =>
  random.pick<() => object>([
    () => metadataChange(random),
    () => metadataChange(random),
    () => ({ spec: { containers: [{ name: 'main', image: random.pick(['pause', 'other', 'third:1', '']) }] } }),
    () => ({ spec: { activeDeadlineSeconds: random.pick([10, 100, 0, null]) } }),
    () => ({ spec: { tolerations: tolerations(random) } }),
    () => ({ spec: { nodeSelector: { zone: 'a' } } }),
    () => ({ spec: { nodeName: 'elsewhere' } }),
    () => ({ spec: { terminationGracePeriodSeconds: 1 } }),
  ])();

const workload = (random: Random, plural: string): object =>
  random.pick<() => object>([
    () => metadataChange(random),
    () => ({ spec: { template: { metadata: { labels: { tier: value(random) } } } } }),
    () => ({ spec: { template: { spec: podDetail(random) } } }),
    () => ({ spec: { template: { spec: { containers: [{ name: 'main', image: random.pick(['pause', 'other']) }] } } } }),
    () => (plural === 'daemonsets' ? {} : { spec: { replicas: random.pick([0, 0, null, -1]) } }),
    () =>
      plural === 'daemonsets' || plural === 'deployments' ? { spec: { minReadySeconds: random.pick([0, 5, -2]) } } : metadataChange(random),
    () =>
      plural === 'deployments'
        ? {
            spec: {
              strategy: random.pick([
                { type: 'Recreate', rollingUpdate: null },
                { rollingUpdate: { maxSurge: random.pick([1, '10%', '0%', 'x']) } },
              ]),
            },
          }
        : {},
    () => ({ spec: { selector: { matchLabels: { app: 'another' } } } }),
  ])();

const workloadStrategic = (random: Random): object => ({
  spec: {
    template: {
      spec: random.pick<object>([
        { containers: [{ name: 'side', image: 'pause' }] },
        { containers: [{ name: 'side', $patch: 'delete' }] },
        { containers: [{ name: 'main', env: [{ name: 'A', value: random.pick(['1', '2']) }] }] },
        { containers: [{ name: 'main', ports: [{ containerPort: 80 }] }] },
        { '$setElementOrder/containers': [{ name: 'side' }, { name: 'main' }], containers: [{ name: 'side', image: 'new' }] },
        { containers: [{ $patch: 'replace' }, { name: 'new', image: 'pause' }] },
        { tolerations: tolerations(random) },
        { $retainKeys: ['containers', 'schedulerName'], schedulerName: NOBODY },
        { nodeSelector: { $patch: 'replace', zone: 'b' } },
      ]),
    },
  },
});

const workloadKind = (plural: string, kind: string): Kind => ({
  plural,
  apiVersion: 'apps/v1',
  kind,
  namespaced: true,
  controlled: true,
  ...(plural === 'daemonsets' ? {} : { scaled: true }),
  weight: 2,
  create: (random, name) => ({
    spec: {
      ...(plural === 'daemonsets' ? {} : { replicas: 0 }),
      selector: { matchLabels: { app: random.chance(0.95) ? name : 'another' } },
      template: template(random, name),
      ...(plural === 'statefulsets' ? { serviceName: 'none' } : {}),
    },
  }),
  change: (random) => workload(random, plural),
  strategic: workloadStrategic,
});

const data = (random: Random): object => ({ data: Object.fromEntries(['a', 'b'].map((key) => [key, random.pick(['1', '2', 'x'])])) });

/** The kinds that random scripts are about. */
export const KINDS: readonly Kind[] = [
  {
    plural: 'configmaps',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespaced: true,
    controlled: false,
    weight: 8,
    create: (random) => ({
      ...data(random),
      ...random.pick([{}, {}, {}, { immutable: true }, { binaryData: { c: 'AAEC' } }, { binaryData: { a: 'AAEC' } }]),
    }),
    change: (random) =>
      random.pick<() => object>([
        () => metadataChange(random),
        () => ({ data: { a: value(random) } }),
        () => ({ data: { b: value(random), c: '9' } }),
        () => ({ data: { a: 5 } }),
        () => ({ data: null }),
        () => ({ immutable: random.pick([true, false, null]) }),
        () => ({ data: { 'bad key': 'x' } }),
        () => ({ unknown: 'field' }),
      ])(),
  },
  {
    plural: 'secrets',
    apiVersion: 'v1',
    kind: 'Secret',
    namespaced: true,
    controlled: false,
    weight: 2,
    create: (random) =>
      random.pick<object>([
        { stringData: { a: '1' } },
        { data: { a: 'MQ==' }, type: 'Opaque' },
        { data: { a: 'no base64!' } },
        { type: 'example.com/own' },
      ]),
    change: (random) =>
      random.pick<() => object>([
        () => metadataChange(random),
        () => ({ stringData: { b: '2' } }),
        () => ({ data: { a: random.pick(['Mg==', null]) } }),
        () => ({ type: 'another' }),
        () => ({ immutable: true }),
      ])(),
  },
  {
    plural: 'serviceaccounts',
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    namespaced: true,
    controlled: false,
    weight: 1,
    create: (random) => random.pick<object>([{}, { imagePullSecrets: [{ name: 'pull' }] }, { automountServiceAccountToken: false }]),
    change: (random) =>
      random.pick<() => object>([
        () => metadataChange(random),
        () => ({ imagePullSecrets: [{ name: 'other' }] }),
        () => ({ automountServiceAccountToken: true }),
      ])(),
  },
  {
    plural: 'pods',
    apiVersion: 'v1',
    kind: 'Pod',
    namespaced: true,
    controlled: false,
    weight: 9,
    create: (random) => ({ spec: { ...POD_SPEC, ...podDetail(random) } }),
    change: podChange,
    status: (random) => ({
      status: random.pick<object>([
        { phase: 'Running' },
        { phase: 'Succeeded' },
        { conditions: [{ type: 'Ready', status: random.pick(['True', 'False']) }] },
        { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no' }] },
        { nominatedNodeName: 'there', reason: 'x' },
        { podIP: random.pick(['10.0.0.1', 'not an address']) },
      ]),
    }),
    strategic: (random) => ({
      spec: random.pick<object>([
        { containers: [{ name: 'main', image: 'other' }] },
        { containers: [{ name: 'extra', image: 'pause' }] },
        { containers: [{ name: 'main', $patch: 'delete' }] },
        { tolerations: tolerations(random) },
        { '$setElementOrder/containers': [{ name: 'main' }], containers: [{ name: 'main', image: 'third' }] },
        { activeDeadlineSeconds: 50 },
      ]),
    }),
  },
  {
    plural: 'nodes',
    apiVersion: 'v1',
    kind: 'Node',
    namespaced: false,
    controlled: true,
    weight: 5,
    create: (random) => ({
      spec: random.pick<object>([{}, { taints: taints(random) }, { providerID: 'aws:///a/i-1' }, { unschedulable: true }]),
      status: random.pick<object>([
        {},
        { allocatable: { cpu: '2', memory: '4Gi', pods: '110' }, capacity: { cpu: '2', memory: '4Gi', pods: '110' } },
      ]),
    }),
    change: (random) =>
      random.pick<() => object>([
        () => metadataChange(random),
        () => ({ spec: { taints: taints(random) } }),
        () => ({ spec: { unschedulable: random.pick([true, false, null]) } }),
        () => ({ spec: { providerID: random.pick(['aws:///a/i-1', 'aws:///b/i-2']) } }),
        () => ({ spec: { podCIDR: random.pick(['10.0.0.0/24', 'x']) } }),
      ])(),
    status: (random) => ({
      status: random.pick<object>([
        { conditions: [{ type: 'DiskPressure', status: random.pick(['True', 'False']) }] },
        { allocatable: { cpu: random.pick(['1', '3.5', '1500m']) } },
        { capacity: { 'example.com/gpu': random.pick(['1', '0', '1.5']) } },
        { nodeInfo: { kubeletVersion: 'v1.34.4' } },
        { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] },
      ]),
    }),
    strategic: (random) =>
      random.pick<object>([
        { spec: { taints: [{ key: 'c', effect: 'NoSchedule' }] } },
        { metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a'] } },
        { metadata: { finalizers: null } },
        { metadata: { labels: { $patch: 'replace', only: 'this' } } },
        { spec: { $patch: 'merge', unschedulable: true } },
      ]),
  },
  {
    plural: 'leases',
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    namespaced: true,
    controlled: false,
    weight: 3,
    create: (random) => ({
      spec: random.pick<object>([
        {},
        { holderIdentity: 'a', leaseDurationSeconds: 15 },
        { leaseDurationSeconds: 0 },
        { renewTime: '2026-01-01T00:00:00.000000Z' },
      ]),
    }),
    change: (random) =>
      random.pick<() => object>([
        () => metadataChange(random),
        () => ({ spec: { holderIdentity: random.pick(['a', 'b', '', null]) } }),
        () => ({ spec: { leaseDurationSeconds: random.pick([1, 20, -1]) } }),
        () => ({ spec: { leaseTransitions: random.pick([0, 3, -1]) } }),
        () => ({ spec: { renewTime: random.pick(['2026-01-02T00:00:00.500000Z', 'yesterday']) } }),
      ])(),
  },
  {
    plural: 'poddisruptionbudgets',
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    namespaced: true,
    controlled: true,
    weight: 2,
    create: (random, name) => ({
      spec: {
        ...random.pick<object>([
          { minAvailable: 1 },
          { maxUnavailable: '50%' },
          { minAvailable: '20%' },
          { minAvailable: 1, maxUnavailable: 1 },
          { minAvailable: -1 },
          { maxUnavailable: '5' },
        ]),
        selector: { matchLabels: { app: name } },
      },
    }),
    change: (random) =>
      random.pick<() => object>([
        () => metadataChange(random),
        () => ({ spec: { minAvailable: random.pick([0, 2, '30%', '300%', null]) } }),
        () => ({ spec: { maxUnavailable: random.pick([0, 1, null]) } }),
        () => ({ spec: { selector: { matchLabels: { app: 'another' } } } }),
        () => ({ spec: { unhealthyPodEvictionPolicy: random.pick(['AlwaysAllow', 'IfHealthyBudget', 'Never']) } }),
      ])(),
  },
  workloadKind('deployments', 'Deployment'),
  workloadKind('replicasets', 'ReplicaSet'),
  workloadKind('statefulsets', 'StatefulSet'),
  workloadKind('daemonsets', 'DaemonSet'),
  {
    plural: 'services',
    apiVersion: 'v1',
    kind: 'Service',
    namespaced: true,
    controlled: false,
    weight: 1,
    create: (random) => ({
      spec: { clusterIP: 'None', selector: { app: 'x' }, ...random.pick([{}, { ports: [{ port: random.pick([80, 0]) }] }]) },
    }),
    change: (random) =>
      random.pick<() => object>([
        () => metadataChange(random),
        () => ({ spec: { selector: { app: 'y' } } }),
        () => ({ spec: { ports: [{ port: 81, name: 'http' }] } }),
      ])(),
    strategic: (random) => ({ spec: { ports: [{ port: random.pick([80, 82]), protocol: 'TCP', name: random.pick(['a', 'b']) }] } }),
  },
  {
    plural: 'priorityclasses',
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    namespaced: false,
    controlled: false,
    weight: 1,
    create: (random) => ({
      value: random.pick([10, 1000, 2_000_000_000, 0]),
      ...random.pick([{}, { preemptionPolicy: 'Never' }, { preemptionPolicy: 'Perhaps' }]),
    }),
    change: (random) =>
      random.pick<() => object>([
        () => metadataChange(random),
        () => ({ value: random.pick([10, 11]) }),
        () => ({ description: 'text' }),
        () => ({ preemptionPolicy: 'Never' }),
      ])(),
  },
  {
    plural: 'gadgets',
    apiVersion: 'differential.example.com/v1',
    kind: 'Gadget',
    namespaced: true,
    controlled: false,
    custom: true,
    scaled: true,
    weight: 6,
    create: (random) => ({
      spec: random.pick<object>([
        {},
        { size: random.pick([1, 5, 10]) },
        { color: random.pick(['blue', 'green']) },
        { parts: [{ id: 'a' }, { id: random.pick(['b', 'a']), weight: 2 }] },
        { free: { any: { thing: [1, 'x', null] } }, junk: true },
      ]),
      ...random.pick([{}, { status: { phase: 'new' } }]),
    }),
    change: (random) =>
      random.pick<() => object>([
        () => metadataChange(random),
        () => ({ spec: { size: random.pick([2, 3, 9, 0, 'x', null]) } }),
        () => ({ spec: { color: random.pick(['red', 'blue', null, 'green']) } }),
        () => ({ spec: { parts: random.pick([[{ id: 'b', weight: 3 }], [{ id: 'c' }, { id: 'a' }], [{ weight: 1 }], []]) } }),
        () => ({ spec: { free: { more: random.pick([1, null, { deep: true }]) } } }),
        () => ({ status: { phase: 'ignored' } }),
        () => ({ spec: { junk: 1 } }),
      ])(),
    status: (random) => ({
      status: random.pick<object>([{ phase: 'Ready' }, { size: 3 }, { phase: 5 }, { phase: null }]),
      ...random.pick([{}, { spec: { size: 4 } }]),
    }),
  },
];

/** Where objects of a kind are. */
export function collectionOf({ apiVersion, plural, namespaced }: Kind, namespace: string): string {
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespaced ? `${group}/namespaces/${namespace}/${plural}` : `${group}/${plural}`;
}
