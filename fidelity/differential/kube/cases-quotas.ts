import type { ApiCase, Step } from './case.ts';

/*
 * ResourceQuotas. Each case has a namespace with a quota whose status it writes itself, with nothing used: so no case depends on
 * when a controller does. Pods have an account that the case creates, since that of a new namespace comes later.
 */

const post = (path: string, body: unknown, look: readonly string[] = []): Step => ({ method: 'POST', path, body, look });

type Amounts = Readonly<Record<string, string>>;

function zero(hard: Amounts): Amounts {
  return Object.fromEntries(Object.keys(hard).map((name) => [name, '0']));
}

/** A namespace with quotas, and what is asked of it. */
function quotaCase(id: string, quotas: readonly { readonly hard: Amounts; readonly spec?: object }[], steps: readonly Step[]): ApiCase {
  const namespace = `/api/v1/namespaces/${id}`;
  const written = quotas.flatMap(({ hard, spec = {} }, index): Step[] => {
    const metadata = { name: `quota-${index + 1}` };
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { ...spec, hard } };
    return [
      post(`${namespace}/resourcequotas`, quota, ['spec']),
      {
        method: 'PATCH',
        path: `${namespace}/resourcequotas/${metadata.name}/status`,
        contentType: 'application/merge-patch+json',
        body: { status: { hard, used: zero(hard) } },
        look: ['status'],
      },
    ];
  });
  return {
    id,
    steps: [
      post('/api/v1/namespaces', { metadata: { name: id } }),
      post(`${namespace}/serviceaccounts`, { metadata: { name: 'mine' } }),
      ...written,
      ...steps.map((step) => ({ ...step, path: step.path.replace('NAMESPACE', namespace) })),
    ],
  };
}

interface Asked {
  readonly requests?: Amounts;
  readonly limits?: Amounts;
}

function pod(name: string, asked: readonly Asked[], spec: object = {}): Step {
  const containers = asked.map((resources, index) => ({ name: `c${index + 1}`, image: 'pause', resources }));
  const body = {
    metadata: { name },
    spec: { serviceAccountName: 'mine', automountServiceAccountToken: false, nodeSelector: { no: 'such-node' }, containers, ...spec },
  };
  return post('NAMESPACE/pods', body);
}

const used = (quota = 1): Step => ({ method: 'GET', path: `NAMESPACE/resourcequotas/quota-${quota}`, look: ['status.used'] });
const claim = (name: string, storage: string, more: object = {}): Step =>
  post('NAMESPACE/persistentvolumeclaims', {
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'gold', resources: { requests: { storage } }, ...more },
  });
const service = (name: string, spec: object): Step =>
  post('NAMESPACE/services', { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });
const configMap = (name: string): Step => post('NAMESPACE/configmaps', { metadata: { name } });

const CPU = { requests: { cpu: '1' } };
const WHOLE = { requests: { cpu: '500m', memory: '256Mi' }, limits: { cpu: '1', memory: '1Gi' } };

