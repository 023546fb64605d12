import { expect, test } from '@playwright/test';
import { withServer } from './testing/api-server.ts';

const ACCESS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const TOKENS = '/apis/authentication.k8s.io/v1/tokenreviews';
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';

test('a review of access is answered, not stored, and checked', async () => {
  await withServer(async ({ call }) => {
    const spec = { resourceAttributes: { verb: 'create', group: 'karpenter.sh', resource: 'nodeclaims' } };
    const answer = await call('POST', ACCESS, { spec });
    expect(answer).toMatchObject({ status: 201, effect: { kind: 'none' }, body: { spec, status: { allowed: true } } });
    expect((await call('GET', ACCESS)).status).toBe(405);
    for (const wrong of [{}, { ...spec, nonResourceAttributes: { path: '/', verb: 'get' } }]) {
      expect((await call('POST', ACCESS, { spec: wrong })).status).toBe(422);
    }
    const local = await call('POST', '/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews', {
      spec: { user: 'jane', resourceAttributes: { ...spec.resourceAttributes, namespace: 'default' } },
    });
    expect(local.body.status).toEqual({ allowed: true });
    const rules = await call('POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', { spec: { namespace: 'default' } });
    expect(rules.body.status).toMatchObject({ resourceRules: [{ verbs: ['*'] }] });
    const self = await call('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
    expect(self.body.status).toMatchObject({ userInfo: { groups: ['system:masters', 'system:authenticated'] } });
  });
});

test('a token of a service account is known until it expires; other tokens are not', async () => {
  await withServer(async ({ call, clock }) => {
    expect((await call('POST', `${ACCOUNTS}/app/token`, {})).status).toBe(404);
    await call('POST', ACCOUNTS, { metadata: { name: 'app' } });
    const { status, body } = await call('POST', `${ACCOUNTS}/app/token`, { spec: { expirationSeconds: 600 } });
    expect(status).toBe(201);
    const { token, expirationTimestamp } = body.status as { token: string; expirationTimestamp: string };
    expect(Date.parse(expirationTimestamp) - clock.nowMs()).toBe(600_000);
    const review = async (one: string): Promise<unknown> => (await call('POST', TOKENS, { spec: { token: one } })).body.status;
    const user = { username: 'system:serviceaccount:default:app', uid: expect.any(String) as unknown };
    const extra = { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=/)] };
    expect(await review(token)).toMatchObject({ authenticated: true, user: { ...user, extra } });
    expect(await review('x.y.z')).toEqual({ user: {}, error: 'invalid bearer token' });
    await clock.sleep(600_000);
    expect(await review(token)).toEqual({ user: {}, error: '[invalid bearer token, service account token has expired]' });
    expect((await call('POST', `${ACCOUNTS}/app/token`, { spec: { expirationSeconds: 60 } })).status).toBe(422);
  });
});
