import type { ApiCase, Step } from './case.ts';

const PODS = '/api/v1/namespaces/default/pods';
const CONTAINER = { name: 'main', image: 'pause' };

interface PodCase {
  readonly spec?: object;
  readonly metadata?: object;
  readonly look?: readonly string[];
}

/** One creation of a pod. */
function created(id: string, { spec = {}, metadata = {}, look = [] }: PodCase): ApiCase {
  const body = { metadata: { name: id, ...metadata }, spec: { containers: [CONTAINER], ...spec } };
  return { id, steps: [{ method: 'POST', path: PODS, body, look }] };
}

const SPREAD = {
  maxSkew: 1,
  topologyKey: 'topology.kubernetes.io/zone',
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: { app: 'a' } },
};
const spread = (...more: readonly object[]): PodCase => ({
  spec: { topologySpreadConstraints: more.map((one) => ({ ...SPREAD, ...one })) },
});
const nodeTerms = (...terms: readonly object[]): PodCase => ({
  spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } } },
});
const nodeExpression = (expression: object): PodCase => nodeTerms({ matchExpressions: [expression] });
const podTerm = (term: object): PodCase => ({
  spec: { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } },
});
const toleration = (...tolerations: readonly object[]): PodCase => ({ spec: { tolerations } });
const container = (more: object): PodCase => ({ spec: { containers: [{ ...CONTAINER, ...more }] } });
const resources = (requests: object, limits: object = {}): PodCase => container({ resources: { requests, limits } });

const SPREADS: Readonly<Record<string, PodCase>> = {
  'spread-negative-skew': spread({ maxSkew: -1 }),
  'spread-zero-skew': spread({ maxSkew: 0 }),
  'spread-no-key': spread({ topologyKey: '' }),
  'spread-bad-key': spread({ topologyKey: 'a b' }),
  'spread-bad-when': spread({ whenUnsatisfiable: 'Sometimes' }),
  'spread-twice': spread({}, {}),
  'spread-two-keys': spread({}, { topologyKey: 'kubernetes.io/hostname' }),
  'spread-min-domains-zero': spread({ minDomains: 0 }),
  'spread-min-domains-negative': spread({ minDomains: -2 }),
  'spread-min-domains-soft': spread({ minDomains: 2, whenUnsatisfiable: 'ScheduleAnyway' }),
  'spread-no-selector': spread({ labelSelector: undefined }),
  'spread-bad-policy': spread({ nodeAffinityPolicy: 'Maybe' }),
  'spread-bad-taints-policy': spread({ nodeTaintsPolicy: 'Maybe' }),
  'spread-policies': { ...spread({ nodeAffinityPolicy: 'Ignore', nodeTaintsPolicy: 'Honor' }), look: ['spec.topologySpreadConstraints'] },
  'spread-match-label-keys-missing': { ...spread({ matchLabelKeys: ['team'] }), look: ['spec.topologySpreadConstraints'] },
  'spread-match-label-keys': {
    ...spread({ matchLabelKeys: ['team'] }),
    metadata: { labels: { team: 'x' } },
    look: ['spec.topologySpreadConstraints'],
  },
  'spread-match-label-keys-no-selector': {
    ...spread({ matchLabelKeys: ['team'], labelSelector: undefined }),
    metadata: { labels: { team: 'x' } },
  },
  'spread-match-label-keys-twice': {
    ...spread({ matchLabelKeys: ['app'] }),
    metadata: { labels: { app: 'a' } },
  },
  'spread-bad-selector': spread({ labelSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }),
};

