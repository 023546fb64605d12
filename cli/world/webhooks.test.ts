import { expect, test } from '@playwright/test';
import { CA_BUNDLE, serveWebhooks } from '../../world/kube/testing/webhook-server.ts';
import { withRunningWorld } from './testing/running-world.ts';

test('with --service, a webhook of a service is called where its program listens', async ({}, testInfo) => {
  const webhook = await serveWebhooks(() => ({ allowed: false, status: { message: 'not today' } }));
  try {
    await withRunningWorld(
      testInfo,
      async ({ target, operator }) => {
        const post = (environment: typeof target, path: string, body: object): Promise<Response> =>
          fetch(`${environment['CLUSTER_ENDPOINT']}${path}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body),
          });
        const service = { namespace: 'default', name: 'hook', path: '/check' };
        // The world itself creates ConfigMaps, sooner or later.
        const hook = {
          name: 'check.example.com',
          clientConfig: { service, caBundle: CA_BUNDLE },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets'] }],
        };
        const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
        expect((await post(operator, configurations, { metadata: { name: 'hook' }, webhooks: [hook] })).status).toBe(201);
        const refused = await post(target, '/api/v1/namespaces/default/secrets', { metadata: { name: 'a' } });
        expect(await refused.json()).toMatchObject({
          code: 400,
          message: 'admission webhook "check.example.com" denied the request: not today',
        });
        expect(webhook.requests.map(({ path }) => path)).toEqual(['/check?timeout=10s']);
      },
      ['--service', `default/hook=${webhook.address}`],
    );
  } finally {
    await webhook.close();
  }
});
