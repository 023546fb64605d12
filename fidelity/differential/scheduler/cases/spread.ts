import { LABEL } from '../../../../model/kube.ts';
import type { KubeObject, Node, Pod, PodSpec, Taint, TopologySpreadConstraint } from '../../../../model/kube.ts';
import { SOURCE, inPlugin, namespace, node, on, pod, refused } from './case.ts';
import type { Expected, OtherObject, PodOptions, SchedulerCase } from './case.ts';

const WEB = { app: 'web' };
const NOT_MATCHING = "node(s) didn't match pod topology spread constraints";
const NO_LABEL = `${NOT_MATCHING} (missing required label)`;
const UNMATCHED = "node(s) didn't match Pod's node affinity/selector";
const TAINT: Taint = { key: 'x', effect: 'NoSchedule' };
const FILTER_TEST = inPlugin('podtopologyspread/filtering_test.go');
const SCORE_TEST = inPlugin('podtopologyspread/scoring_test.go');

const constraint = (change: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: LABEL.zone,
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: WEB },
  ...change,
});
const byZone = (change: Partial<TopologySpreadConstraint> = {}): PodSpec['topologySpreadConstraints'] => [constraint(change)];
const HOST = { topologyKey: LABEL.hostname };
const SOFT = { whenUnsatisfiable: 'ScheduleAnyway' } as const;

/** Pods of the workload, this many on each node. */
function running(counts: Readonly<Record<string, number>>, options: PodOptions = {}): Pod[] {
  return Object.entries(counts).flatMap(([name, count]) =>
    Array.from({ length: count }, (_, index) => pod(`web-${name}-${index}`, { on: name, labels: WEB, ...options })),
  );
}

const THREE = [node('n1', { zone: 'a' }), node('n2', { zone: 'b' }), node('n3', { zone: 'c' })];
const TWO = [node('n1', { zone: 'a' }), node('n2', { zone: 'b' })];
/** Two zones of two nodes. */
const FOUR = [node('a1', { zone: 'a' }), node('a2', { zone: 'a' }), node('b1', { zone: 'b' }), node('b2', { zone: 'b' })];

interface Situation {
  readonly nodes?: readonly Node[];
  readonly there?: Readonly<Record<string, number>>;
  readonly objects?: readonly OtherObject[];
  readonly pods?: readonly Pod[];
  readonly spread: PodSpec['topologySpreadConstraints'];
  readonly source?: string;
  readonly more?: PodOptions;
  readonly expected: Expected;
}

function spreadCase(id: string, situation: Situation): SchedulerCase {
  const { nodes = THREE, there = {}, objects = [], pods = [], spread, source = SOURCE.spread, more = {}, expected } = situation;
  const wanted = pod('p', { labels: WEB, topologySpreadConstraints: spread, ...more });
  return { id: `spread-${id}`, source, nodes, objects, pods: [...running(there), ...pods], pod: wanted, expected };
}

const TERMINATING = { deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 };

