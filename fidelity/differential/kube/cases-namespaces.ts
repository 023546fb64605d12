import type { ApiCase, Step } from './case.ts';
import { deployment, newNamespace, patch, post, remove, within } from './policy-case.ts';

/* Namespaces in objects, beside those of their requests. */

const CLASSES = '/apis/scheduling.k8s.io/v1/priorityclasses';
const MAPS = '/api/v1/namespaces/OWN/configmaps';
const LOOK = ['metadata.namespace', 'metadata.name', 'metadata.labels'];
const namespace = 'kube-system';
const FINALIZE = '/api/v1/namespaces/namespace-finalize/finalize';
const FINALIZERS = ['spec', 'status.phase', 'metadata.labels', 'metadata.finalizers'];
const EVICTION = '/api/v1/namespaces/OWN/pods/none/eviction';
const BINDING = '/api/v1/namespaces/OWN/pods/none/binding';
const TOKEN = '/api/v1/namespaces/OWN/serviceaccounts/mine/token';

const look = (step: Step): Step => ({ ...step, look: LOOK, warnings: true });
const put = (path: string, body: unknown): Step => look({ method: 'PUT', path, body });
const merge = (path: string, body: unknown): Step => look(patch(path, body));
const apply = (path: string, body: object): Step =>
  look(patch(`${path}?fieldManager=cases`, body, { contentType: 'application/apply-patch+yaml' }));
const priority = (name: string, more: object = { namespace }): object => {
  return { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name, ...more }, value: 1 };
};
const get = (path: string): Step => ({ method: 'GET', path });
const finalize = (spec: object, more: Readonly<Record<string, unknown>> = {}): Step => {
  const { name = 'namespace-finalize' } = more;
  return {
    method: 'PUT',
    path: name === 'namespace-final' ? FINALIZE.replace('-finalize/', '-final/') : FINALIZE,
    body: { metadata: { name, ...more }, spec },
    look: FINALIZERS,
  };
};
const map = (more: object): object => ({ apiVersion: 'v1', kind: 'ConfigMap', ...more });

