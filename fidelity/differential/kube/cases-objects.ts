import { defined } from '../../../model/defined.ts';
import type { ApiCase, Step } from './case.ts';

const CORE = '/api/v1/namespaces/default';
const APPS = '/apis/apps/v1/namespaces/default';
const NODES = '/api/v1/nodes';
const CONTAINER = { name: 'main', image: 'pause' };

const post = (path: string, body: unknown, look: readonly string[] = []): Step => ({ method: 'POST', path, body, look });
const get = (path: string, look: readonly string[] = []): Step => ({ method: 'GET', path, look });
const patch = (kind: 'merge' | 'json' | 'strategic', path: string, body: unknown, look: readonly string[] = []): Step => ({
  method: 'PATCH',
  path,
  contentType: {
    merge: 'application/merge-patch+json',
    json: 'application/json-patch+json',
    strategic: 'application/strategic-merge-patch+json',
  }[kind],
  body,
  look,
});
const apply = (path: string, manager: string, body: unknown, look: readonly string[] = [], force = false): Step => ({
  method: 'PATCH',
  path: `${path}?fieldManager=${manager}${force ? '&force=true' : ''}`,
  contentType: 'application/apply-patch+yaml',
  body,
  look,
});

const map = (name: string, data: object = { a: '1' }): Step => post(`${CORE}/configmaps`, { metadata: { name }, data });
const mapAt = (name: string): string => `${CORE}/configmaps/${name}`;

/** A workload whose pods can't run and that no controller of a real cluster changes. */
function workload(kind: string, name: string, more: object = {}, template: object = {}): object {
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name },
    spec: {
      ...(kind === 'DaemonSet' ? {} : { replicas: 0 }),
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [CONTAINER], nodeSelector: { no: 'such-node' }, ...template } },
      ...more,
    },
  };
}

