import type { Container, KubeObject, PodSpec } from '../../../../model/kube.ts';
import { SOURCE, inPlugin, inSources, namespace, node, on, pod, refused } from './case.ts';
import type { Expected, OtherObject, PodOptions, SchedulerCase } from './case.ts';

const FIT = inPlugin('noderesources/fit_test.go');
const container = (name: string, cpu: string, memory = '1Gi'): Container => ({
  name,
  image: 'i',
  resources: { requests: { cpu, memory } },
});
const init = (name: string, cpu: string, memory = '1Gi') => container(name, cpu, memory);
const sidecar = (name: string, cpu: string) => ({ ...container(name, cpu), restartPolicy: 'Always' as const });

/** A pod with an empty node of 4 cores and 8 GiB. */
const alone = (id: string, source: string, options: PodOptions, expected: Expected): SchedulerCase => {
  return { id, source, nodes: [node('n1')], pod: pod('p', options), expected };
};
/** The RuntimeClass with a pod's overhead, which the pod has too, as set by admission. */
const SANDBOX: OtherObject = {
  resource: 'runtimeclasses',
  object: {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: 'sandbox' },
    handler: 'sandbox',
    overhead: { podFixed: { cpu: '200m' } },
  } as KubeObject,
};
const IN_SANDBOX: PodOptions = { runtimeClassName: 'sandbox', overhead: { cpu: '200m' } };
const sandboxed = (id: string, options: PodOptions, expected: Expected): SchedulerCase => {
  return { ...alone(id, SOURCE.overhead, { ...options, ...IN_SANDBOX }, expected), objects: [SANDBOX] };
};
const FITS = on('n1');
const NO_CPU = refused({ 'Insufficient cpu': 1 }, { unhelpful: 1 });
const spec = (value: Partial<PodSpec>): PodOptions => value;

const port = (hostPort: number, more: { hostIP?: string; protocol?: 'TCP' | 'UDP' } = {}): PodOptions => ({
  container: { ports: [{ containerPort: hostPort, hostPort, ...more }] },
});
const PORTS = "node(s) didn't have free ports for the requested pod ports";
const NO_PORT = refused({ [PORTS]: 1 }, { victimless: 1 });

/** A pod with host ports, and a running pod with others on the only node. */
const ports = (id: string, there: PodOptions, wanted: PodOptions, expected: Expected): SchedulerCase => ({
  id,
  source: inPlugin('nodeports/node_ports_test.go'),
  nodes: [node('n1')],
  pods: [pod('there', { on: 'n1', ...there })],
  pod: pod('p', wanted),
  expected,
});