export const NAMESPACE_CASES: readonly ApiCase[] = [
  {
    id: 'namespace-of-cluster-scoped',
    steps: [
      look(post(CLASSES, priority('namespace-posted'))),
      put(`${CLASSES}/namespace-posted`, priority('namespace-posted')),
      put(`${CLASSES}/namespace-posted`, priority('namespace-posted', { namespace, labels: { a: 'b' } })),
      merge(`${CLASSES}/namespace-posted`, { metadata: { namespace } }),
      merge(`${CLASSES}/namespace-posted`, { metadata: { namespace, labels: { a: 'c' } } }),
      look(
        patch(`${CLASSES}/namespace-posted`, [{ op: 'add', path: '/metadata/namespace', value: namespace }], {
          contentType: 'application/json-patch+json',
        }),
      ),
      apply(`${CLASSES}/namespace-posted`, priority('namespace-posted')),
      apply(`${CLASSES}/namespace-applied`, priority('namespace-applied')),
      apply(`${CLASSES}/namespace-applied`, priority('namespace-applied', { namespace, labels: { a: 'b' } })),
      look(post('/api/v1/namespaces', { metadata: { name: 'namespace-within', namespace } })),
      look(post('/api/v1/namespaces', { metadata: { name: 'namespace-same', namespace: 'namespace-same' } })),
      put('/api/v1/namespaces/namespace-same', { metadata: { name: 'namespace-same', namespace } }),
      put('/api/v1/namespaces/namespace-same/status', { metadata: { name: 'namespace-same', namespace } }),
      look(post('/api/v1/nodes', { metadata: { name: 'namespace-node', namespace } })),
      put('/api/v1/nodes/namespace-node/status', { metadata: { name: 'namespace-node', namespace } }),
      ...['namespace-posted', 'namespace-applied'].map((name) => remove(`${CLASSES}/${name}`)),
      remove('/api/v1/nodes/namespace-node'),
    ],
  },
  {
    id: 'namespace-of-namespaced',
    steps: [
      ...newNamespace('namespace-of-namespaced'),
      ...[
        look(post(MAPS, map({ metadata: { name: 'a', namespace } }))),
        look(post(MAPS, map({ metadata: { name: 'a', namespace: '' } }))),
        look(post('/api/v1/configmaps', map({ metadata: { name: 'b', namespace } }))),
        look(post('/api/v1/configmaps', map({ metadata: { name: 'b' } }))),
        put(`${MAPS}/a`, map({ metadata: { name: 'a', namespace } })),
        put(`${MAPS}/a`, map({ metadata: { name: 'a', namespace: '' } })),
        merge(`${MAPS}/a`, { metadata: { namespace } }),
        merge(`${MAPS}/a`, { metadata: { namespace: null } }),
        apply(`${MAPS}/a`, map({ metadata: { name: 'a', namespace } })),
        apply(`${MAPS}/c`, map({ metadata: { name: 'c', namespace } })),
        apply(`${MAPS}/c`, map({ metadata: { name: 'c' } })),
        deployment('web', 0),
        put('/apis/apps/v1/namespaces/OWN/deployments/web/scale', { metadata: { name: 'web', namespace: '' }, spec: { replicas: 0 } }),
        look(post('/api/v1/namespaces/OWN/pods/none/eviction', { metadata: { name: 'none', namespace } })),
        look(post('/api/v1/namespaces/OWN/pods/none/binding', { metadata: { name: 'none', namespace }, target: { name: 'n' } })),
        look(post('/api/v1/namespaces/OWN/serviceaccounts/mine/token', { metadata: { name: 'mine', namespace }, spec: {} })),
      ].map(within('namespace-of-namespaced')),
    ],
  },
  {
    id: 'namespace-finalize',
    steps: [
      post(
        '/api/v1/namespaces',
        { metadata: { name: 'namespace-finalize' }, spec: { finalizers: ['kubernetes', 'example.com/mine'] } },
        FINALIZERS,
      ),
      finalize({ finalizers: ['example.com/mine', 'example.com/other'] }),
      finalize({ finalizers: ['Not a name'] }),
      finalize({ finalizers: ['example.com/mine'] }, { labels: { a: 'b' } }),
      finalize({ finalizers: ['example.com/mine'] }, { name: 'other' }),
      finalize({ finalizers: ['example.com/mine'] }, { resourceVersion: '1' }),
      finalize({ finalizers: ['example.com/mine'] }, { finalizers: ['example.com/meta'] }),
      { ...finalize({ finalizers: [] }), path: '/api/v1/namespaces/namespace-missing/finalize' },
      get(FINALIZE),
      post(FINALIZE, {}),
      remove(FINALIZE),
      patch(FINALIZE, { spec: { finalizers: [] } }),
      { ...remove('/api/v1/namespaces/namespace-finalize'), look: FINALIZERS },
      finalize({ finalizers: ['example.com/mine'] }, { finalizers: ['example.com/meta'] }),
      finalize({ finalizers: [] }),
      { ...get('/api/v1/namespaces/namespace-finalize'), until: 404 },
      post('/api/v1/namespaces', { metadata: { name: 'namespace-final' } }),
      finalize({}, { name: 'namespace-final' }),
      { ...remove('/api/v1/namespaces/namespace-final'), look: FINALIZERS },
      get('/api/v1/namespaces/namespace-final'),
      remove('/api/v1/namespaces/namespace-final'),
      { ...get('/api/v1/namespaces/namespace-final'), until: 404 },
    ],
  },
  {
    id: 'namespace-collection',
    steps: [remove('/api/v1/namespaces'), remove('/api/v1/namespaces?labelSelector=no=such')],
  },
  {
    id: 'namespace-of-action',
    steps: [
      ...newNamespace('namespace-of-action'),
      ...[
        post(EVICTION, { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'none', namespace } }),
        post(EVICTION, { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'none' } }),
        post(EVICTION, { kind: 'Eviction', apiVersion: 'policy/v2', metadata: { name: 'none', namespace } }),
        post(EVICTION, { kind: 'Eviction', apiVersion: 'policy/v1beta1', metadata: { name: 'none' } }),
        post(EVICTION, { metadata: { name: 'none', namespace: null } }),
        post(EVICTION, { metadata: { name: 'none', namespace: 1 } }),
        post(EVICTION, { metadata: null }),
        post(EVICTION, { metadata: { name: 'other', namespace } }),
        post(EVICTION, { metadata: { name: 'other' } }),
        post(EVICTION, { metadata: { name: 'none' }, deleteOptions: { gracePeriodSeconds: 'x' } }),
        post(EVICTION, { metadata: { name: 'none' }, deleteOptions: null }),
        post(EVICTION, {}),
        post(EVICTION, '[]'),
        { ...post(EVICTION, { metadata: { name: 'none' }, other: 1 }), warnings: true },
        post(`${EVICTION}?fieldValidation=Strict`, { metadata: { name: 'none' }, other: 1 }),
        post(BINDING, { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'none', namespace } }),
        post(BINDING, { metadata: { name: 'none', namespace: null }, target: { name: 'n' } }),
        post(BINDING, { metadata: { name: 'none' }, target: { name: 1 } }),
        post(BINDING, { metadata: { name: 'other' }, target: { name: 'n' } }),
        post(BINDING, { target: { name: 'n' } }),
        post(TOKEN, { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'mine', namespace } }),
        post(TOKEN, { metadata: { name: 'mine', namespace: null }, spec: {} }),
        post(TOKEN, { metadata: { name: 'other' }, spec: {} }),
        post(TOKEN, { spec: { audiences: 'x' } }),
      ].map(within('namespace-of-action')),
    ],
  },
];
