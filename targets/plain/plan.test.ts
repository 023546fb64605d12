import { expect, test } from '@playwright/test';
import { LABEL, WORKLOAD_LABEL } from '../../model/kube.ts';
import type { DaemonSet, Pod } from '../../model/kube.ts';
import type { Labels } from '../../model/selector.ts';
import type { Shape } from './capacity.ts';
import { labelsOf, offeringsOf } from './groups.ts';
import type { Group } from './groups.ts';
import { Placements } from './placement.ts';
import { planScaleUp } from './plan.ts';
import type { Holding, Room } from './plan.ts';

const group = (more: Partial<Group> = {}): Group => ({
  name: 'default',
  instanceTypes: ['m6i.large'],
  zones: ['us-east-1a'],
  labels: {},
  taints: [],
  limits: {},
  ...more,
});
const TWO_ZONES = { zones: ['us-east-1a', 'us-east-1b'] };
const HOLDING: Holding = { group: 'default', instanceType: 'm6i.large', zone: 'us-east-1a' };

const pod = (cpu: string, spec: Partial<Pod['spec']> = {}): Pod => ({
  metadata: { name: 'p', namespace: 'default', labels: { [WORKLOAD_LABEL]: 'web' } },
  spec: { containers: [{ name: 'main', resources: { requests: { cpu, memory: '1Gi' } } }], ...spec },
});
const OWN = { matchLabels: { [WORKLOAD_LABEL]: 'web' } };
const apart = (topologyKey: string): Partial<Pod['spec']> => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: OWN }] } },
});
const together = (topologyKey: string): Partial<Pod['spec']> => ({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: OWN }] } },
});
const spread = (topologyKey: string, maxSkew = 1): Partial<Pod['spec']> => ({
  topologySpreadConstraints: [{ maxSkew, topologyKey, whenUnsatisfiable: 'DoNotSchedule', labelSelector: OWN }],
});
const agent: DaemonSet = {
  metadata: { name: 'agent', uid: 'agent' },
  spec: { selector: {}, template: { spec: { containers: [{ name: 'main', resources: { requests: { cpu: '600m' } } }] } } },
};

const shapeOf = (type: string): Shape => ({ vcpu: type === 'm6i.xlarge' ? 4 : 2, memoryMiB: 8192, pods: 29, isSpecial: false });

function plan(
  pending: readonly Pod[],
  groups: readonly Group[],
  more: {
    readonly rooms?: readonly Room[];
    readonly holdings?: readonly Holding[];
    readonly placed?: readonly { readonly pod: Pod; readonly node: Labels }[];
    readonly unavailable?: readonly string[];
    readonly daemonSets?: readonly DaemonSet[];
  } = {},
): { readonly launches: Record<string, number>; readonly unserved: readonly string[] } {
  const { rooms = [], holdings = [], placed = [], unavailable = [], daemonSets = [] } = more;
  const { launches, unserved } = planScaleUp({
    pending,
    rooms,
    offerings: groups.flatMap(offeringsOf),
    isAvailable: ({ zone }) => !unavailable.includes(zone),
    shapeOf,
    allocatableOf: (type) => ({ cpu: shapeOf(type).vcpu * 1000 - 70, memory: 7 * 2 ** 30, pods: 29 }),
    daemonSets,
    holdings,
    placements: new Placements(
      [...rooms, ...placed.map(({ node }) => ({ labels: node }))].map(({ labels }) => labels),
      placed,
    ),
  });
  return {
    launches: Object.fromEntries(launches.map(({ offering, count }) => [`${offering.instanceType} ${offering.zone.slice(-1)}`, count])),
    unserved: unserved.map(({ why }) => why),
  };
}

test('pods with the same host port get one node each, and those with others share them', () => {
  const using = (port: number): Pod => pod('100m', { containers: [{ name: 'main', ports: [{ containerPort: 80, hostPort: port }] }] });
  expect(plan([using(80), using(80), using(81), using(82)], [group()])).toEqual({ launches: { 'm6i.large a': 2 }, unserved: [] });
});

const room = (zone: string, cpu: number): Room => ({
  labels: { ...labelsOf({ group: group(), instanceType: 'm6i.large', zone }), [LABEL.hostname]: 'coming' },
  taints: [],
  free: { cpu, memory: 2 ** 33, pods: 10 },
});

