import { expect, test } from '@playwright/test';
import type { ApiObject, Resource } from '../resource.ts';
import { BUILT_IN_RESOURCES } from '../resources.ts';
import { formatDuration } from './duration.ts';
import { compileJsonPath } from './json-path.ts';
import { printerOf } from './printers.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

for (const [ms, text] of [
  [-2 * SECOND, '<invalid>'],
  [-1 * SECOND, '0s'],
  [0, '0s'],
  [119 * SECOND, '119s'],
  [2 * MINUTE, '2m'],
  [9 * MINUTE + 59 * SECOND, '9m59s'],
  [10 * MINUTE + 30 * SECOND, '10m'],
  [179 * MINUTE, '179m'],
  [3 * HOUR, '3h'],
  [7 * HOUR + 59 * MINUTE, '7h59m'],
  [47 * HOUR, '47h'],
  [2 * DAY + 5 * HOUR, '2d5h'],
  [100 * DAY, '100d'],
  [730 * DAY, '2y'],
  [731 * DAY, '2y1d'],
  [9 * 365 * DAY, '9y'],
] as const) {
  test(`${ms} ms is shown as ${text}`, () => {
    expect(formatDuration(ms)).toBe(text);
  });
}

const NOW_MS = Date.parse('2026-01-01T01:00:00Z');
const META = { name: 'x', creationTimestamp: '2026-01-01T00:59:00Z' };

function builtIn(id: string): Resource {
  const resource = BUILT_IN_RESOURCES.find((one) => one.id === id);
  if (resource === undefined) throw new Error(`${id} is not served`);
  return resource;
}

function row(id: string, object: object): readonly unknown[] {
  return printerOf(builtIn(id)).row({ metadata: META, ...object } as ApiObject, NOW_MS);
}

const running = { name: 'a', ready: true, state: { running: {} } };
const container = { name: 'a', image: 'i' };
const status = (phase: string, containerStatuses: object[] = [], more: object = {}): object => ({ phase, containerStatuses, ...more });

for (const [what, pod, [ready, state, restarts]] of [
  ['pending', { status: status('Pending') }, ['0/1', 'Pending', '0']],
  [
    'gated',
    { status: status('Pending', [], { conditions: [{ type: 'PodScheduled', reason: 'SchedulingGated' }] }) },
    ['0/1', 'SchedulingGated', '0'],
  ],
  ['running', { status: status('Running', [running]) }, ['1/1', 'Running', '0']],
  ['terminating', { metadata: { ...META, deletionTimestamp: 'x' }, status: status('Running', [running]) }, ['1/1', 'Terminating', '0']],
  ['waiting', { status: status('Pending', [{ state: { waiting: { reason: 'ImagePullBackOff' } } }]) }, ['0/1', 'ImagePullBackOff', '0']],
  [
    'completed',
    { status: status('Succeeded', [{ state: { terminated: { exitCode: 0, reason: 'Completed' } } }]) },
    ['0/1', 'Completed', '0'],
  ],
  ['evicted', { status: status('Failed', [], { reason: 'Evicted' }) }, ['0/1', 'Evicted', '0']],
  [
    'restarted',
    { status: status('Running', [{ ...running, restartCount: 3, lastState: { terminated: { finishedAt: '2026-01-01T00:55:00Z' } } }]) },
    ['1/1', 'Running', '3 (5m ago)'],
  ],
  [
    'running its init containers',
    {
      spec: { containers: [container], initContainers: [{ name: 'i' }] },
      status: status('Pending', [], { initContainerStatuses: [{ name: 'i', state: { running: {} } }] }),
    },
    ['0/1', 'Init:0/1', '0'],
  ],
  [
    'with a sidecar',
    {
      spec: { containers: [container], initContainers: [{ name: 'i', restartPolicy: 'Always' }] },
      status: status('Running', [running], { initContainerStatuses: [{ name: 'i', started: true, ready: true }] }),
    },
    ['2/2', 'Running', '0'],
  ],
] as const) {
  test(`a pod that is ${what}`, () => {
    expect(row('pods', { spec: { containers: [container] }, ...pod }).slice(0, 5)).toEqual(['x', ready, state, restarts, '60s']);
  });
}

