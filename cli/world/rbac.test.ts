import { expect, test } from '@playwright/test';
import { withRunningWorld } from './testing/running-world.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';

test('with --rbac, roles decide at the address of the target, and not at that of the operator', async ({}, testInfo) => {
  await withRunningWorld(
    testInfo,
    async ({ target, operator }) => {
      const as = (environment: typeof target, path: string, body?: object): Promise<Response> =>
        fetch(
          `${environment['CLUSTER_ENDPOINT']}${path}`,
          body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
        );
      const metadata = { name: 'leases' };
      const role = { metadata, rules: [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['list'] }] };
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'leases' };
      const subjects = [{ kind: 'ServiceAccount', name: 'karpenter', namespace: 'kube-system' }];

      expect((await as(target, LEASES)).status).toBe(403);
      expect((await as(operator, `${RBAC}/roles`, role)).status).toBe(201);
      expect((await as(operator, `${RBAC}/rolebindings`, { metadata, roleRef, subjects })).status).toBe(201);
      expect((await as(target, LEASES)).status).toBe(200);

      const denied = await as(target, `${LEASES}/one`);
      expect(denied.status).toBe(403);
      expect(await denied.json()).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message:
          'leases.coordination.k8s.io "one" is forbidden: User "system:serviceaccount:kube-system:karpenter" cannot get resource "leases" in API group "coordination.k8s.io" in the namespace "kube-system"',
        reason: 'Forbidden',
        details: { name: 'one', group: 'coordination.k8s.io', kind: 'leases' },
        code: 403,
      });
      expect((await as(target, '/api/v1/nodes')).status).toBe(403);
      expect((await as(operator, '/api/v1/nodes')).status).toBe(200);
      expect((await as(operator, `${LEASES}/one`)).status).toBe(404);
    },
    ['--rbac', 'kube-system/karpenter'],
  );
});
