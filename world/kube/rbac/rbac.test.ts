import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { withServer } from '../testing/api-server.ts';
import { authorize } from './evaluator.ts';
import type { Binding, PolicyRule, Role } from './rules.ts';
import type { Attributes } from '../../../model/denial.ts';

const ACCOUNT = { namespace: 'kube-system', name: 'app' };
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const NODES = '/api/v1/nodes';
const ADMIN = { principal: 'scenario' } as const;

const role = { metadata: { name: 'nodes' }, rules: [{ verbs: ['list'], apiGroups: [''], resources: ['nodes'] }] };
const binding = {
  metadata: { name: 'nodes' },
  subjects: [{ kind: 'ServiceAccount', ...ACCOUNT }],
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'nodes' },
};

test('the target has the rights of its service account, and the world all', async () => {
  await withServer(
    async ({ call }) => {
      const denied = await call('GET', NODES);
      expect(denied).toMatchObject({ status: 403, effect: { kind: 'rejected', code: 'Forbidden' } });
      expect(denied.body).toMatchObject({
        message:
          'nodes is forbidden: User "system:serviceaccount:kube-system:app" cannot list resource "nodes" in API group "" at the cluster scope',
        details: { kind: 'nodes' },
      });
      expect((await call('GET', NODES, undefined, ADMIN)).status).toBe(200);
      await call('POST', `${RBAC}/clusterroles`, role, ADMIN);
      await call('POST', `${RBAC}/clusterrolebindings`, binding, ADMIN);
      expect((await call('GET', NODES)).status).toBe(200);
      expect((await call('GET', `${NODES}/one`)).status).toBe(403);
      await call('DELETE', `${RBAC}/clusterroles/nodes`, undefined, ADMIN);
      const without = await call('GET', NODES);
      expect(without.body.message).toContain('RBAC: clusterrole.rbac.authorization.k8s.io "nodes" not found');
    },
    1,
    ACCOUNT,
  );
});

test('without a target account, everybody may do everything, and there are no default roles', async () => {
  await withServer(async ({ call }) => {
    expect((await call('GET', NODES)).status).toBe(200);
    expect((await call('GET', `${RBAC}/clusterroles`)).body.items).toEqual([]);
  });
});