const AFFINITIES: Readonly<Record<string, PodCase>> = {
  'node-affinity-no-terms': nodeTerms(),
  'node-affinity-empty-term': { ...nodeTerms({}), look: ['spec.affinity'] },
  'node-affinity-bad-operator': nodeExpression({ key: 'a', operator: 'Near' }),
  'node-affinity-in-without-values': nodeExpression({ key: 'a', operator: 'In' }),
  'node-affinity-exists-with-values': nodeExpression({ key: 'a', operator: 'Exists', values: ['x'] }),
  'node-affinity-gt-two-values': nodeExpression({ key: 'a', operator: 'Gt', values: ['1', '2'] }),
  'node-affinity-gt-text': nodeExpression({ key: 'a', operator: 'Gt', values: ['many'] }),
  'node-affinity-bad-key': nodeExpression({ key: 'a b', operator: 'Exists' }),
  'node-affinity-fields': nodeTerms({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }),
  'node-affinity-bad-field': nodeTerms({ matchFields: [{ key: 'spec.x', operator: 'In', values: ['n'] }] }),
  'node-affinity-weight-zero': {
    spec: {
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 0, preference: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } },
          ],
        },
      },
    },
  },
  'pod-affinity-no-key': podTerm({ labelSelector: {} }),
  'pod-affinity-bad-key': podTerm({ topologyKey: 'a b', labelSelector: {} }),
  'pod-affinity-bad-namespace': podTerm({ topologyKey: 'zone', labelSelector: {}, namespaces: ['A_b'] }),
  'pod-affinity-good': { ...podTerm({ topologyKey: 'zone', labelSelector: { matchLabels: { a: 'b' } } }), look: ['spec.affinity'] },
  'pod-affinity-weight': {
    spec: {
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, podAffinityTerm: { topologyKey: 'z', labelSelector: {} } }],
        },
      },
    },
  },
  'node-selector-bad-value': { spec: { nodeSelector: { a: 'b c' } } },
};

const TOLERATIONS: Readonly<Record<string, PodCase>> = {
  'toleration-defaults': { look: ['spec.tolerations'] },
  'toleration-all': { ...toleration({ operator: 'Exists' }), look: ['spec.tolerations'] },
  'toleration-not-ready': {
    ...toleration({ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }),
    look: ['spec.tolerations'],
  },
  'toleration-no-key-equal': toleration({ operator: 'Equal', value: 'x' }),
  'toleration-exists-value': toleration({ key: 'a', operator: 'Exists', value: 'x' }),
  'toleration-bad-operator': toleration({ key: 'a', operator: 'Like' }),
  'toleration-bad-effect': toleration({ key: 'a', operator: 'Exists', effect: 'NoRun' }),
  'toleration-seconds-no-execute': toleration({ key: 'a', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 5 }),
  'toleration-bad-key': toleration({ key: 'a b', operator: 'Exists' }),
};

const CONTAINERS: Readonly<Record<string, PodCase>> = {
  'containers-none': { spec: { containers: [] } },
  'containers-same-name': { spec: { containers: [CONTAINER, CONTAINER] } },
  'container-bad-name': container({ name: 'A_b' }),
  'container-no-image': container({ image: '' }),
  'container-defaults': {
    look: [
      'spec.restartPolicy',
      'spec.dnsPolicy',
      'spec.schedulerName',
      'spec.terminationGracePeriodSeconds',
      'spec.containers.0.terminationMessagePath',
      'spec.enableServiceLinks',
      'spec.priority',
      'spec.preemptionPolicy',
      'status.phase',
      'status.qosClass',
      'metadata.generation',
    ],
  },
  'resources-limits-only': { ...resources({}, { cpu: '1', memory: '1Gi' }), look: ['spec.containers.0.resources', 'status.qosClass'] },
  'resources-burstable': { ...resources({ cpu: '100m' }), look: ['spec.containers.0.resources', 'status.qosClass'] },
  'resources-guaranteed': { ...resources({ cpu: '1', memory: '1Gi' }, { cpu: '1', memory: '1Gi' }), look: ['status.qosClass'] },
  'resources-request-over-limit': resources({ cpu: '2' }, { cpu: '1' }),
  'resources-negative': resources({ cpu: '-1' }),
  'resources-canonical': { ...resources({ cpu: '0.5', memory: '1024Mi' }), look: ['spec.containers.0.resources.requests'] },
  'resources-bad-quantity': resources({ cpu: 'one' }),
  'resources-unknown-name': resources({ gpu: '1' }),
  'resources-extended-fraction': resources({ 'example.com/gpu': '500m' }, { 'example.com/gpu': '500m' }),
  'resources-extended-no-limit': resources({ 'example.com/gpu': '1' }),
  'port-bad': container({ ports: [{ containerPort: 70_000 }] }),
  'port-host-twice': container({
    ports: [
      { containerPort: 80, hostPort: 80 },
      { containerPort: 81, hostPort: 80 },
    ],
  }),
  'port-defaults': { ...container({ ports: [{ containerPort: 80 }] }), look: ['spec.containers.0.ports'] },
  'port-host-network': {
    spec: { hostNetwork: true, containers: [{ ...CONTAINER, ports: [{ containerPort: 80 }] }] },
    look: ['spec.containers.0.ports'],
  },
  'restart-policy-bad': { spec: { restartPolicy: 'Sometimes' } },
  'restart-policy-never': { spec: { restartPolicy: 'Never' }, look: ['spec.restartPolicy'] },
  sidecar: {
    spec: { initContainers: [{ ...CONTAINER, name: 'side', restartPolicy: 'Always' }] },
    look: ['spec.initContainers.0.restartPolicy'],
  },
  'sidecar-bad': { spec: { initContainers: [{ ...CONTAINER, name: 'side', restartPolicy: 'OnFailure' }] } },
  'grace-negative': { spec: { terminationGracePeriodSeconds: -5 }, look: ['spec.terminationGracePeriodSeconds'] },
  'deadline-zero': { spec: { activeDeadlineSeconds: 0 } },
};

