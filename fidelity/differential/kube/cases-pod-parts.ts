import { defined } from '../../../model/defined.ts';
import type { ApiCase, Step } from './case.ts';

/** The subresources `ephemeralcontainers` and `resize` of pods. */

const PODS = '/api/v1/namespaces/default/pods';
const STRATEGIC = 'application/strategic-merge-patch+json';
const MERGE = 'application/merge-patch+json';
const DEBUGGER = { name: 'debugger', image: 'busybox' };
const SIZE = { requests: { cpu: '100m', memory: '100Mi' }, limits: { cpu: '200m', memory: '100Mi' } };

/** A pod that no node of a real cluster takes. */
const pod = (name: string, container: object = { resources: SIZE }, spec: object = {}, more: object = {}): Step => ({
  method: 'POST',
  path: PODS,
  body: {
    metadata: { name, ...more },
    spec: { containers: [{ name: 'main', image: 'pause', ...container }], nodeSelector: { no: 'such-node' }, ...spec },
  },
});

type Part = 'ephemeralcontainers' | 'resize';

function change(part: Part, name: string, spec: object, look: readonly string[], contentType = STRATEGIC): Step {
  return { method: 'PATCH', path: `${PODS}/${name}/${part}`, body: { spec }, contentType, look };
}

const DEBUG_LOOK = ['spec.ephemeralContainers', 'metadata.generation', 'metadata.labels'];

/** Adds ephemeral containers to a new pod. */
function debugging(id: string, ...attempts: readonly object[][]): ApiCase {
  const steps = attempts.map((ephemeralContainers) => change('ephemeralcontainers', id, { ephemeralContainers }, DEBUG_LOOK, MERGE));
  return { id, steps: [pod(id), ...steps] };
}

const SIZE_LOOK = ['spec.containers.0.resources', 'spec.containers.0.resizePolicy', 'metadata.generation', 'status.qosClass'];

/** Resizes the container of a new pod. */
function resizing(id: string, resources: object, container: object = { resources: SIZE }, spec: object = {}, more: object = {}): ApiCase {
  const changed = change('resize', id, { containers: [{ name: 'main', resources }] }, SIZE_LOOK);
  return { id, steps: [pod(id, container, spec, more), changed] };
}

const whole = (name: string, ephemeralContainers: readonly object[], metadata: object = {}): object => ({
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'other', image: 'ignored' }], ephemeralContainers },
});

const put = (part: Part, name: string, body: object, look?: readonly string[]): Step => ({
  method: 'PUT',
  path: `${PODS}/${name}/${part}`,
  body,
  ...defined({ look }),
});