test('a token says who asks, until it expires or its account is deleted', async () => {
  await withServer(
    async ({ call, clock }) => {
      const accounts = '/api/v1/namespaces/default/serviceaccounts';
      await call('POST', accounts, { metadata: { name: 'other' } }, ADMIN);
      const { body } = await call('POST', `${accounts}/other/token`, {}, ADMIN);
      const { token } = body.status as { readonly token: string };
      const headers = { authorization: `Bearer ${token}` };
      const asOther = (): ReturnType<typeof call> => call('GET', NODES, undefined, { ...ADMIN, headers });
      expect((await asOther()).body.message).toContain('User "system:serviceaccount:default:other" cannot list');
      expect((await call('GET', NODES, undefined, { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
      await clock.sleep(3_600_000);
      expect((await asOther()).status).toBe(401);
    },
    1,
    ACCOUNT,
  );
});

test('only who may impersonate can', async () => {
  await withServer(
    async ({ call }) => {
      const headers = { 'impersonate-user': 'jane' };
      const denied = await call('GET', NODES, undefined, { headers });
      expect(denied.body.message).toBe(
        'users "jane" is forbidden: User "system:serviceaccount:kube-system:app" cannot impersonate resource "users" in API group "" at the cluster scope',
      );
      expect((await call('GET', NODES, undefined, { ...ADMIN, headers })).body.message).toContain('User "jane" cannot list');
    },
    1,
    ACCOUNT,
  );
});

test('roles are aggregated to others, also in several steps', async () => {
  await withServer(
    async ({ call, clock }) => {
      const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };
      await call('POST', `${RBAC}/clusterroles`, { ...role, metadata: { name: 'nodes', labels } }, ADMIN);
      await clock.sleep(100);
      for (const name of ['view', 'edit', 'admin']) {
        expect((await call('GET', `${RBAC}/clusterroles/${name}`, undefined, ADMIN)).body['rules']).toContainEqual(role.rules[0]);
      }
    },
    1,
    ACCOUNT,
  );
});

const some = <T>(values: readonly T[]): fc.Arbitrary<T[]> => fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 2 });
const rules: fc.Arbitrary<PolicyRule> = fc.oneof(
  fc.record({
    verbs: some(['get', 'list', '*']),
    apiGroups: some(['', 'apps', '*']),
    resources: some(['pods', 'pods/status', '*/status', 'deployments', '*']),
    resourceNames: fc.oneof(fc.constant([]), some(['a', 'b'])),
  }),
  fc.record({ verbs: some(['get', '*']), nonResourceURLs: some(['/metrics', '/debug/*', '*']) }),
);
const REQUESTS: readonly Attributes[] = [
  ...['get', 'list', 'delete'].flatMap((verb) =>
    ['', 'apps'].flatMap((group) =>
      ['pods', 'deployments'].flatMap((resource) =>
        ['', 'status'].flatMap((subresource) =>
          ['', 'a', 'c'].map(
            (name) => ({ kind: 'resource', verb, group, version: 'v1', resource, subresource, namespace: '', name }) as const,
          ),
        ),
      ),
    ),
  ),
  ...['get', 'post'].flatMap((verb) => ['/metrics', '/debug/x', '/debug'].map((path) => ({ kind: 'path', verb, path }) as const)),
];

function isAllowed(all: readonly PolicyRule[], request: Attributes): boolean {
  const named: Role = { metadata: { name: 'r' }, rules: all };
  const bound: Binding = { metadata: { name: 'b' }, subjects: [{ kind: 'User', name: 'u' }], roleRef: { kind: 'ClusterRole', name: 'r' } };
  const policy = { clusterRoleBindings: () => [bound], roleBindings: () => [], clusterRole: () => named, role: () => undefined };
  return authorize(policy, { name: 'u', groups: [] }, request).allowed;
}

/** Everything that a rule names, with each `*` written out. */
function enumerated({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule): Set<string> {
  const spell = (values: readonly string[], all: readonly string[]): readonly string[] => (values.includes('*') ? all : values);
  const kinds = ['pods', 'deployments'];
  const everyKind = kinds.flatMap((kind) => [kind, `${kind}/status`]);
  const named = resources.includes('*')
    ? everyKind
    : resources.flatMap((one) => (one === '*/status' ? kinds.map((kind) => `${kind}/status`) : [one]));
  const urls = nonResourceURLs.flatMap((url) =>
    url === '*' ? ['/metrics', '/debug/x', '/debug'] : url === '/debug/*' ? ['/debug/x'] : [url],
  );
  const found = new Set<string>();
  for (const verb of spell(verbs, ['get', 'list', 'delete', 'post'])) {
    for (const url of urls) found.add(`${verb} ${url}`);
    for (const group of spell(apiGroups, ['', 'apps']))
      for (const resource of named)
        for (const name of resourceNames.length === 0 ? ['', 'a', 'b', 'c'] : resourceNames)
          found.add(`${verb} ${group}:${resource}:${name}`);
  }
  return found;
}

function keyOf(request: Attributes): string {
  if (request.kind === 'path') return `${request.verb} ${request.path}`;
  const { verb, group, resource, subresource, name } = request;
  return `${verb} ${group}:${resource}${subresource === '' ? '' : `/${subresource}`}:${name}`;
}

test('what is allowed is what the rules name, and more rules never allow less', () => {
  fc.assert(
    fc.property(fc.array(rules, { maxLength: 3 }), rules, (some, more) => {
      const named = new Set(some.flatMap((rule) => [...enumerated(rule)]));
      for (const request of REQUESTS) {
        const allowed = isAllowed(some, request);
        expect(allowed).toBe(named.has(keyOf(request)));
        if (allowed) expect(isAllowed([...some, more], request)).toBe(true);
      }
    }),
    { numRuns: 200 },
  );
});