const WORKLOADS: readonly ApiCase[] = [
  {
    id: 'deployment-defaults',
    steps: [
      post(`${APPS}/deployments`, workload('Deployment', 'deployment-defaults'), [
        'spec.strategy',
        'spec.revisionHistoryLimit',
        'spec.progressDeadlineSeconds',
        'spec.template.spec.restartPolicy',
        'metadata.generation',
      ]),
    ],
  },
  {
    id: 'deployment-one-replica',
    steps: [
      post(`${APPS}/deployments?dryRun=All`, workload('Deployment', 'deployment-one-replica', { replicas: undefined }), ['spec.replicas']),
    ],
  },
  {
    id: 'deployment-selector-mismatch',
    steps: [
      post(`${APPS}/deployments`, workload('Deployment', 'deployment-selector-mismatch', { selector: { matchLabels: { app: 'other' } } })),
    ],
  },
  {
    id: 'deployment-no-selector',
    steps: [post(`${APPS}/deployments`, workload('Deployment', 'deployment-no-selector', { selector: undefined }))],
  },
  {
    id: 'deployment-empty-selector',
    steps: [post(`${APPS}/deployments`, workload('Deployment', 'deployment-empty-selector', { selector: {} }))],
  },
  { id: 'deployment-negative', steps: [post(`${APPS}/deployments`, workload('Deployment', 'deployment-negative', { replicas: -1 }))] },
  {
    id: 'deployment-restart-never',
    steps: [post(`${APPS}/deployments`, workload('Deployment', 'deployment-restart-never', {}, { restartPolicy: 'Never' }))],
  },
  {
    id: 'deployment-no-surge',
    steps: [
      post(
        `${APPS}/deployments`,
        workload('Deployment', 'deployment-no-surge', { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
      ),
    ],
  },
  {
    id: 'deployment-recreate-with-rolling',
    steps: [
      post(
        `${APPS}/deployments`,
        workload('Deployment', 'deployment-recreate-with-rolling', { strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } }),
      ),
    ],
  },
  {
    id: 'deployment-bad-skew',
    steps: [
      post(
        `${APPS}/deployments`,
        workload(
          'Deployment',
          'deployment-bad-skew',
          {},
          { topologySpreadConstraints: [{ maxSkew: -1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule' }] },
        ),
      ),
    ],
  },
  {
    id: 'deployment-selector-immutable',
    steps: [
      post(`${APPS}/deployments`, workload('Deployment', 'deployment-selector-immutable')),
      patch('merge', `${APPS}/deployments/deployment-selector-immutable`, {
        spec: { selector: { matchLabels: { more: 'x' } }, template: { metadata: { labels: { more: 'x' } } } },
      }),
    ],
  },
  {
    id: 'deployment-strategic',
    steps: [
      post(`${APPS}/deployments`, workload('Deployment', 'deployment-strategic')),
      patch(
        'strategic',
        `${APPS}/deployments/deployment-strategic`,
        {
          spec: {
            template: {
              spec: {
                containers: [
                  { name: 'main', env: [{ name: 'A', value: '1' }] },
                  { name: 'side', image: 'pause' },
                ],
              },
            },
          },
        },
        [
          'spec.template.spec.containers.#',
          'spec.template.spec.containers.0.name',
          'spec.template.spec.containers.1.name',
          'spec.template.spec.containers.1.image',
          'spec.template.spec.containers.0.env',
        ],
      ),
    ],
  },
  {
    id: 'deployment-strategic-delete',
    steps: [
      post(
        `${APPS}/deployments`,
        workload('Deployment', 'deployment-strategic-delete', {}, { containers: [CONTAINER, { name: 'side', image: 'pause' }] }),
      ),
      patch(
        'strategic',
        `${APPS}/deployments/deployment-strategic-delete`,
        { spec: { template: { spec: { containers: [{ name: 'side', $patch: 'delete' }] } } } },
        ['spec.template.spec.containers.#'],
      ),
    ],
  },
  {
    id: 'deployment-strategic-replace',
    steps: [
      post(`${APPS}/deployments`, workload('Deployment', 'deployment-strategic-replace')),
      patch(
        'strategic',
        `${APPS}/deployments/deployment-strategic-replace`,
        { spec: { template: { spec: { containers: [{ $patch: 'replace' }, { name: 'new', image: 'pause' }] } } } },
        ['spec.template.spec.containers.#', 'spec.template.spec.containers.0.name'],
      ),
    ],
  },
  {
    id: 'deployment-strategic-tolerations',
    steps: [
      post(
        `${APPS}/deployments`,
        workload('Deployment', 'deployment-strategic-tolerations', {}, { tolerations: [{ key: 'a', operator: 'Exists' }] }),
      ),
      patch(
        'strategic',
        `${APPS}/deployments/deployment-strategic-tolerations`,
        { spec: { template: { spec: { tolerations: [{ key: 'b', operator: 'Exists' }] } } } },
        ['spec.template.spec.tolerations'],
      ),
    ],
  },
  {
    id: 'deployment-merge-containers',
    steps: [
      post(`${APPS}/deployments`, workload('Deployment', 'deployment-merge-containers')),
      patch(
        'merge',
        `${APPS}/deployments/deployment-merge-containers`,
        { spec: { template: { spec: { containers: [{ name: 'side', image: 'pause' }] } } } },
        ['spec.template.spec.containers.#', 'metadata.generation'],
      ),
    ],
  },
  {
    id: 'deployment-scale',
    steps: [
      post(`${APPS}/deployments`, workload('Deployment', 'deployment-scale')),
      get(`${APPS}/deployments/deployment-scale/scale`, ['apiVersion', 'kind', 'spec', 'status.selector']),
      {
        method: 'PATCH',
        path: `${APPS}/deployments/deployment-scale/scale`,
        contentType: 'application/merge-patch+json',
        body: { spec: { replicas: 3 } },
        look: ['spec.replicas'],
      },
      get(`${APPS}/deployments/deployment-scale`, ['spec.replicas']),
    ],
  },
  {
    id: 'deployment-scale-negative',
    steps: [
      post(`${APPS}/deployments`, workload('Deployment', 'deployment-scale-negative')),
      patch('merge', `${APPS}/deployments/deployment-scale-negative/scale`, { spec: { replicas: -3 } }),
    ],
  },
  {
    id: 'replicaset-defaults',
    steps: [
      post(`${APPS}/replicasets`, workload('ReplicaSet', 'replicaset-defaults'), [
        'spec.replicas',
        'metadata.generation',
        'spec.template.spec.dnsPolicy',
      ]),
    ],
  },
  {
    id: 'replicaset-scale',
    steps: [
      post(`${APPS}/replicasets`, workload('ReplicaSet', 'replicaset-scale')),
      get(`${APPS}/replicasets/replicaset-scale/scale`, ['kind', 'status.selector']),
    ],
  },
  {
    id: 'daemonset-defaults',
    steps: [post(`${APPS}/daemonsets`, workload('DaemonSet', 'daemonset-defaults'), ['spec.updateStrategy', 'spec.revisionHistoryLimit'])],
  },
  {
    id: 'daemonset-scale',
    steps: [post(`${APPS}/daemonsets`, workload('DaemonSet', 'daemonset-scale')), get(`${APPS}/daemonsets/daemonset-scale/scale`)],
  },
  {
    id: 'statefulset-defaults',
    steps: [
      post(`${APPS}/statefulsets`, workload('StatefulSet', 'statefulset-defaults', { serviceName: 's' }), [
        'spec.podManagementPolicy',
        'spec.updateStrategy',
        'spec.replicas',
      ]),
    ],
  },
  {
    id: 'job-defaults',
    steps: [
      post(
        '/apis/batch/v1/namespaces/default/jobs',
        {
          metadata: { name: 'job-defaults' },
          spec: { suspend: true, template: { spec: { containers: [CONTAINER], restartPolicy: 'Never' } } },
        },
        ['spec.parallelism', 'spec.completions', 'spec.backoffLimit', 'spec.completionMode'],
      ),
    ],
  },
  {
    id: 'job-restart-always',
    steps: [
      post('/apis/batch/v1/namespaces/default/jobs', {
        metadata: { name: 'job-restart-always' },
        spec: { template: { spec: { containers: [CONTAINER] } } },
      }),
    ],
  },
  {
    id: 'pdb-both',
    steps: [
      post('/apis/policy/v1/namespaces/default/poddisruptionbudgets', {
        metadata: { name: 'pdb-both' },
        spec: { minAvailable: 1, maxUnavailable: 1, selector: { matchLabels: { app: 'x' } } },
      }),
    ],
  },
  {
    id: 'pdb-percent',
    steps: [
      post('/apis/policy/v1/namespaces/default/poddisruptionbudgets', {
        metadata: { name: 'pdb-percent' },
        spec: { minAvailable: '110%', selector: { matchLabels: { app: 'x' } } },
      }),
    ],
  },
  {
    id: 'pdb-negative',
    steps: [
      post('/apis/policy/v1/namespaces/default/poddisruptionbudgets', {
        metadata: { name: 'pdb-negative' },
        spec: { maxUnavailable: -1, selector: { matchLabels: { app: 'x' } } },
      }),
    ],
  },
  {
    id: 'pdb-good',
    steps: [
      post(
        '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
        { metadata: { name: 'pdb-good' }, spec: { maxUnavailable: '50%', selector: { matchLabels: { app: 'pdb-good' } } } },
        ['spec', 'metadata.generation'],
      ),
    ],
  },
  {
    id: 'pdb-bad-policy',
    steps: [
      post('/apis/policy/v1/namespaces/default/poddisruptionbudgets', {
        metadata: { name: 'pdb-bad-policy' },
        spec: { unhealthyPodEvictionPolicy: 'Perhaps', selector: { matchLabels: { app: 'x' } } },
      }),
    ],
  },
  {
    id: 'priority-class',
    steps: [
      post('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'case-high' }, value: 1000 }, ['value', 'preemptionPolicy']),
      post(`${CORE}/pods`, { metadata: { name: 'priority-class' }, spec: { containers: [CONTAINER], priorityClassName: 'case-high' } }, [
        'spec.priority',
      ]),
    ],
  },
  {
    id: 'priority-class-too-high',
    steps: [post('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'case-too-high' }, value: 2_000_000_000 })],
  },
  {
    id: 'priority-class-system-name',
    steps: [post('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'system-mine' }, value: 10 })],
  },
  {
    id: 'priority-class-immutable',
    steps: [
      post('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'case-fixed' }, value: 10 }),
      patch('merge', '/apis/scheduling.k8s.io/v1/priorityclasses/case-fixed', { value: 20 }),
    ],
  },
  {
    id: 'lease',
    steps: [
      post(
        '/apis/coordination.k8s.io/v1/namespaces/default/leases',
        { metadata: { name: 'case-lease' }, spec: { holderIdentity: 'a', leaseDurationSeconds: 15 } },
        ['spec.holderIdentity'],
      ),
    ],
  },
  {
    id: 'lease-zero',
    steps: [
      post('/apis/coordination.k8s.io/v1/namespaces/default/leases', {
        metadata: { name: 'lease-zero' },
        spec: { holderIdentity: 'a', leaseDurationSeconds: 0 },
      }),
    ],
  },
  {
    id: 'lease-put-without-version',
    steps: [
      post('/apis/coordination.k8s.io/v1/namespaces/default/leases', { metadata: { name: 'lease-put' }, spec: {} }),
      {
        method: 'PUT',
        path: '/apis/coordination.k8s.io/v1/namespaces/default/leases/lease-put',
        body: { metadata: { name: 'lease-put' }, spec: { holderIdentity: 'b' } },
      },
    ],
  },
];

const NODE_CASES: readonly ApiCase[] = [
  { id: 'node-created', steps: [post(NODES, { metadata: { name: 'node-created' } }, ['spec.taints'])] },
  {
    id: 'node-taint-twice',
    steps: [
      post(NODES, {
        metadata: { name: 'node-taint-twice' },
        spec: {
          taints: [
            { key: 'a', effect: 'NoSchedule' },
            { key: 'a', effect: 'NoSchedule' },
          ],
        },
      }),
    ],
  },
  {
    id: 'node-taint-bad-effect',
    steps: [post(NODES, { metadata: { name: 'node-taint-bad-effect' }, spec: { taints: [{ key: 'a', effect: 'Never' }] } })],
  },
  {
    id: 'node-taint-bad-key',
    steps: [post(NODES, { metadata: { name: 'node-taint-bad-key' }, spec: { taints: [{ key: 'a b', effect: 'NoSchedule' }] } })],
  },
  {
    id: 'node-provider-id-changed',
    steps: [
      post(NODES, { metadata: { name: 'node-provider-id' }, spec: { providerID: 'aws:///a/i-1' } }, ['spec.providerID']),
      patch('merge', `${NODES}/node-provider-id`, { spec: { providerID: 'aws:///a/i-2' } }),
    ],
  },
  {
    id: 'node-provider-id-set',
    steps: [
      post(NODES, { metadata: { name: 'node-provider-id-set' } }),
      patch('merge', `${NODES}/node-provider-id-set`, { spec: { providerID: 'aws:///a/i-2' } }, ['spec.providerID']),
    ],
  },
  {
    id: 'node-label-strategic',
    steps: [
      post(NODES, { metadata: { name: 'node-label-strategic', labels: { a: '1', b: '2' } } }),
      patch('strategic', `${NODES}/node-label-strategic`, { metadata: { labels: { a: null, c: '3' } } }, ['metadata.labels']),
    ],
  },
  {
    id: 'node-finalizers-null',
    steps: [
      post(NODES, { metadata: { name: 'node-finalizers-null', finalizers: ['example.com/a', 'example.com/b'] } }),
      patch('strategic', `${NODES}/node-finalizers-null`, { metadata: { finalizers: null } }, ['metadata.finalizers']),
    ],
  },
  {
    id: 'node-finalizers-strategic-add',
    steps: [
      post(NODES, { metadata: { name: 'node-finalizers-add', finalizers: ['example.com/a'] } }),
      patch('strategic', `${NODES}/node-finalizers-add`, { metadata: { finalizers: ['example.com/b'] } }, ['metadata.finalizers']),
    ],
  },
  {
    id: 'node-condition-strategic',
    steps: [
      post(NODES, { metadata: { name: 'node-condition' }, status: { conditions: [{ type: 'Ready', status: 'True' }] } }, [
        'status.conditions',
      ]),
      patch('strategic', `${NODES}/node-condition/status`, { status: { conditions: [{ type: 'DiskPressure', status: 'False' }] } }, [
        'status.conditions.#',
      ]),
    ],
  },
  {
    id: 'node-generation',
    steps: [
      post(NODES, { metadata: { name: 'node-generation' } }, ['metadata.generation']),
      patch('merge', `${NODES}/node-generation`, { spec: { unschedulable: true } }, ['spec.unschedulable']),
    ],
  },
];

const PATCHES: readonly ApiCase[] = [
  {
    id: 'json-patch',
    steps: [
      map('json-patch'),
      patch(
        'json',
        mapAt('json-patch'),
        [
          { op: 'add', path: '/data/b', value: '2' },
          { op: 'remove', path: '/data/a' },
        ],
        ['data'],
      ),
    ],
  },
  {
    id: 'json-patch-test-fails',
    steps: [map('json-patch-test-fails'), patch('json', mapAt('json-patch-test-fails'), [{ op: 'test', path: '/data/a', value: '9' }])],
  },
  {
    id: 'json-patch-missing-path',
    steps: [map('json-patch-missing-path'), patch('json', mapAt('json-patch-missing-path'), [{ op: 'remove', path: '/data/z' }])],
  },
  {
    id: 'json-patch-bad-op',
    steps: [map('json-patch-bad-op'), patch('json', mapAt('json-patch-bad-op'), [{ op: 'twist', path: '/data/a' }])],
  },
  { id: 'json-patch-not-a-list', steps: [map('json-patch-not-a-list'), patch('json', mapAt('json-patch-not-a-list'), { data: {} })] },
  {
    id: 'merge-patch-null',
    steps: [map('merge-patch-null', { a: '1', b: '2' }), patch('merge', mapAt('merge-patch-null'), { data: { a: null } }, ['data'])],
  },
  { id: 'merge-patch-not-an-object', steps: [map('merge-patch-not-an-object'), patch('merge', mapAt('merge-patch-not-an-object'), [1])] },
  {
    id: 'merge-patch-no-change',
    steps: [map('merge-patch-no-change'), patch('merge', mapAt('merge-patch-no-change'), { data: { a: '1' } }, ['data'])],
  },
  {
    id: 'patch-unknown-type',
    steps: [map('patch-unknown-type'), { method: 'PATCH', path: mapAt('patch-unknown-type'), contentType: 'application/json', body: {} }],
  },
  {
    id: 'merge-patch-not-json',
    steps: [map('merge-patch-not-json'), { ...patch('merge', mapAt('merge-patch-not-json'), '{"data"') }],
  },
  {
    id: 'strategic-patch-not-json',
    steps: [map('strategic-patch-not-json'), patch('strategic', mapAt('strategic-patch-not-json'), '{,')],
  },
  {
    id: 'patch-stale',
    steps: [map('patch-stale'), patch('merge', mapAt('patch-stale'), { metadata: { resourceVersion: '1' }, data: { a: '2' } })],
  },
  {
    id: 'put-stale',
    steps: [
      map('put-stale'),
      { method: 'PUT', path: mapAt('put-stale'), body: { metadata: { name: 'put-stale', resourceVersion: '1' }, data: {} } },
    ],
  },
  {
    id: 'put-without-version',
    steps: [
      map('put-without-version'),
      {
        method: 'PUT',
        path: mapAt('put-without-version'),
        body: { metadata: { name: 'put-without-version' }, data: { z: '1' } },
        look: ['data'],
      },
    ],
  },
  {
    id: 'put-other-uid',
    steps: [
      map('put-other-uid'),
      { method: 'PUT', path: mapAt('put-other-uid'), body: { metadata: { name: 'put-other-uid', uid: 'another' }, data: {} } },
    ],
  },
  {
    id: 'apply-creates',
    steps: [
      apply(mapAt('apply-creates'), 'me', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'apply-creates' }, data: { a: '1' } }, [
        'data',
        'metadata.managedFields.0.manager',
        'metadata.managedFields.0.operation',
      ]),
    ],
  },
  {
    id: 'apply-conflict',
    steps: [
      apply(mapAt('apply-conflict'), 'me', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'apply-conflict' }, data: { a: '1' } }),
      apply(mapAt('apply-conflict'), 'you', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'apply-conflict' },
        data: { a: '2' },
      }),
      apply(
        mapAt('apply-conflict'),
        'you',
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'apply-conflict' }, data: { a: '2' } },
        ['data'],
        true,
      ),
    ],
  },
  {
    id: 'apply-removes',
    steps: [
      apply(mapAt('apply-removes'), 'me', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'apply-removes' },
        data: { a: '1', b: '2' },
      }),
      apply(mapAt('apply-removes'), 'me', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'apply-removes' }, data: { a: '1' } }, [
        'data',
      ]),
    ],
  },
  {
    id: 'apply-without-manager',
    steps: [
      {
        ...apply(mapAt('apply-without-manager'), '', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'apply-without-manager' } }),
        path: mapAt('apply-without-manager'),
      },
    ],
  },
  { id: 'apply-without-kind', steps: [apply(mapAt('apply-without-kind'), 'me', { metadata: { name: 'apply-without-kind' } })] },
];

