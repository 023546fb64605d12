import { defined } from '../../../model/defined.ts';
import type { ApiCase, Step } from './case.ts';

/* What roles allow. Each case has a namespace and users of its own; requests are sent by an administrator, who impersonates them. */

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const REVIEWS = '/apis/authorization.k8s.io/v1';
const GROUP = 'rbac.authorization.k8s.io';
const APPLY = 'application/apply-patch+yaml';

type Rule = Readonly<Partial<Record<'verbs' | 'apiGroups' | 'resources' | 'resourceNames' | 'nonResourceURLs', readonly string[]>>>;

const post = (path: string, body: unknown, look: readonly string[] = []): Step => ({ method: 'POST', path, body, look });
const get = (path: string, look: readonly string[] = []): Step => ({ method: 'GET', path, look });

const rule = (verbs: string, resources: string, apiGroup = '', more: Rule = {}): Rule => ({
  verbs: verbs.split(','),
  apiGroups: [apiGroup],
  resources: resources.split(','),
  ...more,
});

/** `User jane`, `ServiceAccount NAMESPACE app` */
function subjectOf(text: string): object {
  const [kind = '', first = '', second] = text.split(' ');
  if (kind !== 'ServiceAccount') return { kind, name: first, apiGroup: GROUP };
  return second === undefined ? { kind, name: first } : { kind, name: second, namespace: first };
}

const role = (id: string, name: string, rules: readonly Rule[]): Step =>
  post(`${RBAC}/namespaces/${id}/roles`, { metadata: { name }, rules });
const clusterRole = (name: string, rules: readonly Rule[], more: object = {}): Step =>
  post(`${RBAC}/clusterroles`, { metadata: { name }, rules, ...more });
const bind = (id: string, name: string, subjects: readonly string[], roleRef = `Role ${name}`): Step => {
  const [kind, of] = roleRef.split(' ');
  return post(`${RBAC}/namespaces/${id}/rolebindings`, {
    metadata: { name },
    subjects: subjects.map(subjectOf),
    roleRef: { apiGroup: GROUP, kind, name: of },
  });
};
const clusterBind = (name: string, subjects: readonly string[], of = name): Step =>
  post(`${RBAC}/clusterrolebindings`, {
    metadata: { name },
    subjects: subjects.map(subjectOf),
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: of },
  });

/** The steps, sent as a user. */
function as(user: string, steps: readonly Step[], groups?: string): Step[] {
  return steps.map((step) => ({
    ...step,
    headers: { 'impersonate-user': user, ...defined({ 'impersonate-group': groups }) },
  }));
}

/** Repeated until it is allowed: the server knows new roles a moment later, in the order of their creation. */
const once = (step: Step): Step => ({ ...step, patient: [403] });

function accessCase(id: string, steps: (id: string, user: string, core: string) => readonly Step[]): ApiCase {
  const core = `/api/v1/namespaces/${id}`;
  return { id, steps: [post('/api/v1/namespaces', { metadata: { name: id } }), ...steps(id, `${id}-user`, core)] };
}

const configMap = (name: string): object => ({ metadata: { name } });