const OTHERS: Readonly<Record<string, PodCase>> = {
  Bad_Name: {},
  'label-bad-key': { metadata: { labels: { 'a b': 'c' } } },
  'label-bad-value': { metadata: { labels: { a: 'b c' } } },
  'label-long-value': { metadata: { labels: { a: 'x'.repeat(64) } } },
  'annotation-bad-key': { metadata: { annotations: { 'a b': 'c' } } },
  'finalizer-plain': { metadata: { finalizers: ['plain'] } },
  'finalizer-good': { metadata: { finalizers: ['example.com/keep'] }, look: ['metadata.finalizers'] },
  'finalizer-bad': { metadata: { finalizers: ['example.com/a b'] } },
  'owner-incomplete': { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n' }] } },
  'owner-two-controllers': {
    metadata: {
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'a', uid: 'u1', controller: true },
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'b', uid: 'u2', controller: true },
      ],
    },
  },
  'priority-class-unknown': { spec: { priorityClassName: 'no-such-class' } },
  'priority-class-system': { spec: { priorityClassName: 'system-cluster-critical' }, look: ['spec.priority', 'spec.preemptionPolicy'] },
  'priority-set-by-hand': { spec: { priority: 100 } },
  gates: { spec: { schedulingGates: [{ name: 'example.com/wait' }] }, look: ['spec.schedulingGates', 'status.conditions.0.reason'] },
  'gates-twice': { spec: { schedulingGates: [{ name: 'example.com/wait' }, { name: 'example.com/wait' }] } },
  'gates-bad-name': { spec: { schedulingGates: [{ name: 'a b' }] } },
  'gates-with-node': { spec: { nodeName: 'n', schedulingGates: [{ name: 'example.com/wait' }] } },
  'node-name-bad': { spec: { nodeName: 'A_b' } },
  'namespace-other': { metadata: { namespace: 'kube-system' } },
  'version-on-create': { metadata: { resourceVersion: '5' } },
  'volume-claim': {
    spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
    look: ['spec.volumes.0'],
  },
  'volume-twice': {
    spec: {
      volumes: [
        { name: 'a', emptyDir: {} },
        { name: 'a', emptyDir: {} },
      ],
    },
  },
  'volume-mount-unknown': container({ volumeMounts: [{ name: 'nothing', mountPath: '/a' }] }),
  'service-account-default': { look: ['spec.serviceAccountName'] },
};

const at = (id: string): string => `${PODS}/${id}`;
const pod = (id: string, spec: object = {}, metadata: object = {}): Step => ({
  method: 'POST',
  path: PODS,
  body: { metadata: { name: id, ...metadata }, spec: { containers: [CONTAINER], ...spec } },
});
const merge = (id: string, body: unknown, look: readonly string[] = [], subresource = ''): Step => ({
  method: 'PATCH',
  path: `${at(id)}${subresource}`,
  contentType: 'application/merge-patch+json',
  body,
  look,
});

/** Without the volume of a service account's token, which a patch of the containers would remove. */
const UNMOUNTED = { automountServiceAccountToken: false };

/** Bodies of pods that the decoder refuses: text is not JSON. */
const UNREADABLE: Readonly<Record<string, unknown>> = {
  'json-literal': '{"kind": tru}',
  'json-string': '{"kind": "P\u0001"}',
  'json-escape': '{"kind": "\\q"}',
  'json-number': '{"kind": -x}',
  'json-fraction': '{"kind": 1.}',
  'json-key': '{kind: "Pod"}',
  'json-comma': '{"kind": "Pod" "apiVersion": "v1"}',
  'json-list': '{"kind": ["Pod" 1]}',
  'json-after': '{"kind": "Pod"} again',
  'json-bytes': '{"kind": é}',
  'json-none': 'kind',
  'type-of-enum': { metadata: { name: 'x' }, spec: { restartPolicy: 5 } },
  'type-of-label': { metadata: { name: 'x', labels: { a: true } } },
  'type-of-metadata': { metadata: 5 },
  'type-of-container': { spec: { containers: ['x'] } },
  'type-of-container-name': { spec: { containers: [{ name: 5 }] } },
  'type-of-priority': { spec: { priority: 1.5 } },
  'type-of-seconds': { spec: { terminationGracePeriodSeconds: '30' } },
  'type-of-requests': { spec: { containers: [{ name: 'x', resources: { requests: 5 } }] } },
  'type-of-flag': { spec: { hostNetwork: 'yes' } },
  'type-of-args': { spec: { containers: [{ name: 'x', args: [1] }] } },
};