export const QUOTA_CASES: readonly ApiCase[] = [
  quotaCase('quota-cpu', [{ hard: { cpu: '3' } }], [pod('a', [CPU]), used(), pod('b', [CPU, CPU]), used(), pod('c', [CPU]), used()]),
  quotaCase('quota-cpu-missing', [{ hard: { cpu: '3', 'limits.memory': '4Gi' } }], [pod('a', [{}, CPU]), pod('b', [WHOLE]), used()]),
  quotaCase(
    'quota-all-compute',
    [{ hard: { 'requests.cpu': '1', 'requests.memory': '600Mi', 'limits.cpu': '10', 'limits.memory': '2Gi', pods: '10' } }],
    [pod('a', [WHOLE]), pod('b', [WHOLE]), used(), pod('c', [WHOLE]), pod('d', [{ requests: WHOLE.requests }])],
  ),
  quotaCase('quota-pods', [{ hard: { pods: '1', 'count/pods': '2' } }], [pod('a', [{}]), pod('b', [{}]), used()]),
  quotaCase('quota-pod-name-taken', [{ hard: { pods: '1' } }], [pod('a', [{}]), pod('a', [{}])]),
  quotaCase('quota-pod-invalid', [{ hard: { pods: '0' } }], [pod('a', [{}], { containers: [] }), pod('b', [{}])]),
  quotaCase('quota-two', [{ hard: { cpu: '5' } }, { hard: { cpu: '2' } }], [pod('a', [CPU]), pod('b', [CPU, CPU]), used(1), used(2)]),
  quotaCase(
    'quota-init-containers',
    [{ hard: { cpu: '2' } }],
    [
      pod('a', [CPU], { initContainers: [{ name: 'i', image: 'pause', resources: { requests: { cpu: '3' } } }] }),
      pod('b', [CPU], { initContainers: [{ name: 'i', image: 'pause' }] }),
    ],
  ),
  quotaCase(
    'quota-extended',
    [{ hard: { 'requests.nvidia.com/gpu': '1' } }],
    [
      pod('a', [{ limits: { 'nvidia.com/gpu': '1' }, requests: { 'nvidia.com/gpu': '1' } }]),
      pod('b', [{ limits: { 'nvidia.com/gpu': '1' }, requests: { 'nvidia.com/gpu': '1' } }]),
      pod('c', [{}]),
      used(),
    ],
  ),
  quotaCase(
    'quota-ephemeral-storage',
    [{ hard: { 'requests.ephemeral-storage': '1Gi' } }],
    [pod('a', [{}]), pod('b', [{ requests: { 'ephemeral-storage': '2Gi' } }])],
  ),
  quotaCase(
    'quota-best-effort',
    [{ hard: { pods: '1' }, spec: { scopes: ['BestEffort'] } }],
    [pod('a', [CPU]), pod('b', [{}]), pod('c', [{}]), used()],
  ),
  quotaCase(
    'quota-terminating',
    [{ hard: { pods: '0' }, spec: { scopes: ['Terminating'] } }],
    [pod('a', [{}]), pod('b', [{}], { activeDeadlineSeconds: 60 })],
  ),
  quotaCase(
    'quota-not-terminating',
    [{ hard: { pods: '0' }, spec: { scopes: ['NotTerminating', 'NotBestEffort'] } }],
    [pod('a', [{}]), pod('b', [CPU], { activeDeadlineSeconds: 60 }), pod('c', [CPU])],
  ),
  quotaCase(
    'quota-priority',
    [
      {
        hard: { pods: '0' },
        spec: {
          scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['system-node-critical'] }] },
        },
      },
    ],
    [
      pod('a', [{}]),
      pod('b', [{}], { priorityClassName: 'system-cluster-critical' }),
      pod('c', [{}], { priorityClassName: 'system-node-critical' }),
    ],
  ),
  quotaCase(
    'quota-cross-namespace',
    [
      {
        hard: { pods: '0' },
        spec: { scopeSelector: { matchExpressions: [{ scopeName: 'CrossNamespacePodAffinity', operator: 'Exists' }] } },
      },
    ],
    [
      pod('a', [{}]),
      pod('b', [{}], {
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'x' } }, namespaceSelector: {} },
            ],
          },
        },
      }),
    ],
  ),
  quotaCase(
    'quota-claims',
    [
      {
        hard: {
          persistentvolumeclaims: '3',
          'requests.storage': '10Gi',
          'gold.storageclass.storage.k8s.io/requests.storage': '6Gi',
          'silver.storageclass.storage.k8s.io/persistentvolumeclaims': '0',
        },
      },
    ],
    [
      claim('a', '5Gi'),
      used(),
      claim('b', '2Gi'),
      claim('c', '2Gi', { storageClassName: 'silver' }),
      claim('d', '6Gi', { storageClassName: 'bronze' }),
      claim('e', '5Gi', { storageClassName: 'bronze' }),
      used(),
    ],
  ),
  quotaCase(
    'quota-services',
    [{ hard: { services: '3', 'services.loadbalancers': '1', 'services.nodeports': '2' } }],
    [
      service('a', { type: 'LoadBalancer' }),
      used(),
      service('b', { type: 'LoadBalancer' }),
      service('c', { type: 'NodePort' }),
      service('d', { type: 'NodePort' }),
      service('e', {}),
      service('f', {}),
      used(),
    ],
  ),
  quotaCase(
    'quota-counts',
    [{ hard: { 'count/deployments.apps': '0', 'count/secrets': '1', secrets: '1' } }],
    [
      post('NAMESPACE/secrets', { metadata: { name: 'a' } }),
      post('NAMESPACE/secrets', { metadata: { name: 'b' } }),
      post('NAMESPACE/configmaps', { metadata: { name: 'a' } }),
      used(),
    ],
  ),
  quotaCase(
    'quota-dry-run',
    [{ hard: { 'count/configmaps': '1' } }],
    [
      { ...configMap('a'), path: 'NAMESPACE/configmaps?dryRun=All' },
      used(),
      configMap('b'),
      { ...configMap('c'), path: 'NAMESPACE/configmaps?dryRun=All' },
    ],
  ),
  {
    id: 'quota-without-status',
    steps: [
      post('/api/v1/namespaces', { metadata: { name: 'quota-without-status' } }),
      post('/api/v1/namespaces/quota-without-status/resourcequotas', {
        metadata: { name: 'q' },
        spec: { hard: { 'count/configmaps': '0' } },
      }),
      {
        method: 'PATCH',
        path: '/api/v1/namespaces/quota-without-status/resourcequotas/q/status',
        contentType: 'application/merge-patch+json',
        body: { status: { hard: { 'count/configmaps': '1', 'count/leases.coordination.k8s.io': '1' }, used: {} } },
      },
      post('/apis/coordination.k8s.io/v1/namespaces/quota-without-status/leases', { metadata: { name: 'a' } }),
    ],
  },
];