const LISTS: readonly ApiCase[] = [
  {
    id: 'list-label-in',
    steps: [
      post(`${CORE}/configmaps`, { metadata: { name: 'list-a', labels: { tier: 'a' } } }),
      post(`${CORE}/configmaps`, { metadata: { name: 'list-b', labels: { tier: 'b' } } }),
      get(`${CORE}/configmaps?labelSelector=tier+in+(a,b)`, ['kind', 'items.#', 'items.0.metadata.name']),
      get(`${CORE}/configmaps?labelSelector=tier!=a,tier`, ['items.#']),
      get(`${CORE}/configmaps?labelSelector=tier%3Da&limit=1`, ['items.#']),
    ],
  },
  { id: 'list-label-bad', steps: [get(`${CORE}/configmaps?labelSelector=a+b`)] },
  ...['A_b-=1', 'a=b!', 'a>1.5', 'a=-b', 'a in b', 'a in (b', 'a in (b c)', ',', 'a,', '=b', '!', 'a=~', 'a<>b'].map(
    (selector, index): ApiCase => ({
      id: `list-label-bad-${index + 1}`,
      steps: [get(`${CORE}/configmaps?labelSelector=${encodeURIComponent(selector)}`)],
    }),
  ),
  ...['apps/v1/deployments', 'batch/v1/jobs'].map((path): ApiCase => {
    return { id: `list-field-unknown-${path}`, steps: [get(`/apis/${path}?fieldSelector=spec.x%3D1`)] };
  }),
  ...['e30', 'eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ', 'x!', '_w'].map((token): ApiCase => {
    return { id: `list-continue-bad-${token}`, steps: [get(`${CORE}/configmaps?limit=1&continue=${token}`)] };
  }),
  { id: 'list-label-bad-value', steps: [get(`${CORE}/configmaps?labelSelector=a%3Db+c`)] },
  {
    id: 'list-field-name',
    steps: [map('list-field-name'), get(`${CORE}/configmaps?fieldSelector=metadata.name%3Dlist-field-name`, ['items.#'])],
  },
  { id: 'list-field-unknown', steps: [get(`${CORE}/configmaps?fieldSelector=data.a%3D1`)] },
  { id: 'list-field-unknown-pod', steps: [get('/api/v1/pods?fieldSelector=spec.image%3Dx')] },
  { id: 'list-field-bad', steps: [get('/api/v1/pods?fieldSelector=spec.nodeName')] },
  { id: 'list-limit-bad', steps: [get(`${CORE}/configmaps?limit=-1`)] },
  { id: 'list-limit-text', steps: [get(`${CORE}/configmaps?limit=x`)] },
  { id: 'list-continue-bad', steps: [get(`${CORE}/configmaps?limit=1&continue=nonsense`)] },
  { id: 'list-version-bad', steps: [get(`${CORE}/configmaps?resourceVersion=x`)] },
  { id: 'list-version-match-without', steps: [get(`${CORE}/configmaps?resourceVersionMatch=Exact`)] },
  { id: 'list-version-match-unknown', steps: [get(`${CORE}/configmaps?resourceVersion=1&resourceVersionMatch=Nearly`)] },
  { id: 'list-exact-zero', steps: [get(`${CORE}/configmaps?resourceVersion=0&resourceVersionMatch=Exact`)] },
  { id: 'list-initial-events', steps: [get(`${CORE}/configmaps?sendInitialEvents=true`)] },
  { id: 'watch-initial-events-without-match', steps: [get(`${CORE}/configmaps?watch=1&sendInitialEvents=true`)] },
  { id: 'watch-match-without-initial-events', steps: [get(`${CORE}/configmaps?watch=1&resourceVersionMatch=NotOlderThan`)] },
  { id: 'watch-initial-events-exact', steps: [get(`${CORE}/configmaps?watch=1&sendInitialEvents=true&resourceVersionMatch=Exact`)] },
  { id: 'watch-version-bad', steps: [get(`${CORE}/configmaps?watch=1&resourceVersion=x`)] },
  { id: 'watch-field-unknown', steps: [get(`${CORE}/configmaps?watch=1&fieldSelector=data.a%3D1`)] },
];