for (const { name, run, gives } of [
  {
    name: 'pods are packed first fit',
    run: () => plan([pod('800m'), pod('800m'), pod('800m')], [group()]),
    gives: { launches: { 'm6i.large a': 2 }, unserved: [] },
  },
  {
    name: 'zones grow evenly, counting existing nodes',
    run: () => plan([pod('1500m'), pod('1500m')], [group(TWO_ZONES)], { holdings: [HOLDING] }),
    gives: { launches: { 'm6i.large b': 1, 'm6i.large a': 1 }, unserved: [] },
  },
  {
    name: 'launches in progress are used first',
    run: () => plan([pod('1500m')], [group()], { rooms: [room('us-east-1a', 1_900)] }),
    gives: { launches: {}, unserved: [] },
  },
  {
    name: 'DaemonSet pods take their share',
    run: () => plan([pod('1500m')], [group({ instanceTypes: ['m6i.large', 'm6i.xlarge'] })], { daemonSets: [agent] }),
    gives: { launches: { 'm6i.xlarge a': 1 }, unserved: [] },
  },
  {
    name: 'a zone without capacity is avoided',
    run: () => plan([pod('1500m'), pod('1500m')], [group(TWO_ZONES)], { unavailable: ['us-east-1a'] }),
    gives: { launches: { 'm6i.large b': 2 }, unserved: [] },
  },
  {
    name: 'no capacity anywhere',
    run: () => plan([pod('1500m')], [group()], { unavailable: ['us-east-1a'] }),
    gives: { launches: {}, unserved: ['EC2 has no capacity for any suitable group'] },
  },
  {
    name: 'a selector that no group matches',
    run: () => plan([pod('1', { nodeSelector: { disk: 'ssd' } })], [group()]),
    gives: { launches: {}, unserved: ['no group has the labels and taints that its selector, affinity and tolerations allow'] },
  },
  {
    name: 'an untolerated taint',
    run: () => plan([pod('1')], [group({ taints: [{ key: 'gpu', effect: 'NoSchedule' }] })]),
    gives: { launches: {}, unserved: ['no group has the labels and taints that its selector, affinity and tolerations allow'] },
  },
  {
    name: 'a pod larger than any instance',
    run: () => plan([pod('3')], [group()]),
    gives: { launches: {}, unserved: ["its requests don't fit a node of any group"] },
  },
  {
    name: 'a limit of nodes, counting existing ones',
    run: () => plan([pod('1500m'), pod('1500m')], [group({ limits: { nodes: 2 } })], { holdings: [HOLDING] }),
    gives: { launches: { 'm6i.large a': 1 }, unserved: ['every suitable group has reached its limits'] },
  },
  {
    name: 'a limit of processors',
    run: () => plan([pod('1500m'), pod('1500m')], [group({ limits: { cpu: 3 } })]),
    gives: { launches: { 'm6i.large a': 1 }, unserved: ['every suitable group has reached its limits'] },
  },
  {
    name: 'pods that may not share a host',
    run: () => plan([pod('100m', apart(LABEL.hostname)), pod('100m', apart(LABEL.hostname))], [group()]),
    gives: { launches: { 'm6i.large a': 2 }, unserved: [] },
  },
  {
    name: 'pods that may not share a zone, one more than there are zones',
    run: () =>
      plan(
        [1, 2, 3].map(() => pod('100m', apart(LABEL.zone))),
        [group(TWO_ZONES)],
      ),
    gives: {
      launches: { 'm6i.large a': 1, 'm6i.large b': 1 },
      unserved: [`anti-affinity keeps it apart from pods over ${LABEL.zone}`],
    },
  },
  {
    name: 'a pod that others keep away',
    run: () => plan([pod('100m')], [group()], { placed: [{ pod: pod('1', apart(LABEL.zone)), node: { [LABEL.zone]: 'us-east-1a' } }] }),
    gives: { launches: {}, unserved: [`anti-affinity keeps it apart from pods over ${LABEL.zone}`] },
  },
  {
    name: 'pods with affinity to each other',
    run: () =>
      plan(
        [1, 2].map(() => pod('1500m', together(LABEL.zone))),
        [group(TWO_ZONES)],
      ),
    gives: { launches: { 'm6i.large a': 2 }, unserved: [] },
  },
  {
    name: 'pods spread over zones',
    run: () =>
      plan(
        [1, 2, 3, 4].map(() => pod('100m', spread(LABEL.zone))),
        [group(TWO_ZONES)],
      ),
    gives: { launches: { 'm6i.large a': 1, 'm6i.large b': 1 }, unserved: [] },
  },
  {
    name: 'a spread over a label that no node has',
    run: () => plan([pod('100m', spread('example.com/rack'))], [group()]),
    gives: { launches: {}, unserved: ['no node has the label example.com/rack of its spread constraint'] },
  },
  {
    name: 'a malformed spread and a valid pod',
    run: () => plan([pod('100m', spread(LABEL.zone, -1)), pod('100m')], [group()]),
    gives: {
      launches: { 'm6i.large a': 1 },
      unserved: ['its spread constraint is malformed: maxSkew: Invalid value: -1: must be greater than zero'],
    },
  },
]) {
  test(`plain plans: ${name}`, () => {
    expect(run()).toEqual(gives);
  });
}