export const ACCESS_CASES: readonly ApiCase[] = [
  accessCase('access-nothing', (_id, user, core) =>
    as(user, [
      get('/api/v1/pods'),
      get('/api/v1/pods?watch=true'),
      get(`${core}/pods`),
      get(`${core}/pods/web`),
      get(`${core}/pods/web/log`),
      get(core),
      get('/api/v1/namespaces'),
      get('/api/v1/nodes/n1'),
      post(`${core}/pods`, configMap('web')),
      post(`${core}/pods/web/eviction`, { metadata: { name: 'web' } }),
      { method: 'PUT', path: `${core}/pods/web/status`, body: configMap('web') },
      { method: 'DELETE', path: `${core}/pods` },
      { method: 'DELETE', path: `${core}/pods/web` },
      { method: 'PATCH', path: `${core}/pods/web`, contentType: 'application/merge-patch+json', body: {} },
      get('/apis/no.such.group/v1/things'),
      get('/apis/karpenter.sh/v1/nodeclaims/a%3Cb'),
      get(`/apis/no.such.group/v1/namespaces/x/things/one?a=b`),
      get('/api/v1/pods?fieldSelector=metadata.name%3Dweb'),
      get('/api/v1/watch/pods'),
    ]),
  ),
  accessCase('access-service-account', (id, _user, core) =>
    as(`system:serviceaccount:${id}:app`, [get(`${core}/pods`), get('/apis/karpenter.sh/v1/nodeclaims')]),
  ),
  accessCase('access-paths', (id, user) => [
    ...as(user, [get('/metrics'), get('/nothing/here?x=y'), post('/version', {}), get('/livez/ping')]),
    ...as(user, [get('/api'), get('/apis/apps'), get('/apis/apps/v1'), get('/version'), get('/healthz'), get('/openapi/v3')]),
    ...as('system:anonymous', [get('/version'), get('/api'), get('/api/v1/pods')]),
    clusterRole(id, [{ verbs: ['get'], nonResourceURLs: ['/metrics', '/debug/*'] }]),
    clusterBind(id, [`User ${user}`]),
    ...as(user, [once(get('/debug/nothing')), get('/debug'), post('/metrics', {})]),
  ]),
  accessCase('access-role', (id, user, core) => [
    role(id, id, [rule('get,list', 'configmaps'), rule('create', 'pods/eviction'), rule('patch', '*/status', '*')]),
    bind(id, id, [`User ${user}`]),
    ...as(user, [
      once(get(`${core}/configmaps/none`)),
      get(`${core}/configmaps`, ['kind']),
      get(`${core}/configmaps?watch=1&timeoutSeconds=1`),
      get('/api/v1/configmaps'),
      get('/api/v1/namespaces/default/configmaps'),
      post(`${core}/pods/none/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'none' } }),
      post(`${core}/pods/none/binding`, {}),
      { method: 'PATCH', path: `${core}/pods/none/status`, contentType: 'application/merge-patch+json', body: {} },
      { method: 'PATCH', path: `${core}/pods/none`, contentType: 'application/merge-patch+json', body: {} },
    ]),
  ]),
  accessCase('access-names', (id, user, core) => [
    post(`${core}/configmaps`, configMap('mine')),
    role(id, id, [rule('get,list,delete,create', 'configmaps', '', { resourceNames: ['mine'] })]),
    bind(id, id, [`User ${user}`]),
    ...as(user, [
      once(get(`${core}/configmaps/mine`, ['metadata.name'])),
      get(`${core}/configmaps/other`),
      get(`${core}/configmaps`),
      get(`${core}/configmaps?fieldSelector=metadata.name%3Dmine`, ['items.#']),
      get(`${core}/configmaps?fieldSelector=metadata.name%3D%3Dmine`, ['items.#']),
      get(`${core}/configmaps?fieldSelector=metadata.name%3Dmine,metadata.namespace%3D${id}`, ['items.#']),
      get(`${core}/configmaps?fieldSelector=metadata.name%21%3Dmine`),
      post(`${core}/configmaps`, configMap('mine')),
      { method: 'DELETE', path: `${core}/configmaps/mine`, look: ['status'] },
    ]),
  ]),
  accessCase('access-missing-role', (id, user, core) => [
    clusterBind(`${id}-broken`, [`User ${user}`], `${id}-none`),
    clusterRole(id, [rule('list', 'nodes')]),
    clusterBind(id, [`User ${id}-known`]),
    ...as(`${id}-known`, [once(get('/api/v1/nodes?limit=1', ['kind']))]),
    ...as(user, [get('/api/v1/nodes'), get('/metrics')]),
    bind(id, 'broken', [`Group ${id}-group`], 'Role absent'),
    role(id, id, [rule('list', 'pods')]),
    bind(id, 'working', [`User ${id}-known`], `Role ${id}`),
    ...as(`${id}-known`, [once(get(`${core}/pods`, ['kind']))]),
    ...as(`${id}-other`, [get(`${core}/pods`), get('/api/v1/pods')], `${id}-group`),
  ]),
  accessCase('access-subjects', (id, _user, core) => [
    role(id, id, [rule('list', 'configmaps')]),
    bind(id, id, [`Group ${id}-group`, 'ServiceAccount app', `ServiceAccount default ${id}`]),
    ...as(`${id}-member`, [once(get(`${core}/configmaps`, ['kind']))], `${id}-group`),
    ...as(`system:serviceaccount:${id}:app`, [get(`${core}/configmaps`, ['kind'])]),
    ...as(`system:serviceaccount:default:${id}`, [get(`${core}/configmaps`, ['kind'])]),
    ...as('system:serviceaccount:default:app', [get(`${core}/configmaps`)]),
    ...as(`${id}-group`, [get(`${core}/configmaps`)]),
  ]),
  accessCase('access-all-accounts', (id, _user, core) => [
    clusterRole(id, [rule('list', 'configmaps')]),
    bind(id, id, [`Group system:serviceaccounts:${id}`], `ClusterRole ${id}`),
    ...as(`system:serviceaccount:${id}:app`, [once(get(`${core}/configmaps`, ['kind'])), get('/api/v1/configmaps')]),
    ...as('system:serviceaccount:default:app', [get(`${core}/configmaps`)]),
  ]),
  accessCase('access-aggregated', (id, user) => [
    clusterRole(`${id}-part`, [rule('list', 'nodes')], { metadata: { name: `${id}-part`, labels: { [id]: 'yes' } } }),
    clusterRole(id, [], { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [id]: 'yes' } }] } }),
    clusterBind(id, [`User ${user}`]),
    ...as(user, [once(get('/api/v1/nodes?limit=1', ['kind'])), get('/api/v1/persistentvolumes')]),
    get(`${RBAC}/clusterroles/${id}`, ['rules']),
  ]),
  accessCase('access-default-roles', (id, user, core) => [
    bind(id, 'viewer', [`User ${user}`], 'ClusterRole view'),
    bind(id, 'editor', [`User ${id}-editor`], 'ClusterRole edit'),
    ...as(user, [once(get(`${core}/pods`, ['kind'])), get(`${core}/secrets`), post(`${core}/pods`, configMap('web'))]),
    ...as(`${id}-editor`, [once(get(`${core}/secrets`, ['kind'])), get(`${RBAC}/namespaces/${id}/roles`), get('/api/v1/nodes')]),
    get(`${RBAC}/clusterroles/system:basic-user`, ['rules', 'metadata.labels']),
    get(`${RBAC}/clusterroles/admin`, ['rules.#', 'rules.0', 'aggregationRule']),
    get(`${RBAC}/clusterrolebindings/system:discovery`, ['subjects', 'roleRef']),
  ]),
  accessCase('access-creation', (id, user, core) => [
    role(id, id, [rule('get,patch,update', 'configmaps,serviceaccounts'), rule('patch,update', 'roles', GROUP)]),
    bind(id, id, [`User ${user}`]),
    ...as(user, [
      once(get(`${core}/configmaps/none`)),
      {
        method: 'PATCH',
        path: `${core}/configmaps/new?fieldManager=m`,
        contentType: APPLY,
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new' } },
      },
      { method: 'PUT', path: `${core}/configmaps/new`, body: configMap('new') },
      { method: 'PUT', path: `${RBAC}/namespaces/${id}/roles/new`, body: { metadata: { name: 'new' }, rules: [] } },
    ]),
  ]),
  accessCase('access-self-review', (id, user, core) => {
    const ask = (spec: object): Step => post(`${REVIEWS}/selfsubjectaccessreviews`, { spec }, ['status']);
    return [
      role(id, id, [rule('get', 'pods')]),
      bind(id, id, [`User ${user}`]),
      ...as(user, [once(get(`${core}/pods/none`))]),
      ...as(user, [
        ask({ resourceAttributes: { verb: 'get', resource: 'pods', namespace: id } }),
        ask({ resourceAttributes: { verb: 'get', resource: 'pods', subresource: 'log', namespace: id } }),
        ask({ resourceAttributes: { verb: 'get', resource: 'pods' } }),
        ask({ nonResourceAttributes: { verb: 'get', path: '/version' } }),
        ask({ nonResourceAttributes: { verb: 'get', path: '/metrics' } }),
        ask({}),
        ask({ resourceAttributes: {}, nonResourceAttributes: { verb: 'get', path: '/' } }),
        post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, ['status']),
      ]),
      ...as('system:anonymous', [ask({ nonResourceAttributes: { verb: 'get', path: '/version' } })]),
    ];
  }),
  accessCase('access-review', (id, user) => {
    const ask = (spec: object): Step => post(`${REVIEWS}/subjectaccessreviews`, { spec }, ['status']);
    const local = (spec: object): Step => post(`${REVIEWS}/namespaces/${id}/localsubjectaccessreviews`, { spec }, ['status']);
    const resourceAttributes = { verb: 'list', resource: 'nodes' };
    return [
      clusterRole(id, [rule('list', 'nodes')]),
      clusterBind(`${id}-broken`, [`User ${user}`], `${id}-none`),
      clusterBind(id, [`Group ${id}-group`, 'ServiceAccount kube-system access-app']),
      ...as(`${id}-member`, [once(get('/api/v1/nodes?limit=1', ['kind']))], `${id}-group`),
      ask({ resourceAttributes, user: `${id}-member`, groups: [`${id}-group`] }),
      ask({ resourceAttributes, user }),
      ask({ resourceAttributes, user: 'system:serviceaccount:kube-system:access-app' }),
      ask({ resourceAttributes, user: `${id}-nobody`, groups: ['system:masters'] }),
      ask({ resourceAttributes }),
      ask({ user }),
      local({ user, resourceAttributes: { verb: 'list', resource: 'pods', namespace: id } }),
      local({ user, resourceAttributes: { verb: 'list', resource: 'pods', namespace: 'default' } }),
      local({ user, resourceAttributes: { verb: 'list', resource: 'pods' } }),
      local({ user, nonResourceAttributes: { verb: 'get', path: '/' } }),
    ];
  }),
  accessCase('access-rules-review', (id, user, core) => {
    const ask = (namespace: string): Step =>
      post(`${REVIEWS}/selfsubjectrulesreviews`, { spec: { namespace } }, [
        'status.incomplete',
        'status.evaluationError',
        'status.resourceRules.#',
        'status.nonResourceRules.#',
      ]);
    return [
      clusterBind(`${id}-broken`, [`User ${user}`], `${id}-none`),
      clusterRole(id, [rule('list', 'nodes')]),
      clusterBind(id, [`User ${user}`]),
      role(id, id, [rule('get', 'pods', '', { resourceNames: ['a'] })]),
      bind(id, id, [`User ${user}`]),
      ...as(user, [once(get('/api/v1/nodes?limit=1', ['kind'])), once(get(`${core}/pods/a`)), ask(id), ask('default'), ask('')]),
    ];
  }),
  accessCase('access-impersonation', (_id, user, core) => [
    ...as(user, [post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, ['status.userInfo'])], 'one'),
    ...as('system:serviceaccount:kube-system:app', [post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, ['status.userInfo'])]),
    ...as(
      'system:serviceaccount:kube-system:app',
      [post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, ['status.userInfo'])],
      'two',
    ),
    ...as('system:anonymous', [get(`${core}/pods`)]),
    ...as(user, [get(`${core}/pods`, ['kind'])], 'system:masters'),
  ]),
  accessCase('access-invalid-roles', (id) => [
    role(id, 'a', [{ verbs: [], apiGroups: [''], resources: ['pods'] }]),
    role(id, 'b', [{ verbs: ['get'] }]),
    role(id, 'c', [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }]),
    clusterRole(`${id}-d`, [{ verbs: ['get'], nonResourceURLs: ['/metrics'], resources: ['pods'] }]),
    clusterRole(`${id}-e`, [], { aggregationRule: {} }),
    clusterRole(`${id}-f`, [], { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'a b': 'c' } }] } }),
    post(`${RBAC}/namespaces/${id}/roles`, { metadata: { name: 'empty' } }, ['rules']),
  ]),
  accessCase('access-invalid-bindings', (id) => {
    const path = `${RBAC}/namespaces/${id}/rolebindings`;
    const of = (name: string, roleRef: object, subjects: readonly object[] = []): Step =>
      post(path, { metadata: { name }, roleRef, subjects }, ['roleRef', 'subjects']);
    return [
      of('a', { kind: 'Role', name: 'r' }, [{ kind: 'User', name: 'u' }]),
      of('b', { kind: 'Robot', name: '' }, [{ kind: 'Robot', name: '' }]),
      of('c', { kind: 'Role', name: 'a/b' }, [{ kind: 'ServiceAccount', name: 'No', apiGroup: GROUP }]),
      of('d', { apiGroup: 'x', kind: 'Role', name: 'r' }, [{ kind: 'Group', name: 'g', apiGroup: 'x' }]),
      clusterBind(`${id}-e`, ['ServiceAccount app']),
      { method: 'PUT', path: `${path}/a`, body: { metadata: { name: 'a' }, roleRef: { kind: 'Role', name: 'other' } } },
      post(`${RBAC}/clusterrolebindings`, { metadata: { name: `${id}-f` }, roleRef: { kind: 'Role', name: 'r' } }),
    ];
  }),
];