const GROUP = '/apis/cases.example.com/v1/namespaces/default/widgets';
const SCHEMA = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 1, maximum: 9 },
        color: { type: 'string', enum: ['red', 'blue'], default: 'red' },
        code: { type: 'string', pattern: '^[a-z]+$', maxLength: 4 },
        parts: { type: 'array', maxItems: 2, items: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } },
        amount: { 'x-kubernetes-int-or-string': true },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
    status: { type: 'object', properties: { phase: { type: 'string' } } },
  },
};
const definition: Step = post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
  metadata: { name: 'widgets.cases.example.com' },
  spec: {
    group: 'cases.example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList', shortNames: ['wd'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.replicas' } },
        schema: { openAPIV3Schema: SCHEMA },
      },
    ],
  },
});
const widget = (name: string, spec: unknown, look: readonly string[] = [], more: object = {}): Step =>
  post(GROUP, { apiVersion: 'cases.example.com/v1', kind: 'Widget', metadata: { name }, ...defined({ spec }), ...more }, look);
const widgetAt = (name: string): string => `${GROUP}/${name}`;

/** The definition comes first; the other cases run once it is served. */
const CUSTOM: readonly ApiCase[] = [
  { id: 'widget-definition', steps: [definition, { ...get(GROUP, ['kind', 'items.#']), patient: true }] },
  {
    id: 'widget-defaults',
    steps: [widget('widget-defaults', { size: 1, junk: true }, ['spec', 'metadata.generation'], { status: { phase: 'x' } })],
  },
  { id: 'widget-missing-field', steps: [widget('widget-missing-field', {})] },
  { id: 'widget-too-small', steps: [widget('widget-too-small', { size: 0 })] },
  { id: 'widget-too-large', steps: [widget('widget-too-large', { size: 10 })] },
  { id: 'widget-wrong-type', steps: [widget('widget-wrong-type', { size: 'big' })] },
  { id: 'widget-wrong-enum', steps: [widget('widget-wrong-enum', { size: 1, color: 'green' })] },
  { id: 'widget-wrong-pattern', steps: [widget('widget-wrong-pattern', { size: 1, code: 'A' })] },
  { id: 'widget-too-long', steps: [widget('widget-too-long', { size: 1, code: 'abcde' })] },
  { id: 'widget-too-many', steps: [widget('widget-too-many', { size: 1, parts: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] })] },
  { id: 'widget-missing-in-item', steps: [widget('widget-missing-in-item', { size: 1, parts: [{}] })] },
  { id: 'widget-int-or-string', steps: [widget('widget-int-or-string', { size: 1, amount: true })] },
  { id: 'widget-free', steps: [widget('widget-free', { size: 1, free: { any: [1, { thing: 2 }] }, labels: { a: 'b' } }, ['spec'])] },
  { id: 'widget-no-spec', steps: [widget('widget-no-spec', undefined, ['spec'])] },
  { id: 'widget-null-default', steps: [widget('widget-null-default', { size: 1, color: null }, ['spec'])] },
  { id: 'widget-null-required', steps: [widget('widget-null-required', { size: null })] },
  { id: 'widget-null-in-map', steps: [widget('widget-null-in-map', { size: 1, labels: { a: null, b: 'c' } }, ['spec'])] },
  {
    id: 'widget-status',
    steps: [
      widget('widget-status', { size: 1 }),
      patch('merge', `${widgetAt('widget-status')}/status`, { status: { phase: 'Good' }, spec: { size: 5 } }, [
        'status',
        'spec',
        'metadata.generation',
      ]),
      patch('merge', widgetAt('widget-status'), { status: { phase: 'Bad' }, spec: { size: 6 } }, ['status', 'spec', 'metadata.generation']),
    ],
  },
  {
    id: 'widget-status-wrong',
    steps: [
      widget('widget-status-wrong', { size: 1 }),
      patch('merge', `${widgetAt('widget-status-wrong')}/status`, { status: { phase: 5 } }),
    ],
  },
  {
    id: 'widget-strategic',
    steps: [widget('widget-strategic', { size: 1 }), patch('strategic', widgetAt('widget-strategic'), { spec: { size: 2 } })],
  },
  {
    id: 'widget-put-without-version',
    steps: [
      widget('widget-put', { size: 1 }),
      {
        method: 'PUT',
        path: widgetAt('widget-put'),
        body: { apiVersion: 'cases.example.com/v1', kind: 'Widget', metadata: { name: 'widget-put' }, spec: { size: 2 } },
      },
    ],
  },
  {
    id: 'widget-wrong-kind',
    steps: [post(GROUP, { apiVersion: 'cases.example.com/v1', kind: 'Gadget', metadata: { name: 'widget-wrong-kind' } })],
  },
  { id: 'widget-field-unknown', steps: [get(`${GROUP}?fieldSelector=spec.x%3D1`)] },
  { id: 'widget-not-json', steps: [post(GROUP, '{"a":tru}')] },
  { id: 'widget-no-version', steps: [post(GROUP, { kind: 'Widget' })] },
  {
    id: 'widget-other-version',
    steps: [post(GROUP, { apiVersion: 'cases.example.com/v2', kind: 'Widget', metadata: { name: 'widget-other-version' } })],
  },
  {
    id: 'widget-name-number',
    steps: [post(GROUP, { apiVersion: 'cases.example.com/v1', kind: 'Widget', metadata: { name: 5 } })],
  },
  {
    id: 'widget-patch-kind',
    steps: [
      widget('widget-patch-kind', { size: 1 }),
      patch('merge', widgetAt('widget-patch-kind'), { kind: 'Gadget' }),
      patch('merge', widgetAt('widget-patch-kind'), { apiVersion: 'v1' }),
    ],
  },
  { id: 'widget-no-kind', steps: [post(GROUP, { metadata: { name: 'widget-no-kind' }, spec: { size: 1 } })] },
  { id: 'widget-scale', steps: [widget('widget-scale', { size: 3 }), get(`${widgetAt('widget-scale')}/scale`, ['kind', 'spec'])] },
  {
    id: 'widget-delete',
    steps: [
      widget('widget-delete', { size: 3 }),
      { method: 'DELETE', path: widgetAt('widget-delete'), look: ['kind', 'status', 'details.name', 'details.kind'] },
    ],
  },
  {
    id: 'definition-bad-name',
    steps: [
      post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
        metadata: { name: 'wrong' },
        spec: {
          group: 'cases.example.com',
          scope: 'Namespaced',
          names: { plural: 'gadgets', kind: 'Gadget' },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        },
      }),
    ],
  },
  {
    id: 'definition-no-schema',
    steps: [
      post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
        metadata: { name: 'gadgets.cases.example.com' },
        spec: {
          group: 'cases.example.com',
          scope: 'Namespaced',
          names: { plural: 'gadgets', kind: 'Gadget' },
          versions: [{ name: 'v1', served: true, storage: true }],
        },
      }),
    ],
  },
  {
    id: 'definition-two-storage',
    steps: [
      post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
        metadata: { name: 'gadgets.cases.example.com' },
        spec: {
          group: 'cases.example.com',
          scope: 'Namespaced',
          names: { plural: 'gadgets', kind: 'Gadget' },
          versions: [
            { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
            { name: 'v2', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
          ],
        },
      }),
    ],
  },
];

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

