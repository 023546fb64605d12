import type { PodSpec, Taint, Toleration } from '../../../../model/kube.ts';
import { SOURCE, inPlugin, inSources, node, on, pod, refused, refusedOutright } from './case.ts';
import type { SchedulerCase } from './case.ts';

const GPU: Taint = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' };
const TAINTED = 'node(s) had untolerated taint(s)';
const CORDONED = 'node(s) were unschedulable';
const tolerating = (...tolerations: Toleration[]) => pod('p', { tolerations });
const tainted = (...taints: Taint[]) => [node('n1', { taints })];

/** Cordons, names, taints and tolerations. */
export const NODE_CASES: readonly SchedulerCase[] = [
  { id: 'any-node', source: SOURCE.assigning, nodes: [node('n1'), node('n2')], pod: pod('p'), expected: on('n1', 'n2') },
  {
    id: 'no-nodes',
    source: inSources('schedule_one.go'),
    nodes: [],
    pod: pod('p'),
    expected: { refused: 'no nodes available to schedule pods' },
  },
  {
    id: 'cordoned',
    source: SOURCE.cordon,
    nodes: [node('n1', { unschedulable: true }), node('n2')],
    pod: pod('p'),
    expected: on('n2'),
  },
  {
    id: 'cordoned-all',
    source: inPlugin('nodeunschedulable/node_unschedulable.go'),
    nodes: [node('n1', { unschedulable: true })],
    pod: pod('p'),
    expected: refused({ [CORDONED]: 1 }, { unhelpful: 1 }),
  },
  {
    id: 'cordoned-tolerated-by-key',
    source: inPlugin('nodeunschedulable/node_unschedulable_test.go'),
    nodes: [node('n1', { unschedulable: true })],
    pod: tolerating({ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule', operator: 'Exists' }),
    expected: on('n1'),
  },
  {
    id: 'cordoned-tolerated-by-everything',
    source: SOURCE.taints,
    nodes: [node('n1', { unschedulable: true })],
    pod: tolerating({ operator: 'Exists' }),
    expected: on('n1'),
  },
  {
    id: 'cordoned-other-effect-tolerated',
    source: inPlugin('nodeunschedulable/node_unschedulable.go'),
    nodes: [node('n1', { unschedulable: true })],
    pod: tolerating({ key: 'node.kubernetes.io/unschedulable', effect: 'NoExecute', operator: 'Exists' }),
    expected: refused({ [CORDONED]: 1 }, { unhelpful: 1 }),
  },
  {
    id: 'cordon-comes-before-taints',
    source: inSources('apis/config/v1/default_plugins.go'),
    nodes: [node('n1', { unschedulable: true, taints: [GPU] }), node('n2', { taints: [GPU] })],
    pod: pod('p'),
    expected: refused({ [CORDONED]: 1, [TAINTED]: 1 }, { unhelpful: 2 }),
  },
  { id: 'taint', source: SOURCE.taints, nodes: [...tainted(GPU), node('n2')], pod: pod('p'), expected: on('n2') },
  { id: 'taint-all', source: SOURCE.taints, nodes: tainted(GPU), pod: pod('p'), expected: refused({ [TAINTED]: 1 }, { unhelpful: 1 }) },
  {
    id: 'taint-tolerated-equal',
    source: SOURCE.taints,
    nodes: tainted(GPU),
    pod: tolerating({ key: 'dedicated', operator: 'Equal', value: 'gpu', effect: 'NoSchedule' }),
    expected: on('n1'),
  },
  {
    id: 'taint-operator-defaults-to-equal',
    source: SOURCE.taints,
    nodes: tainted(GPU),
    pod: tolerating({ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }),
    expected: on('n1'),
  },
  {
    id: 'taint-tolerated-exists',
    source: SOURCE.taints,
    nodes: tainted(GPU),
    pod: tolerating({ key: 'dedicated', operator: 'Exists', effect: 'NoSchedule' }),
    expected: on('n1'),
  },
  {
    id: 'taint-tolerated-any-effect',
    source: SOURCE.taints,
    nodes: tainted(GPU),
    pod: tolerating({ key: 'dedicated', operator: 'Exists' }),
    expected: on('n1'),
  },
  {
    id: 'taint-tolerated-any-key',
    source: SOURCE.taints,
    nodes: tainted(GPU, { key: 'other', effect: 'NoExecute' }),
    pod: tolerating({ operator: 'Exists' }),
    expected: on('n1'),
  },
  {
    id: 'taint-other-value',
    source: SOURCE.taints,
    nodes: tainted(GPU),
    pod: tolerating({ key: 'dedicated', operator: 'Equal', value: 'batch', effect: 'NoSchedule' }),
    expected: refused({ [TAINTED]: 1 }, { unhelpful: 1 }),
  },
  {
    id: 'taint-other-key',
    source: inPlugin('tainttoleration/taint_toleration_test.go'),
    nodes: tainted(GPU),
    pod: tolerating({ key: 'zone', operator: 'Exists', effect: 'NoSchedule' }),
    expected: refused({ [TAINTED]: 1 }, { unhelpful: 1 }),
  },
  {
    id: 'taint-other-effect',
    source: inPlugin('tainttoleration/taint_toleration_test.go'),
    nodes: tainted(GPU),
    pod: tolerating({ key: 'dedicated', operator: 'Exists', effect: 'NoExecute' }),
    expected: refused({ [TAINTED]: 1 }, { unhelpful: 1 }),
  },
  {
    id: 'taint-no-execute',
    source: SOURCE.taints,
    nodes: tainted({ key: 'x', effect: 'NoExecute' }),
    pod: pod('p'),
    expected: refused({ [TAINTED]: 1 }, { unhelpful: 1 }),
  },
  {
    id: 'taint-no-execute-tolerated-for-a-while',
    source: SOURCE.taints,
    nodes: tainted({ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }),
    pod: tolerating({ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }),
    expected: on('n1'),
  },
  {
    id: 'taints-one-of-two-tolerated',
    source: SOURCE.taints,
    nodes: tainted(GPU, { key: 'team', value: 'a', effect: 'NoSchedule' }),
    pod: tolerating({ key: 'dedicated', operator: 'Exists' }),
    expected: refused({ [TAINTED]: 1 }, { unhelpful: 1 }),
  },
  {
    id: 'taints-two-of-two-tolerated',
    source: SOURCE.taints,
    nodes: tainted(GPU, { key: 'team', value: 'a', effect: 'NoSchedule' }),
    pod: tolerating({ key: 'dedicated', operator: 'Exists' }, { key: 'team', value: 'a' }),
    expected: on('n1'),
  },
  {
    id: 'taint-without-value-tolerated-by-empty-value',
    source: inPlugin('tainttoleration/taint_toleration_test.go'),
    nodes: tainted({ key: 'x', effect: 'NoSchedule' }),
    pod: tolerating({ key: 'x', operator: 'Equal', effect: 'NoSchedule' }),
    expected: on('n1'),
  },
  {
    id: 'taint-prefer-no-schedule-alone',
    source: SOURCE.taints,
    nodes: tainted({ key: 'x', effect: 'PreferNoSchedule' }),
    pod: pod('p'),
    expected: on('n1'),
  },
  {
    id: 'taint-prefer-no-schedule-is-avoided',
    source: SOURCE.taints,
    nodes: [...tainted({ key: 'x', effect: 'PreferNoSchedule' }), node('n2')],
    pod: pod('p'),
    expected: on('n2'),
  },
  {
    id: 'taint-prefer-no-schedule-tolerated',
    source: inPlugin('tainttoleration/taint_toleration_test.go'),
    nodes: [...tainted({ key: 'x', effect: 'PreferNoSchedule' }), node('n2')],
    pod: tolerating({ key: 'x', operator: 'Exists', effect: 'PreferNoSchedule' }),
    expected: on('n1', 'n2'),
  },
  {
    id: 'taint-prefer-no-schedule-fewer-are-better',
    source: inPlugin('tainttoleration/taint_toleration_test.go'),
    nodes: [
      node('n1', {
        taints: [
          { key: 'a', effect: 'PreferNoSchedule' },
          { key: 'b', effect: 'PreferNoSchedule' },
        ],
      }),
      node('n2', { taints: [{ key: 'a', effect: 'PreferNoSchedule' }] }),
    ],
    pod: pod('p'),
    expected: on('n2'),
  },
  {
    id: 'taint-prefer-no-schedule-outweighs-load',
    source: inSources('apis/config/v1/default_plugins.go'),
    nodes: [node('n1', { taints: [{ key: 'a', effect: 'PreferNoSchedule' }] }), node('n2')],
    pods: [pod('busy', { on: 'n2', cpu: '3', memory: '6Gi' })],
    pod: pod('p', { cpu: '100m', memory: '200Mi' }),
    expected: on('n2'),
  },
  {
    id: 'taint-of-a-daemon-is-tolerated',
    source: 'https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/',
    nodes: tainted(
      { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
      { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' },
    ),
    pod: tolerating(
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists' },
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
    ),
    expected: on('n1'),
  },
  {
    id: 'named-node-of-a-daemon',
    source: inPlugin('nodeaffinity/node_affinity.go'),
    nodes: [node('n1'), node('n2'), node('n3')],
    pod: pod('p', { affinity: named(['n2']) }),
    expected: on('n2'),
  },
  {
    id: 'named-node-is-full',
    source: inPlugin('nodeaffinity/node_affinity.go'),
    nodes: [node('n1'), node('n2', { cpu: '1' }), node('n3')],
    pod: pod('p', { cpu: '2', affinity: named(['n2']) }),
    expected: refused({ 'Insufficient cpu': 1, "node(s) didn't satisfy plugin(s) [NodeAffinity]": 2 }, { unhelpful: 3 }),
  },
  {
    id: 'named-node-is-full-of-equals',
    source: inPlugin('nodeaffinity/node_affinity.go'),
    nodes: [node('n1'), node('n2')],
    pods: [pod('other', { on: 'n2', cpu: '3' })],
    pod: pod('p', { cpu: '2', affinity: named(['n2']) }),
    expected: refused({ 'Insufficient cpu': 1, "node(s) didn't satisfy plugin(s) [NodeAffinity]": 1 }, { unhelpful: 1, victimless: 1 }),
  },
  {
    id: 'named-node-is-missing',
    source: inPlugin('nodeaffinity/node_affinity.go'),
    nodes: [node('n1'), node('n2')],
    pod: pod('p', { affinity: named(['n9']) }),
    expected: refused({ "node(s) didn't satisfy plugin(s) [NodeAffinity]": 2 }, { unhelpful: 2 }),
  },
  {
    id: 'named-nodes-of-two-terms',
    source: inPlugin('nodeaffinity/node_affinity_test.go'),
    nodes: [node('n1'), node('n2'), node('n3')],
    pod: pod('p', { affinity: named(['n1'], ['n3']) }),
    expected: on('n1', 'n3'),
  },
  {
    id: 'named-nodes-conflict',
    source: inPlugin('nodeaffinity/node_affinity_test.go'),
    nodes: [node('n1'), node('n2')],
    pod: pod('p', { affinity: conflicting() }),
    expected: refusedOutright(2, 'pod affinity terms conflict'),
  },
];

function named(...terms: string[][]): PodSpec['affinity'] {
  const nodeSelectorTerms = terms.map((values) => ({ matchFields: [{ key: 'metadata.name', operator: 'In' as const, values }] }));
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
}

function conflicting(): PodSpec['affinity'] {
  const matchFields = ['n1', 'n2'].map((name) => ({ key: 'metadata.name', operator: 'In' as const, values: [name] }));
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } } };
}