const EPHEMERAL_CASES: readonly ApiCase[] = [
  debugging('debug-add', [DEBUGGER], [DEBUGGER, { name: 'second', image: 'busybox:1', targetContainerName: 'main', tty: true }]),
  debugging('debug-remove', [DEBUGGER], []),
  debugging('debug-remove-one', [DEBUGGER, { ...DEBUGGER, name: 'two' }], [{ ...DEBUGGER, name: 'two' }]),
  debugging('debug-duplicate', [DEBUGGER, DEBUGGER]),
  debugging('debug-same-name', [{ name: 'main', image: 'busybox' }]),
  debugging('debug-no-name', [{ image: 'busybox' }]),
  debugging('debug-no-image', [{ name: 'x' }]),
  debugging('debug-unknown-target', [{ ...DEBUGGER, targetContainerName: 'other' }]),
  debugging('debug-excluded', [
    {
      ...DEBUGGER,
      ports: [{ containerPort: 1 }],
      resources: { requests: { cpu: '1' } },
      livenessProbe: { tcpSocket: { port: 1 } },
      lifecycle: { preStop: { sleep: { seconds: 1 } } },
    },
  ]),
  debugging('debug-unknown-mount', [{ ...DEBUGGER, volumeMounts: [{ name: 'none', mountPath: '/x', subPath: 'y' }] }]),
  {
    id: 'debug-put',
    steps: [
      pod('debug-put'),
      put('ephemeralcontainers', 'debug-put', whole('debug-put', [DEBUGGER], { labels: { a: 'b' } }), [
        ...DEBUG_LOOK,
        'spec.containers.0.name',
      ]),
      { method: 'GET', path: `${PODS}/debug-put/ephemeralcontainers`, look: ['kind', 'spec.ephemeralContainers.0.name'] },
      put('ephemeralcontainers', 'debug-put', whole('other', [])),
      { method: 'DELETE', path: `${PODS}/debug-put/ephemeralcontainers` },
      { method: 'POST', path: `${PODS}/debug-put/ephemeralcontainers`, body: whole('debug-put', []) },
    ],
  },
  {
    id: 'debug-missing',
    steps: [change('ephemeralcontainers', 'debug-missing', {}, []), { method: 'GET', path: `${PODS}/debug-missing/ephemeralcontainers` }],
  },
  { id: 'debug-created', steps: [pod('debug-created', {}, { ephemeralContainers: [DEBUGGER] })] },
  {
    id: 'debug-by-update',
    steps: [
      pod('debug-by-update'),
      { method: 'PATCH', path: `${PODS}/debug-by-update`, contentType: MERGE, body: { spec: { ephemeralContainers: [DEBUGGER] } } },
    ],
  },
  {
    id: 'debug-static',
    steps: [
      pod('debug-static', {}, { nodeName: 'no-such-node' }, { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
      change('ephemeralcontainers', 'debug-static', { ephemeralContainers: [DEBUGGER] }, DEBUG_LOOK),
    ],
  },
  {
    id: 'debug-apply',
    steps: [
      pod('debug-apply'),
      {
        method: 'PATCH',
        path: `${PODS}/debug-apply/ephemeralcontainers?fieldManager=me`,
        contentType: 'application/apply-patch+yaml',
        body: { apiVersion: 'v1', kind: 'Pod', ...whole('debug-apply', [DEBUGGER]) },
        look: [...DEBUG_LOOK, 'spec.containers.0.name', 'spec.containers.#'],
      },
    ],
  },
  {
    id: 'debug-template',
    steps: [
      {
        method: 'POST',
        path: '/apis/apps/v1/namespaces/default/deployments',
        body: {
          metadata: { name: 'debug-template' },
          spec: {
            selector: { matchLabels: { app: 'x' } },
            template: {
              metadata: { labels: { app: 'x' } },
              spec: { containers: [{ name: 'main', image: 'pause' }], ephemeralContainers: [DEBUGGER] },
            },
          },
        },
      },
    ],
  },
];

const GIB = 'example.com/thing';
const SIDECAR = { name: 'side', image: 'pause', restartPolicy: 'Always', resources: SIZE };
const INIT = { name: 'init', image: 'pause', resources: SIZE };

/** Sends other containers than those of the pod. */
function containers(id: string, sent: readonly object[], spec: object = {}, more: object = {}): ApiCase {
  return { id, steps: [pod(id, { resources: SIZE }, spec), change('resize', id, { containers: sent, ...more }, SIZE_LOOK, MERGE)] };
}

const RESIZE_CASES: readonly ApiCase[] = [
  resizing('resize-up', { requests: { cpu: '150m' }, limits: { memory: '200Mi' } }),
  resizing('resize-same', SIZE),
  resizing('resize-class', { requests: { cpu: '200m' } }),
  resizing('resize-of-best-effort', { requests: { cpu: '1' } }, {}),
  resizing('resize-above-limit', { requests: { cpu: '300m' } }),
  resizing('resize-other-resource', { requests: { 'ephemeral-storage': '1Gi' } }),
  resizing('resize-extended', { requests: { [GIB]: '1' }, limits: { [GIB]: '1' } }),
  resizing('resize-negative', { requests: { cpu: '-1' } }),
  resizing(
    'resize-static',
    { requests: { cpu: '150m' } },
    { resources: SIZE },
    { nodeName: 'no-such-node' },
    { annotations: { 'kubernetes.io/config.mirror': 'x' } },
  ),
  resizing('resize-windows', { requests: { cpu: '150m' } }, { resources: SIZE }, { os: { name: 'windows' } }),
  resizing('resize-pod-level', { requests: { cpu: '150m' } }, {}, { resources: { requests: { cpu: '1' } } }),
  containers('resize-removed-request', [{ name: 'main', resources: { requests: { cpu: '100m' }, limits: SIZE.limits } }]),
  containers('resize-removed-limit', [{ name: 'main', resources: { requests: SIZE.requests } }]),
  containers('resize-added-container', [
    { name: 'main', resources: SIZE },
    { name: 'two', image: 'pause' },
  ]),
  containers('resize-renamed', [{ name: 'other', image: 'pause', resources: SIZE }]),
  containers('resize-image-ignored', [
    { name: 'main', image: 'other', resources: { ...SIZE, requests: { cpu: '120m', memory: '100Mi' } } },
  ]),
  containers('resize-policy', [
    { name: 'main', resources: SIZE, resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] },
  ]),
  containers('resize-labels-ignored', [{ name: 'main', resources: SIZE }], {}, { nodeSelector: { a: 'b' } }),
  containers(
    'resize-init',
    [{ name: 'main', resources: SIZE }],
    { initContainers: [INIT] },
    {
      initContainers: [{ name: 'init', resources: { ...SIZE, requests: { cpu: '120m', memory: '100Mi' } } }],
    },
  ),
  containers(
    'resize-sidecar',
    [{ name: 'main', resources: SIZE }],
    { initContainers: [SIDECAR] },
    {
      initContainers: [{ ...SIDECAR, resources: { ...SIZE, requests: { cpu: '120m', memory: '100Mi' } } }],
    },
  ),
  containers(
    'resize-sidecar-storage',
    [{ name: 'main', resources: SIZE }],
    { initContainers: [SIDECAR] },
    {
      initContainers: [{ ...SIDECAR, resources: { ...SIZE, requests: { ...SIZE.requests, 'ephemeral-storage': '1Gi' } } }],
    },
  ),
  {
    id: 'resize-running',
    steps: [
      pod('resize-running'),
      {
        method: 'PATCH',
        path: `${PODS}/resize-running/status`,
        contentType: MERGE,
        body: {
          status: {
            containerStatuses: [{ name: 'main', image: 'pause', imageID: '', ready: true, restartCount: 0, state: { running: {} } }],
          },
        },
      },
      change('resize', 'resize-running', { containers: [{ name: 'main', resources: { requests: { cpu: '150m' } } }] }, SIZE_LOOK),
      { method: 'GET', path: `${PODS}/resize-running/resize`, look: ['kind', 'spec.containers.0.resources'] },
    ],
  },
  {
    id: 'resize-by-update',
    steps: [
      pod('resize-by-update'),
      {
        method: 'PATCH',
        path: `${PODS}/resize-by-update`,
        contentType: STRATEGIC,
        body: { spec: { containers: [{ name: 'main', resources: { requests: { cpu: '150m' } } }] } },
      },
    ],
  },
  {
    id: 'resize-apply',
    steps: [
      pod('resize-apply'),
      {
        method: 'PATCH',
        path: `${PODS}/resize-apply/resize?fieldManager=me&force=true`,
        contentType: 'application/apply-patch+yaml',
        body: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'resize-apply', labels: { a: 'b' } },
          spec: { containers: [{ name: 'main', image: 'other', resources: { requests: { cpu: '150m' } } }] },
        },
        look: [...SIZE_LOOK, 'spec.containers.0.image', 'metadata.labels'],
      },
    ],
  },
  {
    id: 'resize-missing',
    steps: [change('resize', 'resize-missing', {}, []), put('resize', 'resize-missing', whole('resize-missing', []))],
  },
];

export const POD_PART_CASES: readonly ApiCase[] = [...EPHEMERAL_CASES, ...RESIZE_CASES];
