import type { ApiCase, Step } from './case.ts';
import { deployment, newNamespace, patch, post, remove, within } from './policy-case.ts';

/* Namespaces in objects, beside those of their requests. */

const CLASSES = '/apis/scheduling.k8s.io/v1/priorityclasses';
const MAPS = '/api/v1/namespaces/OWN/configmaps';
const LOOK = ['metadata.namespace', 'metadata.name', 'metadata.labels'];
const namespace = 'kube-system';

const look = (step: Step): Step => ({ ...step, look: LOOK, warnings: true });
const put = (path: string, body: unknown): Step => look({ method: 'PUT', path, body });
const merge = (path: string, body: unknown): Step => look(patch(path, body));
const apply = (path: string, body: object): Step =>
  look(patch(`${path}?fieldManager=cases`, body, { contentType: 'application/apply-patch+yaml' }));
const priority = (name: string, more: object = { namespace }): object => {
  return { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name, ...more }, value: 1 };
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
];