/** Topology spread: hard, soft and the default of the scheduler. */
export const SPREAD_CASES: readonly SchedulerCase[] = [
  spreadCase('first-pod', { spread: byZone(), expected: on('n1', 'n2', 'n3') }),
  spreadCase('emptiest-zone', { there: { n1: 1, n3: 1 }, spread: byZone(), expected: on('n2') }),
  spreadCase('two-empty-zones', { there: { n1: 1 }, spread: byZone(), expected: on('n2', 'n3') }),
  spreadCase('max-skew-2', {
    there: { n1: 1 },
    spread: byZone({ maxSkew: 2, nodeAffinityPolicy: 'Ignore' }),
    more: { nodeSelector: { [LABEL.zone]: 'a' } },
    expected: on('n1'),
  }),
  spreadCase('max-skew-2-reached', {
    there: { n1: 2, n2: 1 },
    spread: byZone({ maxSkew: 2, nodeAffinityPolicy: 'Ignore' }),
    more: { nodeSelector: { [LABEL.zone]: 'a' } },
    expected: refused({ [NOT_MATCHING]: 1, [UNMATCHED]: 2 }, { victimless: 1, unhelpful: 2 }),
  }),
  spreadCase('no-room-in-the-emptiest', {
    nodes: [node('n1', { zone: 'a' }), node('n2', { zone: 'b', cpu: '1' })],
    there: { n1: 1 },
    spread: byZone(),
    more: { cpu: '2' },
    expected: refused({ [NOT_MATCHING]: 1, 'Insufficient cpu': 1 }, { unhelpful: 1, victimless: 1 }),
  }),
  spreadCase('pod-does-not-count-itself', {
    there: { n1: 1 },
    spread: byZone({ nodeAffinityPolicy: 'Ignore' }),
    more: { labels: { app: 'other' }, nodeSelector: { [LABEL.zone]: 'a' } },
    expected: on('n1'),
  }),
  spreadCase('zone-of-several-nodes', { nodes: FOUR, there: { a1: 1, a2: 1, b1: 3 }, spread: byZone(), expected: on('a1', 'a2') }),
  spreadCase('by-host', { nodes: FOUR, there: { a1: 1, a2: 1, b1: 1 }, spread: byZone(HOST), expected: on('b2') }),
  spreadCase('zone-and-host', {
    nodes: FOUR,
    there: { a1: 1, b1: 1, b2: 1 },
    spread: [constraint(), constraint(HOST)],
    expected: on('a2'),
  }),
  spreadCase('zone-and-host-conflict', {
    nodes: FOUR.slice(0, 3),
    there: { a1: 1, a2: 1, b1: 3 },
    spread: [constraint(), constraint(HOST)],
    expected: on('a1', 'a2'),
  }),
  spreadCase('zone-and-host-exclude-each-other', {
    source: SOURCE.spread,
    nodes: FOUR.slice(0, 3),
    there: { a1: 2, a2: 1, b1: 2 },
    spread: [constraint(), constraint(HOST)],
    expected: refused({ [NOT_MATCHING]: 3 }, { victimless: 3 }),
  }),
  spreadCase('node-without-the-label', {
    nodes: [...TWO, node('n3')],
    there: { n1: 1, n2: 1 },
    spread: byZone(),
    expected: on('n1', 'n2'),
  }),
  spreadCase('no-node-with-the-label', {
    nodes: [node('n1'), node('n2')],
    spread: byZone(),
    expected: refused({ [NO_LABEL]: 2 }, { unhelpful: 2 }),
  }),
  spreadCase('nodes-without-one-of-the-labels-are-no-domains', {
    nodes: [node('n1', { zone: 'a' }), node('n2', { zone: 'b' }), node('n3', { zone: 'c', hostname: 'none' })],
    there: { n1: 1, n2: 1 },
    spread: [constraint(), constraint({ ...HOST, maxSkew: 5 })],
    source: FILTER_TEST,
    expected: on('n1', 'n2'),
  }),
  spreadCase('other-labels-do-not-count', {
    pods: [pod('o', { on: 'n1', labels: { app: 'db' } })],
    spread: byZone(),
    more: { cpu: '100m' },
    expected: on('n2', 'n3'),
  }),
  spreadCase('other-namespaces-do-not-count', {
    nodes: TWO,
    objects: [namespace('other')],
    pods: running({ n1: 3 }, { namespace: 'other' }),
    there: { n2: 1 },
    spread: byZone(),
    expected: on('n1'),
  }),
  spreadCase('terminating-pods-do-not-count', {
    nodes: TWO,
    pods: [pod('old', { on: 'n1', labels: WEB, metadata: { name: 'old', namespace: 'default', labels: WEB, ...TERMINATING } })],
    there: { n2: 1 },
    spread: byZone(),
    source: FILTER_TEST,
    expected: on('n1'),
  }),
  spreadCase('nil-selector-counts-nothing', {
    nodes: TWO,
    there: { n1: 3 },
    spread: byZone({ labelSelector: undefined, nodeAffinityPolicy: 'Ignore' }),
    more: { nodeSelector: { [LABEL.zone]: 'a' } },
    source: FILTER_TEST,
    expected: on('n1'),
  }),
  spreadCase('empty-selector-counts-nothing', {
    nodes: TWO,
    there: { n1: 3 },
    spread: byZone({ labelSelector: {}, nodeAffinityPolicy: 'Ignore' }),
    more: { nodeSelector: { [LABEL.zone]: 'a' } },
    source: inPlugin('podtopologyspread/common.go'),
    expected: on('n1'),
  }),
  spreadCase('selector-by-expression', {
    nodes: TWO,
    pods: [pod('v1', { on: 'n1', labels: { app: 'web', version: '1' } })],
    spread: byZone({ labelSelector: { matchExpressions: [{ key: 'version', operator: 'In', values: ['1', '2'] }] } }),
    more: { labels: { app: 'web', version: '2' } },
    source: FILTER_TEST,
    expected: on('n2'),
  }),
  spreadCase('match-label-keys', {
    nodes: TWO,
    pods: [
      ...['x', 'y'].map((name) => pod(name, { on: 'n1', labels: { app: 'web', hash: 'old' } })),
      pod('z', { on: 'n2', labels: { app: 'web', hash: 'new' } }),
    ],
    spread: byZone({ matchLabelKeys: ['hash'] }),
    more: { labels: { app: 'web', hash: 'new' } },
    expected: on('n1'),
  }),
  spreadCase('match-label-keys-the-pod-lacks', {
    nodes: TWO,
    there: { n1: 1 },
    spread: byZone({ matchLabelKeys: ['hash'] }),
    source: FILTER_TEST,
    expected: on('n2'),
  }),
  spreadCase('min-domains-not-reached', {
    nodes: TWO,
    there: { n1: 1, n2: 1 },
    spread: byZone({ minDomains: 3 }),
    expected: refused({ [NOT_MATCHING]: 2 }, { victimless: 2 }),
  }),
  spreadCase('min-domains-not-reached-yet-free', { nodes: TWO, there: { n1: 1 }, spread: byZone({ minDomains: 3 }), expected: on('n2') }),
  spreadCase('min-domains-reached', { there: { n1: 1, n2: 1, n3: 1 }, spread: byZone({ minDomains: 3 }), expected: on('n1', 'n2', 'n3') }),
  spreadCase('min-domains-by-host', {
    nodes: TWO,
    there: { n1: 1, n2: 1 },
    spread: byZone({ ...HOST, minDomains: 4, maxSkew: 2 }),
    source: FILTER_TEST,
    expected: on('n1', 'n2'),
  }),
  spreadCase('affinity-honored-by-default', {
    there: { n1: 1 },
    spread: byZone(),
    more: { nodeSelector: { [LABEL.zone]: 'a' } },
    expected: on('n1'),
  }),
  spreadCase('affinity-ignored', {
    there: { n1: 1 },
    spread: byZone({ nodeAffinityPolicy: 'Ignore' }),
    more: { nodeSelector: { [LABEL.zone]: 'a' } },
    expected: refused({ [NOT_MATCHING]: 1, [UNMATCHED]: 2 }, { victimless: 1, unhelpful: 2 }),
  }),
  spreadCase('taints-ignored-by-default', {
    nodes: [node('n1', { zone: 'a' }), node('n2', { zone: 'b', taints: [TAINT] })],
    there: { n1: 1 },
    spread: byZone(),
    expected: refused({ [NOT_MATCHING]: 1, 'node(s) had untolerated taint(s)': 1 }, { victimless: 1, unhelpful: 1 }),
  }),
  spreadCase('taints-honored', {
    nodes: [node('n1', { zone: 'a' }), node('n2', { zone: 'b', taints: [TAINT] })],
    there: { n1: 1 },
    spread: byZone({ nodeTaintsPolicy: 'Honor' }),
    expected: on('n1'),
  }),
  spreadCase('taints-honored-but-tolerated', {
    nodes: [node('n1', { zone: 'a' }), node('n2', { zone: 'b', taints: [TAINT] })],
    there: { n1: 1 },
    spread: byZone({ nodeTaintsPolicy: 'Honor' }),
    more: { tolerations: [{ key: 'x', operator: 'Exists' }] },
    expected: on('n2'),
  }),
  spreadCase('cordoned-node-is-a-domain', {
    nodes: [node('n1', { zone: 'a' }), node('n2', { zone: 'b', unschedulable: true })],
    there: { n1: 1 },
    spread: byZone(),
    expected: refused({ [NOT_MATCHING]: 1, 'node(s) were unschedulable': 1 }, { victimless: 1, unhelpful: 1 }),
  }),
  spreadCase('pods-on-excluded-nodes-do-not-count', {
    nodes: [node('a1', { zone: 'a' }), node('a2', { zone: 'a', labels: { old: 'yes' } }), node('b1', { zone: 'b' })],
    there: { a2: 3 },
    spread: byZone(),
    more: {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'old', operator: 'DoesNotExist' }] }],
          },
        },
      },
    },
    source: FILTER_TEST,
    expected: on('a1', 'b1'),
  }),

  spreadCase('soft', { there: { n1: 2, n2: 1 }, spread: byZone(SOFT), source: SCORE_TEST, expected: on('n3') }),
  spreadCase('soft-by-host', {
    nodes: FOUR,
    there: { a1: 1, a2: 1, b1: 1 },
    spread: byZone({ ...SOFT, ...HOST }),
    source: SCORE_TEST,
    expected: on('b2'),
  }),
  spreadCase('soft-gives-way', {
    nodes: [node('n1', { zone: 'a' }), node('n2', { zone: 'b', cpu: '1' })],
    there: { n1: 3 },
    spread: byZone(SOFT),
    more: { cpu: '2' },
    expected: on('n1'),
  }),
  spreadCase('soft-node-without-the-label-is-last', {
    nodes: [...TWO, node('n3')],
    there: { n1: 1, n2: 1 },
    spread: byZone(SOFT),
    source: SCORE_TEST,
    expected: on('n1', 'n2'),
  }),
  spreadCase('soft-zone-before-host', {
    nodes: FOUR,
    there: { a1: 2, a2: 2, b1: 1 },
    spread: [constraint(SOFT), constraint({ ...SOFT, ...HOST })],
    source: SCORE_TEST,
    expected: on('b2'),
  }),
  spreadCase('soft-outweighs-load', {
    nodes: TWO,
    there: { n1: 1 },
    pods: [pod('busy', { on: 'n2', cpu: '1', memory: '2Gi' })],
    spread: byZone(SOFT),
    more: { cpu: '100m', memory: '200Mi' },
    expected: on('n2'),
  }),
  spreadCase('soft-and-hard', {
    nodes: FOUR,
    there: { a1: 1, b1: 2 },
    spread: [constraint(), constraint({ ...SOFT, ...HOST })],
    source: SCORE_TEST,
    expected: on('a2'),
  }),

  {
    id: 'spread-default-by-replica-set',
    source: SOURCE.spread,
    nodes: TWO,
    objects: [{ resource: 'replicasets', object: replicaSet('web') }],
    pods: [...running({ n1: 2 }), pod('o1', { on: 'n2', labels: { app: 'db' } }), pod('o2', { on: 'n2', labels: { app: 'db' } })],
    pod: pod('p', { labels: WEB, metadata: owned('web') }),
    expected: on('n2'),
  },
  {
    id: 'spread-default-by-service',
    source: SOURCE.spread,
    nodes: TWO,
    objects: [{ resource: 'services', object: service('web') }],
    pods: [...running({ n1: 2 }), pod('o1', { on: 'n2', labels: { app: 'db' } }), pod('o2', { on: 'n2', labels: { app: 'db' } })],
    pod: pod('p', { labels: WEB }),
    expected: on('n2'),
  },
  {
    id: 'spread-default-not-for-lone-pods',
    source: SOURCE.spread,
    nodes: TWO,
    pods: [...running({ n1: 2 }), pod('o1', { on: 'n2', labels: { app: 'db' } }), pod('o2', { on: 'n2', labels: { app: 'db' } })],
    pod: pod('p', { labels: WEB }),
    expected: on('n1', 'n2'),
  },
  {
    id: 'spread-default-is-off-with-own-constraints',
    source: SOURCE.spread,
    nodes: TWO,
    objects: [{ resource: 'services', object: service('web') }],
    pods: [...running({ n1: 2 }), pod('o1', { on: 'n2', labels: { app: 'db' } }), pod('o2', { on: 'n2', labels: { app: 'db' } })],
    pod: pod('p', { labels: WEB, topologySpreadConstraints: byZone({ maxSkew: 9 }) }),
    expected: on('n1', 'n2'),
  },
  {
    id: 'spread-default-does-without-zones',
    source: SCORE_TEST,
    nodes: [node('n1'), node('n2')],
    objects: [{ resource: 'services', object: service('web') }],
    pods: [...running({ n1: 2 }), pod('o1', { on: 'n2', labels: { app: 'db' } }), pod('o2', { on: 'n2', labels: { app: 'db' } })],
    pod: pod('p', { labels: WEB }),
    expected: on('n2'),
  },
];

function replicaSet(name: string): KubeObject & { spec: object } {
  const template = { metadata: { labels: WEB }, spec: { containers: [{ name: 'main', image: 'registry.k8s.io/pause:3.10' }] } };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name, namespace: 'default', uid: `uid-${name}` },
    spec: { replicas: 0, selector: { matchLabels: WEB }, template },
  };
}

function service(name: string): KubeObject & { spec: object } {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: 'default' }, spec: { selector: WEB, ports: [{ port: 80 }] } };
}

function owned(name: string): Pod['metadata'] {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name, uid: `uid-${name}`, controller: true };
  return { name: 'p', namespace: 'default', labels: WEB, ownerReferences: [owner] };
}