const OTHERS: readonly ApiCase[] = [
  { id: 'unknown-resource', steps: [get(`${CORE}/gizmos`)] },
  { id: 'unknown-group', steps: [get('/apis/nobody.example.com/v1/things')] },
  { id: 'unknown-subresource', steps: [map('unknown-subresource'), get(`${mapAt('unknown-subresource')}/status`)] },
  { id: 'method-not-allowed', steps: [{ method: 'POST', path: mapAt('method-not-allowed'), body: {} }] },
  { id: 'create-everywhere', steps: [{ method: 'POST', path: '/api/v1/configmaps', body: { metadata: { name: 'create-everywhere' } } }] },
  { id: 'not-acceptable', steps: [{ method: 'GET', path: `${CORE}/configmaps`, accept: 'text/html' }] },
  { id: 'unsupported-body', steps: [{ method: 'POST', path: `${CORE}/configmaps`, contentType: 'text/plain', body: 'hello' }] },
  {
    id: 'configmap-immutable',
    steps: [
      post(`${CORE}/configmaps`, { metadata: { name: 'configmap-immutable' }, immutable: true, data: { a: '1' } }),
      patch('merge', mapAt('configmap-immutable'), { data: { a: '2' } }),
    ],
  },
  { id: 'configmap-bad-key', steps: [map('configmap-bad-key', { 'a b': '1' })] },
  {
    id: 'namespace-created',
    steps: [post('/api/v1/namespaces', { metadata: { name: 'case-namespace' } }, ['spec.finalizers', 'status.phase', 'metadata.labels'])],
  },
  { id: 'namespace-bad-name', steps: [post('/api/v1/namespaces', { metadata: { name: 'a.b' } })] },
  { id: 'generate-name', steps: [post(`${CORE}/configmaps`, { metadata: { generateName: 'generated-' } }, ['metadata.generateName'])] },
  { id: 'version', steps: [get('/version', ['major', 'minor'])] },
  { id: 'discovery-core', steps: [get('/api', ['kind', 'versions'])] },
  {
    id: 'table-configmap',
    steps: [
      map('table-configmap'),
      {
        method: 'GET',
        path: mapAt('table-configmap'),
        accept: TABLE,
        look: ['kind', 'columnDefinitions.0.name', 'columnDefinitions.1.name', 'rows.0.cells.0', 'rows.0.object.kind'],
      },
    ],
  },
  {
    id: 'table-nodes',
    steps: [
      {
        method: 'GET',
        path: NODES,
        accept: TABLE,
        look: [
          'kind',
          'columnDefinitions.0.name',
          'columnDefinitions.1.name',
          'columnDefinitions.2.name',
          'columnDefinitions.3.name',
          'columnDefinitions.4.name',
          'columnDefinitions.5.name',
        ],
      },
    ],
  },
  {
    id: 'table-pods',
    steps: [
      {
        method: 'GET',
        path: '/api/v1/pods?limit=1',
        accept: TABLE,
        look: [
          'kind',
          'columnDefinitions.#',
          'columnDefinitions.0.name',
          'columnDefinitions.1.name',
          'columnDefinitions.2.name',
          'columnDefinitions.3.name',
          'columnDefinitions.4.name',
        ],
      },
    ],
  },
  {
    id: 'table-deployments',
    steps: [
      {
        method: 'GET',
        path: `${APPS}/deployments`,
        accept: TABLE,
        look: ['columnDefinitions.1.name', 'columnDefinitions.2.name', 'columnDefinitions.3.name', 'columnDefinitions.4.name'],
      },
    ],
  },
];

export const OBJECT_CASES: readonly ApiCase[] = [...WORKLOADS, ...NODE_CASES, ...PATCHES, ...LISTS, ...CUSTOM, ...OTHERS];