/** Cases with more than one request. */
const STORIES: readonly ApiCase[] = [
  { id: 'pod-exists', steps: [pod('pod-exists'), pod('pod-exists')] },
  {
    id: 'pod-update-image',
    steps: [
      pod('pod-update-image', UNMOUNTED),
      merge('pod-update-image', { spec: { containers: [{ name: 'main', image: 'other' }] } }, ['spec.containers.0.image']),
    ],
  },
  {
    id: 'pod-update-node-selector',
    steps: [pod('pod-update-node-selector', UNMOUNTED), merge('pod-update-node-selector', { spec: { nodeSelector: { a: 'b' } } })],
  },
  {
    id: 'pod-update-spread',
    steps: [pod('pod-update-spread', UNMOUNTED), merge('pod-update-spread', { spec: { topologySpreadConstraints: [SPREAD] } })],
  },
  {
    id: 'pod-update-add-toleration',
    steps: [pod('pod-update-add-toleration'), { ...merge('pod-update-add-toleration', { spec: { tolerations: [] } }) }],
  },
  {
    id: 'pod-update-labels',
    steps: [
      pod('pod-update-labels'),
      merge('pod-update-labels', { metadata: { labels: { a: 'b' } } }, ['metadata.labels', 'metadata.generation']),
    ],
  },
  { id: 'pod-update-name', steps: [pod('pod-update-name'), merge('pod-update-name', { metadata: { name: 'other' } })] },
  { id: 'pod-update-namespace', steps: [pod('pod-update-namespace'), merge('pod-update-namespace', { metadata: { namespace: 'other' } })] },
  { id: 'pod-update-uid', steps: [pod('pod-update-uid'), merge('pod-update-uid', { metadata: { uid: 'other' } })] },
  {
    id: 'pod-update-old-version',
    steps: [pod('pod-update-old-version'), merge('pod-update-old-version', { metadata: { resourceVersion: '1', labels: { a: 'b' } } })],
  },
  {
    id: 'pod-gate-removed',
    steps: [
      pod('pod-gate-removed', { schedulingGates: [{ name: 'example.com/wait' }] }),
      merge('pod-gate-removed', { spec: { schedulingGates: null } }, ['spec.schedulingGates']),
    ],
  },
  {
    id: 'pod-gate-added',
    steps: [
      pod('pod-gate-added', { nodeName: 'no-such-node' }),
      merge('pod-gate-added', { spec: { schedulingGates: [{ name: 'example.com/wait' }] } }),
    ],
  },
  {
    id: 'pod-status-only',
    steps: [
      pod('pod-status-only', { schedulerName: 'nobody' }),
      merge('pod-status-only', { status: { phase: 'Running' }, spec: { nodeName: 'x' } }, ['status.phase', 'spec.nodeName'], '/status'),
    ],
  },
  {
    id: 'pod-status-by-main',
    steps: [
      pod('pod-status-by-main', { schedulerName: 'nobody' }),
      merge('pod-status-by-main', { status: { phase: 'Running' } }, ['status.phase']),
    ],
  },
  {
    id: 'pod-bind',
    steps: [
      pod('pod-bind', { schedulerName: 'nobody' }),
      {
        method: 'POST',
        path: `${at('pod-bind')}/binding`,
        body: { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'pod-bind' }, target: { kind: 'Node', name: 'no-such-node' } },
        look: ['status'],
      },
      { method: 'GET', path: at('pod-bind'), look: ['spec.nodeName'] },
    ],
  },
  {
    id: 'pod-bind-twice',
    steps: [
      pod('pod-bind-twice', { nodeName: 'no-such-node' }),
      {
        method: 'POST',
        path: `${at('pod-bind-twice')}/binding`,
        body: { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'pod-bind-twice' }, target: { kind: 'Node', name: 'other' } },
      },
    ],
  },
  {
    id: 'pod-bind-nowhere',
    steps: [
      pod('pod-bind-nowhere', { schedulerName: 'nobody' }),
      {
        method: 'POST',
        path: `${at('pod-bind-nowhere')}/binding`,
        body: { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'pod-bind-nowhere' }, target: { kind: 'Node', name: '' } },
      },
    ],
  },
  {
    id: 'pod-bind-kind',
    steps: [
      pod('pod-bind-kind', { schedulerName: 'nobody' }),
      { method: 'POST', path: `${at('pod-bind-kind')}/binding`, body: { metadata: { name: 'pod-bind-kind' }, target: { kind: 'Zone' } } },
    ],
  },
  {
    id: 'pod-bind-gated',
    steps: [
      pod('pod-bind-gated', { schedulingGates: [{ name: 'example.com/wait' }] }),
      {
        method: 'POST',
        path: `${at('pod-bind-gated')}/binding`,
        body: { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'pod-bind-gated' }, target: { kind: 'Node', name: 'n' } },
      },
    ],
  },
  {
    id: 'pod-evict-unbound',
    steps: [
      pod('pod-evict-unbound', { schedulerName: 'nobody' }),
      {
        method: 'POST',
        path: `${at('pod-evict-unbound')}/eviction`,
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'pod-evict-unbound' } },
        look: ['status'],
      },
      { method: 'GET', path: at('pod-evict-unbound') },
    ],
  },
  {
    id: 'pod-evict-missing',
    steps: [
      {
        method: 'POST',
        path: `${at('pod-evict-missing')}/eviction`,
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'pod-evict-missing' } },
      },
    ],
  },
  {
    id: 'pod-evict-other-name',
    steps: [
      pod('pod-evict-other-name', { schedulerName: 'nobody' }),
      {
        method: 'POST',
        path: `${at('pod-evict-other-name')}/eviction`,
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'somebody-else' } },
      },
    ],
  },
  {
    id: 'pod-evict-wrong-uid',
    steps: [
      pod('pod-evict-wrong-uid', { schedulerName: 'nobody' }),
      {
        method: 'POST',
        path: `${at('pod-evict-wrong-uid')}/eviction`,
        body: {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { name: 'pod-evict-wrong-uid' },
          deleteOptions: { preconditions: { uid: 'another' } },
        },
      },
    ],
  },
  {
    id: 'pod-delete',
    steps: [
      pod('pod-delete', { schedulerName: 'nobody' }),
      { method: 'DELETE', path: at('pod-delete'), look: ['kind', 'metadata.name', 'metadata.deletionGracePeriodSeconds'] },
      { method: 'GET', path: at('pod-delete') },
    ],
  },
  {
    id: 'pod-delete-bound',
    steps: [
      pod('pod-delete-bound', { nodeName: 'no-such-node' }),
      { method: 'DELETE', path: at('pod-delete-bound'), look: ['metadata.deletionGracePeriodSeconds', 'metadata.generation'] },
      { method: 'GET', path: at('pod-delete-bound'), look: ['metadata.deletionGracePeriodSeconds'] },
      { method: 'DELETE', path: `${at('pod-delete-bound')}?gracePeriodSeconds=5`, look: ['metadata.deletionGracePeriodSeconds'] },
    ],
  },
  {
    id: 'pod-delete-force',
    steps: [
      pod('pod-delete-force', { nodeName: 'no-such-node' }),
      { method: 'DELETE', path: `${at('pod-delete-force')}?gracePeriodSeconds=0`, look: ['metadata.name'] },
      { method: 'GET', path: at('pod-delete-force') },
    ],
  },
  {
    id: 'pod-delete-finalizer',
    steps: [
      pod('pod-delete-finalizer', { schedulerName: 'nobody' }, { finalizers: ['example.com/keep'] }),
      { method: 'DELETE', path: at('pod-delete-finalizer'), look: ['metadata.finalizers', 'metadata.deletionGracePeriodSeconds'] },
      merge('pod-delete-finalizer', { metadata: { finalizers: ['example.com/keep', 'example.com/more'] } }),
      merge('pod-delete-finalizer', { metadata: { finalizers: null } }),
      { method: 'GET', path: at('pod-delete-finalizer') },
    ],
  },
  {
    id: 'pod-delete-wrong-uid',
    steps: [
      pod('pod-delete-wrong-uid'),
      { method: 'DELETE', path: at('pod-delete-wrong-uid'), body: { preconditions: { uid: 'another' } } },
    ],
  },
  {
    id: 'pod-delete-wrong-version',
    steps: [
      pod('pod-delete-wrong-version', { schedulerName: 'nobody' }),
      { method: 'DELETE', path: at('pod-delete-wrong-version'), body: { preconditions: { resourceVersion: '1' } } },
    ],
  },
  {
    id: 'pod-delete-dry',
    steps: [
      pod('pod-delete-dry', { schedulerName: 'nobody' }),
      { method: 'DELETE', path: `${at('pod-delete-dry')}?dryRun=All`, look: ['metadata.name'] },
      { method: 'GET', path: at('pod-delete-dry'), look: ['metadata.deletionTimestamp'] },
    ],
  },
  {
    id: 'pod-delete-bad-policy',
    steps: [pod('pod-delete-bad-policy'), { method: 'DELETE', path: `${at('pod-delete-bad-policy')}?propagationPolicy=Later` }],
  },
  {
    id: 'pod-create-dry',
    steps: [
      { ...pod('pod-create-dry'), path: `${PODS}?dryRun=All`, look: ['metadata.name', 'status.phase'] },
      { method: 'GET', path: at('pod-create-dry') },
    ],
  },
  { id: 'pod-create-bad-dry', steps: [{ ...pod('pod-create-bad-dry'), path: `${PODS}?dryRun=Some` }] },
  { id: 'pod-no-name', steps: [{ method: 'POST', path: PODS, body: { spec: { containers: [CONTAINER] } } }] },
  {
    id: 'pod-missing',
    steps: [{ method: 'GET', path: at('pod-missing') }, { method: 'DELETE', path: at('pod-missing') }, merge('pod-missing', {})],
  },
  {
    id: 'pod-put-missing',
    steps: [
      { method: 'PUT', path: at('pod-put-missing'), body: { metadata: { name: 'pod-put-missing' }, spec: { containers: [CONTAINER] } } },
    ],
  },
  {
    id: 'pod-put-other-name',
    steps: [
      pod('pod-put-other-name'),
      { method: 'PUT', path: at('pod-put-other-name'), body: { metadata: { name: 'other' }, spec: { containers: [CONTAINER] } } },
    ],
  },
  {
    id: 'pod-no-namespace',
    steps: [
      {
        method: 'POST',
        path: '/api/v1/namespaces/no-such-namespace/pods',
        body: { metadata: { name: 'pod-no-namespace' }, spec: { containers: [CONTAINER] } },
      },
    ],
  },
  {
    id: 'pod-wrong-kind',
    steps: [{ method: 'POST', path: PODS, body: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'pod-wrong-kind' } } }],
  },
  {
    id: 'pod-wrong-version',
    steps: [{ method: 'POST', path: PODS, body: { apiVersion: 'v2', kind: 'Pod', metadata: { name: 'pod-wrong-version' } } }],
  },
  { id: 'pod-not-json', steps: [{ method: 'POST', path: PODS, body: '{' }] },
  { id: 'pod-unknown-kind', steps: [{ method: 'POST', path: PODS, body: { apiVersion: 'v1', kind: 'Gizmo' } }] },
  { id: 'pod-other-group', steps: [{ method: 'POST', path: PODS, body: { apiVersion: 'apps/v1', kind: 'Pod' } }] },
  { id: 'pod-null-sent', steps: [{ method: 'POST', path: PODS, body: null }] },
  { id: 'pod-text-sent', steps: [{ method: 'POST', path: PODS, body: '"pod"' }] },
  { id: 'pod-nothing-sent', steps: [{ method: 'POST', path: PODS }] },
  { id: 'pod-list-sent', steps: [{ method: 'POST', path: PODS, body: [1] }] },
  { id: 'pod-kind-number', steps: [{ method: 'POST', path: PODS, body: { kind: 5 } }] },
  ...Object.entries(UNREADABLE).map(([id, body]): ApiCase => ({ id, steps: [{ method: 'POST', path: PODS, body }] })),
  {
    id: 'pod-wrong-type',
    steps: [{ method: 'POST', path: PODS, body: { metadata: { name: 'pod-wrong-type' }, spec: { containers: 'none' } } }],
  },
];

export const POD_CASES: readonly ApiCase[] = [
  ...Object.entries({ ...SPREADS, ...AFFINITIES, ...TOLERATIONS, ...CONTAINERS, ...OTHERS }).map(([id, one]) => created(id, one)),
  ...STORIES,
];
