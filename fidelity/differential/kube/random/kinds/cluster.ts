import { defined } from '../../../../../model/defined.ts';
import type { Random } from '../../../../../runtime/random.ts';
import type { Kind } from './kind.ts';
import { metadataChange } from './metadata.ts';

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

export const nodes: Kind = {
  plural: 'nodes',
  apiVersion: 'v1',
  kind: 'Node',
  namespaced: false,
  controlled: true,
  annotated: true,
  weight: 5,
  create: (random) => ({
    spec: random.pick<object>([{}, { taints: taints(random) }, { providerID: 'aws:///a/i-1' }, { unschedulable: true }]),
    status: random.pick<object>([
      {},
      { allocatable: { cpu: '2', memory: '4Gi', pods: '110' }, capacity: { cpu: '2', memory: '4Gi', pods: '110' } },
    ]),
  }),
  // Controllers taint nodes too, and the list is atomic: its owner would depend on a race.
  applied: (configuration) => {
    const { spec, ...rest } = configuration as { spec?: { taints?: unknown } };
    const { taints: _taints, ...own } = spec ?? {};
    return { ...rest, ...defined({ spec: spec && own }) };
  },
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
};

export const leases: Kind = {
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
};

export const poddisruptionbudgets: Kind = {
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
};

export const priorityclasses: Kind = {
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
};