for (const [id, object, cells] of [
  [
    'nodes',
    { spec: { unschedulable: true }, status: { conditions: [{ type: 'Ready', status: 'True' }], nodeInfo: { kubeletVersion: 'v1' } } },
    ['x', 'Ready,SchedulingDisabled', '<none>', '60s', 'v1', '<none>', '<none>', '<unknown>', '<unknown>', '<unknown>'],
  ],
  [
    'deployments.apps',
    {
      spec: { replicas: 3, selector: { matchLabels: { b: '2', a: '1' } }, template: { spec: { containers: [container] } } },
      status: { readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1 },
    },
    ['x', '1/3', 2, 1, '60s', 'a', 'i', 'a=1,b=2'],
  ],
  ['poddisruptionbudgets.policy', { spec: { maxUnavailable: '50%' }, status: { disruptionsAllowed: 2 } }, ['x', 'N/A', '50%', 2, '60s']],
  ['namespaces', { status: { phase: 'Active' } }, ['x', 'Active', '60s']],
  [
    'events',
    {
      involvedObject: { kind: 'Pod', name: 'p' },
      type: 'Normal',
      reason: 'R',
      message: 'm',
      source: { component: 'c' },
      lastTimestamp: META.creationTimestamp,
    },
    ['60s', 'Normal', 'R', 'pod/p', '', 'c', 'm', '<unknown>', 1, 'x'],
  ],
  [
    'jobs.batch',
    { spec: { completions: 2 }, status: { succeeded: 1, startTime: META.creationTimestamp } },
    ['x', 'Running', '1/2', '60s', '60s', '', '', '<none>'],
  ],
  ['customresourcedefinitions.apiextensions.k8s.io', {}, ['x', META.creationTimestamp]],
] as const) {
  test(`the cells of ${id}`, () => {
    expect(row(id, object)).toEqual(cells);
  });
}

test('autoscalers show their targets, quotas what is used, ingresses their hosts', () => {
  const metric = (name: string): object => ({ type: 'Resource', resource: { name, target: { averageUtilization: 50 } } });
  const current = { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 7 } } };
  const spec = { scaleTargetRef: { kind: 'Deployment', name: 'web' }, minReplicas: 1, maxReplicas: 3 };
  const scaler = {
    spec: { ...spec, metrics: ['cpu', 'memory', 'x'].map(metric) },
    status: { currentMetrics: [current], currentReplicas: 2 },
  };
  expect(row('horizontalpodautoscalers.autoscaling', scaler)).toEqual([
    'x',
    'Deployment/web',
    'cpu: 7%/50%, memory: <unknown>/50% + 1 more...',
    '1',
    3,
    2,
    '60s',
  ]);
  const quota = { status: { hard: { 'limits.cpu': '4', pods: '5' }, used: { pods: '2' } } };
  expect(row('resourcequotas', quota)).toEqual(['x', 'pods: 2/5', 'limits.cpu: 0/4', '60s']);
  const ingress = { spec: { rules: ['a', 'b', '', 'c'].map((host) => ({ host })), tls: [{}] } };
  expect(row('ingresses.networking.k8s.io', ingress)).toEqual(['x', '<none>', 'a,b,c', '', '80, 443', '60s']);
});

test('every printer has a cell for each of its columns', () => {
  for (const resource of BUILT_IN_RESOURCES) {
    const printer = printerOf(resource);
    expect(printer.row({ apiVersion: 'v1', kind: resource.kind, metadata: META }, NOW_MS), resource.id).toHaveLength(
      printer.columns.length,
    );
  }
});

const CLAIM = {
  metadata: { ...META, labels: { 'karpenter.sh/capacity-type': 'spot' } },
  spec: { size: 3, taints: [{ key: 'a' }, { key: 'b' }] },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
};

for (const [path, values] of [
  ['.spec.size', [3]],
  ['.metadata.labels.karpenter\\.sh/capacity-type', ['spot']],
  [".metadata.labels['karpenter\\.sh/capacity-type']", ['spot']],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  ['.status.conditions[?(@.type=="Other")].status', []],
  ['.spec.taints[*].key', ['a', 'b']],
  ['.spec.taints[1].key', ['b']],
  ['.spec.none.below', []],
  ['.spec..size', []],
] as const) {
  test(`${path} finds ${JSON.stringify(values)}`, () => {
    expect(compileJsonPath(path)(CLAIM)).toEqual(values);
  });
}

test('custom resources are shown by the columns of their definition', () => {
  const columns = [
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Size', type: 'integer', jsonPath: '.spec.size', priority: 1 },
    { name: 'Wrong', type: 'integer', jsonPath: '.metadata.name' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ];
  const printer = printerOf({ ...builtIn('configmaps'), custom: true, columns });
  expect(printer.row(CLAIM as unknown as ApiObject, NOW_MS)).toEqual(['x', 'True', 3, null, '60s']);
  expect(printer.columns.map(({ name, priority }) => [name, priority])).toEqual([
    ['Name', 0],
    ['Ready', 0],
    ['Size', 1],
    ['Wrong', 0],
    ['Age', 0],
  ]);
});