/** NodeResourcesFit, NodePorts, and the scores of NodeResourcesFit, NodeResourcesBalancedAllocation and ImageLocality. */
export const RESOURCE_CASES: readonly SchedulerCase[] = [
  alone('fits', SOURCE.resources, { cpu: '4', memory: '8Gi' }, FITS),
  alone('cpu-short', SOURCE.resources, { cpu: '4001m' }, NO_CPU),
  alone('memory-short', SOURCE.resources, { memory: '9Gi' }, refused({ 'Insufficient memory': 1 }, { unhelpful: 1 })),
  alone('both-short', FIT, { cpu: '5', memory: '9Gi' }, refused({ 'Insufficient cpu': 1, 'Insufficient memory': 1 }, { unhelpful: 1 })),
  alone(
    'ephemeral-storage-short',
    SOURCE.resources,
    { requests: { 'ephemeral-storage': '101Gi' } },
    refused({ 'Insufficient ephemeral-storage': 1 }, { unhelpful: 1 }),
  ),
  alone(
    'extended-resource-missing',
    SOURCE.resources,
    { requests: { 'nvidia.com/gpu': '1' } },
    refused({ 'Insufficient nvidia.com/gpu': 1 }, { unhelpful: 1 }),
  ),
  alone('extended-resource-of-none', FIT, { requests: { 'nvidia.com/gpu': '0' } }, FITS),
  {
    id: 'extended-resource',
    source: SOURCE.resources,
    nodes: [node('n1'), node('n2', { resources: { 'nvidia.com/gpu': '2' } })],
    pod: pod('p', { requests: { 'nvidia.com/gpu': '2' } }),
    expected: on('n2'),
  },
  {
    id: 'extended-resource-taken',
    source: FIT,
    nodes: [node('n1', { resources: { 'nvidia.com/gpu': '2' } })],
    pods: [pod('there', { on: 'n1', requests: { 'nvidia.com/gpu': '1' } })],
    pod: pod('p', { requests: { 'nvidia.com/gpu': '2' } }),
    expected: refused({ 'Insufficient nvidia.com/gpu': 1 }, { victimless: 1 }),
  },
  {
    id: 'huge-pages',
    source: 'https://kubernetes.io/docs/tasks/manage-hugepages/scheduling-hugepages/',
    nodes: [node('n1'), node('n2', { resources: { 'hugepages-2Mi': '1Gi' } })],
    pod: pod('p', { cpu: '1', requests: { 'hugepages-2Mi': '512Mi' } }),
    expected: on('n2'),
  },
  {
    id: 'room-is-taken',
    source: SOURCE.resources,
    nodes: [node('n1')],
    pods: [pod('there', { on: 'n1', cpu: '3' })],
    pod: pod('p', { cpu: '1500m' }),
    expected: refused({ 'Insufficient cpu': 1 }, { victimless: 1 }),
  },
  {
    id: 'room-is-just-enough',
    source: FIT,
    nodes: [node('n1')],
    pods: [pod('there', { on: 'n1', cpu: '3' })],
    pod: pod('p', { cpu: '1' }),
    expected: FITS,
  },
  {
    id: 'limits-do-not-count',
    source: SOURCE.resources,
    nodes: [node('n1')],
    pod: pod('p', { container: { resources: { requests: { cpu: '1' }, limits: { cpu: '100' } } } }),
    expected: FITS,
  },
  {
    id: 'without-requests-onto-a-full-node',
    source: FIT,
    nodes: [node('n1')],
    pods: [pod('there', { on: 'n1', cpu: '4', memory: '8Gi' })],
    pod: pod('p'),
    expected: FITS,
  },
  {
    id: 'memory-alone-onto-a-node-without-cpu',
    source: FIT,
    nodes: [node('n1')],
    pods: [pod('there', { on: 'n1', cpu: '4' })],
    pod: pod('p', { memory: '1Gi' }),
    expected: FITS,
  },
  {
    id: 'too-many-pods',
    source: FIT,
    nodes: [node('n1', { pods: '1' })],
    pods: [pod('there', { on: 'n1' })],
    pod: pod('p'),
    expected: refused({ 'Too many pods': 1 }, { victimless: 1 }),
  },
  {
    id: 'too-many-pods-and-no-cpu',
    source: FIT,
    nodes: [node('n1', { pods: '1' })],
    pods: [pod('there', { on: 'n1', cpu: '4' })],
    pod: pod('p', { cpu: '1' }),
    expected: refused({ 'Too many pods': 1, 'Insufficient cpu': 1 }, { victimless: 1 }),
  },
  {
    id: 'no-pods-allowed',
    source: FIT,
    nodes: [node('n1', { pods: '0' })],
    pod: pod('p'),
    expected: refused({ 'Too many pods': 1 }, { victimless: 1 }),
  },
  {
    id: 'different-nodes-different-reasons',
    source: SOURCE.resources,
    nodes: [node('n1', { cpu: '1' }), node('n2', { memory: '1Gi' }), node('n3', { cpu: '1', memory: '1Gi' })],
    pod: pod('p', { cpu: '2', memory: '2Gi' }),
    expected: refused({ 'Insufficient cpu': 2, 'Insufficient memory': 2 }, { unhelpful: 3 }),
  },
  {
    id: 'short-now-or-for-ever',
    source: FIT,
    nodes: [node('n1', { cpu: '1' }), node('n2')],
    pods: [pod('there', { on: 'n2', cpu: '3' })],
    pod: pod('p', { cpu: '2' }),
    expected: refused({ 'Insufficient cpu': 2 }, { unhelpful: 1, victimless: 1 }),
  },
  alone('containers-add-up', SOURCE.resources, spec({ containers: [container('a', '2'), container('b', '2500m')] }), NO_CPU),
  alone(
    'init-containers-do-not-add-up',
    SOURCE.initContainers,
    spec({ containers: [container('a', '2')], initContainers: [init('i', '4'), init('j', '4')] }),
    FITS,
  ),
  alone(
    'init-container-too-large',
    SOURCE.initContainers,
    spec({ containers: [container('a', '1')], initContainers: [init('i', '5')] }),
    NO_CPU,
  ),
  alone(
    'sidecar-adds-to-containers',
    SOURCE.sidecars,
    spec({ containers: [container('a', '3')], initContainers: [sidecar('s', '1500m')] }),
    NO_CPU,
  ),
  alone('sidecar-fits-beside', SOURCE.sidecars, spec({ containers: [container('a', '3')], initContainers: [sidecar('s', '1')] }), FITS),
  alone(
    'sidecar-before-an-init-container',
    SOURCE.sidecars,
    spec({ containers: [container('a', '1')], initContainers: [sidecar('s', '1'), init('i', '3500m')] }),
    NO_CPU,
  ),
  alone(
    'sidecar-after-an-init-container',
    SOURCE.sidecars,
    spec({ containers: [container('a', '1')], initContainers: [init('i', '3500m'), sidecar('s', '1')] }),
    FITS,
  ),
  sandboxed('overhead', { cpu: '3900m' }, NO_CPU),
  sandboxed('overhead-fits', { cpu: '3800m' }, FITS),
  {
    id: 'overhead-of-running-pods',
    source: SOURCE.overhead,
    nodes: [node('n1')],
    objects: [SANDBOX],
    pods: [pod('there', { on: 'n1', cpu: '2400m', ...IN_SANDBOX })],
    pod: pod('p', { cpu: '1500m' }),
    expected: refused({ 'Insufficient cpu': 1 }, { victimless: 1 }),
  },
  alone(
    'pod-level-requests',
    SOURCE.resources,
    spec({ resources: { requests: { cpu: '5' } }, containers: [{ name: 'a', image: 'i' }] }),
    NO_CPU,
  ),
  alone(
    'pod-level-requests-and-container-memory',
    SOURCE.resources,
    spec({ resources: { requests: { cpu: '2' } }, containers: [container('a', '1', '9Gi')] }),
    refused({ 'Insufficient memory': 1 }, { unhelpful: 1 }),
  ),
  {
    id: 'terminating-pods-still-take-room',
    source: FIT,
    nodes: [node('n1')],
    pods: [
      pod('there', {
        on: 'n1',
        cpu: '3',
        metadata: { name: 'there', namespace: 'default', deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 },
      }),
    ],
    pod: pod('p', { cpu: '2' }),
    expected: refused({ 'Insufficient cpu': 1 }, { victimless: 1 }),
  },

  ports('port-taken', port(8080), port(8080), NO_PORT),
  ports('port-free', port(8080), port(8081), FITS),
  ports('port-other-protocol', port(8080), port(8080, { protocol: 'UDP' }), FITS),
  ports('port-same-address', port(8080, { hostIP: '127.0.0.1' }), port(8080, { hostIP: '127.0.0.1' }), NO_PORT),
  ports('port-other-address', port(8080, { hostIP: '127.0.0.1' }), port(8080, { hostIP: '127.0.0.2' }), FITS),
  ports('port-any-address-wanted', port(8080, { hostIP: '127.0.0.1' }), port(8080, { hostIP: '0.0.0.0' }), NO_PORT),
  ports('port-any-address-taken', port(8080, { hostIP: '0.0.0.0' }), port(8080, { hostIP: '127.0.0.1' }), NO_PORT),
  ports('port-no-address-is-any', port(8080), port(8080, { hostIP: '127.0.0.1' }), NO_PORT),
  ports('port-inside-only', { container: { ports: [{ containerPort: 8080 }] } }, { container: { ports: [{ containerPort: 8080 }] } }, FITS),
  ports(
    'port-one-of-two',
    port(8080),
    {
      container: {
        ports: [
          { containerPort: 1, hostPort: 8081 },
          { containerPort: 2, hostPort: 8080 },
        ],
      },
    },
    NO_PORT,
  ),
  ports(
    'port-of-a-sidecar',
    port(8080),
    { initContainers: [{ ...sidecar('s', '1m'), ports: [{ containerPort: 1, hostPort: 8080 }] }] },
    NO_PORT,
  ),
  ports(
    'port-of-an-init-container',
    port(8080),
    { initContainers: [{ ...init('i', '1m'), ports: [{ containerPort: 1, hostPort: 8080 }] }] },
    FITS,
  ),
  {
    id: 'port-free-elsewhere',
    source: SOURCE.ports,
    nodes: [node('n1'), node('n2')],
    pods: [pod('there', { on: 'n1', ...port(80) })],
    pod: pod('p', port(80)),
    expected: on('n2'),
  },
  {
    id: 'port-of-another-namespace',
    objects: [namespace('other')],
    source: SOURCE.ports,
    nodes: [node('n1')],
    pods: [pod('there', { on: 'n1', namespace: 'other', ...port(80) })],
    pod: pod('p', port(80)),
    expected: NO_PORT,
  },

  {
    id: 'score-least-allocated',
    source: SOURCE.bins,
    nodes: [node('n1'), node('n2')],
    pods: [pod('there', { on: 'n1', cpu: '1', memory: '2Gi' })],
    pod: pod('p', { cpu: '1', memory: '2Gi' }),
    expected: on('n2'),
  },
  {
    id: 'score-larger-node',
    source: inPlugin('noderesources/least_allocated_test.go'),
    nodes: [node('n1'), node('n2', { cpu: '8', memory: '16Gi' })],
    pod: pod('p', { cpu: '1', memory: '2Gi' }),
    expected: on('n2'),
  },
  {
    id: 'score-pods-without-requests-weigh-something',
    source: inPlugin('noderesources/least_allocated_test.go'),
    nodes: [node('n1'), node('n2')],
    pods: [pod('a', { on: 'n1' }), pod('b', { on: 'n1' })],
    pod: pod('p'),
    expected: on('n2'),
  },
  {
    id: 'score-balance',
    source: inPlugin('noderesources/balanced_allocation_test.go'),
    nodes: [node('n1', { memory: '16Gi' }), node('n2', { memory: '16Gi' })],
    // The sum of free resources is equal, but n1 would be more balanced.
    pods: [pod('a', { on: 'n1', memory: '8Gi', cpu: '1m' }), pod('b', { on: 'n2', cpu: '2', memory: '1Mi' })],
    pod: pod('p', { cpu: '2', memory: '1Mi' }),
    expected: on('n1'),
  },
  {
    id: 'score-equal',
    source: SOURCE.bins,
    nodes: [node('n1'), node('n2'), node('n3', { cpu: '2', memory: '4Gi' })],
    pods: [pod('a', { on: 'n1', cpu: '1', memory: '2Gi' }), pod('b', { on: 'n2', cpu: '1', memory: '2Gi' })],
    pod: pod('p', { cpu: '1', memory: '2Gi' }),
    expected: on('n1', 'n2', 'n3'),
  },
  {
    id: 'score-image-is-there',
    source: inPlugin('imagelocality/image_locality_test.go'),
    nodes: [node('n1', { images: [{ names: ['registry.example/model:v1'], sizeBytes: 900_000_000 }] }), node('n2')],
    pod: pod('p', { container: { image: 'registry.example/model:v1' } }),
    expected: on('n1'),
  },
  {
    id: 'score-image-without-tag-is-latest',
    source: inPlugin('imagelocality/image_locality_test.go'),
    nodes: [node('n1', { images: [{ names: ['registry.example:5000/model:latest'], sizeBytes: 900_000_000 }] }), node('n2')],
    pod: pod('p', { container: { image: 'registry.example:5000/model' } }),
    expected: on('n1'),
  },
  {
    id: 'score-image-has-one-size-everywhere',
    source: inSources('backend/cache/cache.go'),
    nodes: [
      node('n1', { images: [{ names: ['registry.example/app:v1'], sizeBytes: 900_000_000 }] }),
      node('n2', { images: [{ names: ['registry.example/app:v1'], sizeBytes: 300_000_000 }] }),
    ],
    pod: pod('p', { container: { image: 'registry.example/app:v1' } }),
    expected: on('n1', 'n2'),
  },
  {
    id: 'score-small-image-does-not-count',
    source: inPlugin('imagelocality/image_locality_test.go'),
    nodes: [node('n1', { images: [{ names: ['registry.example/app:v1'], sizeBytes: 20_000_000 }] }), node('n2')],
    pod: pod('p', { container: { image: 'registry.example/app:v1' } }),
    expected: on('n1', 'n2'),
  },
];
