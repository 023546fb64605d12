import { expect, test } from '@playwright/test';
import type { Pod } from '../../model/kube.ts';
import type { ApiServer } from './api-server.ts';
import { PODS, withServer } from './testing/api-server.ts';
import { CA_BUNDLE } from './testing/webhook-server.ts';
import type { WebhookReply } from './testing/webhook-server.ts';
import { send, withWebhook } from './testing/webhooks.ts';
import type { Answer } from './testing/webhooks.ts';

/* How webhooks are reached, and what else happens meanwhile. Their answers are compared with a real server in `fidelity/differential/kube`. */

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

function configuration(name: string, clientConfig: object, more: object): object {
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE', 'DELETE'], resources: ['configmaps'] }];
  const webhook = { name: 'a.example.com', clientConfig, sideEffects: 'None', admissionReviewVersions: ['v1'], rules, ...more };
  return { metadata: { name }, webhooks: [webhook] };
}

async function configure(
  server: ApiServer,
  kind: 'validating' | 'mutating',
  clientConfig: object,
  more: object = {},
  name: string = kind,
): Promise<void> {
  const path = `${GROUP}/${kind}webhookconfigurations`;
  expect((await send(server, 'POST', path, configuration(name, clientConfig, more))).status).toBe(201);
}

test('a service is reached at its mapped address, with its own name in the certificate', async () => {
  await withWebhook(
    () => ({ allowed: false }),
    async ({ server, webhook }) => {
      const service = { namespace: 'default', name: 'hook', path: '/check' };
      await configure(server, 'validating', { service, caBundle: CA_BUNDLE }, { timeoutSeconds: 7 });
      expect((await send(server, 'POST', CONFIG_MAPS, { metadata: { name: 'a' } })).status).toBe(400);
      expect(webhook.requests.map(({ path }) => path)).toEqual(['/check?timeout=7s']);
    },
  );
});

test('a service without a program is not reached', async () => {
  await withServer(async ({ server }) => {
    const service = { namespace: 'default', name: 'hook' };
    await configure(server, 'validating', { service });
    const create = (): Promise<Answer> => send(server, 'POST', CONFIG_MAPS, { metadata: { name: 'a' } });
    const post = 'failed calling webhook "a.example.com": failed to call webhook: Post "https://hook.default.svc:443/?timeout=10s"';
    expect((await create()).message).toContain(`${post}: service "hook" not found`);
    const spec = { clusterIP: '10.100.0.9', ports: [{ port: 443 }] };
    expect((await send(server, 'POST', '/api/v1/namespaces/default/services', { metadata: { name: 'hook' }, spec })).status).toBe(201);
    expect((await create()).message).toContain(`${post}: dial tcp 10.100.0.9:443: connect: connection refused`);
  });
});

test('in virtual time nothing is reached, and the failure policy decides', async () => {
  await withServer(async ({ server }) => {
    await configure(server, 'validating', { url: 'https://127.0.0.1:9443/check' }, { failurePolicy: 'Ignore' });
    await configure(server, 'mutating', { url: 'https://webhook.example.com' }, { objectSelector: { matchLabels: { strict: 'yes' } } });
    expect((await send(server, 'POST', CONFIG_MAPS, { metadata: { name: 'a' } })).status).toBe(201);
    const strict = await send(server, 'POST', CONFIG_MAPS, { metadata: { name: 'b', labels: { strict: 'yes' } } });
    expect(strict).toMatchObject({ status: 500, effect: { kind: 'rejected', code: 'InternalError' } });
    expect(strict.message).toContain('Post "https://webhook.example.com/?timeout=10s": dial tcp: lookup webhook.example.com: no such host');
  });
});

test('addresses that do not exist are refused, or can not be called', async () => {
  await withServer(async ({ server }) => {
    const path = `${GROUP}/validatingwebhookconfigurations`;
    for (const url of ['https://exa mple/x', 'https://[::1/x', 'https://127.0.0.1:abc/']) {
      const refused = await send(server, 'POST', path, configuration('a', { url }, {}));
      expect(refused).toMatchObject({ status: 422, message: expect.stringContaining('url must be a valid URL: parse') });
    }
    await configure(server, 'validating', { url: 'https://127.0.0.1:99999/x' });
    expect(await send(server, 'POST', CONFIG_MAPS, { metadata: { name: 'a' } })).toMatchObject({
      status: 500,
      message: expect.stringContaining('Post "https://127.0.0.1:99999/x?timeout=10s": dial tcp: address 99999: invalid port'),
    });
  });
});

test("the world's own parts are judged too", async () => {
  await withServer(async ({ server }) => {
    await configure(server, 'validating', { url: 'https://127.0.0.1:9443' });
    const metadata = { name: 'a', namespace: 'default' };
    await expect(server.port('workloads').create('configmaps', { metadata } as never)).rejects.toMatchObject({ status: 500 });
  });
});

test('configurations can always be removed', async () => {
  await withServer(async ({ server }) => {
    const rules = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }];
    await configure(server, 'validating', { url: 'https://127.0.0.1:9443' }, { rules });
    expect((await send(server, 'POST', CONFIG_MAPS, { metadata: { name: 'a' } })).status).toBe(500);
    expect((await send(server, 'DELETE', `${GROUP}/validatingwebhookconfigurations/validating`)).status).toBe(200);
    expect((await send(server, 'POST', CONFIG_MAPS, { metadata: { name: 'a' } })).status).toBe(201);
  });
});

test('a change that happens while a webhook is asked is judged too', async () => {
  const asked = Promise.withResolvers<void>();
  await withWebhook(
    () => {
      asked.resolve();
      return { allowed: true };
    },
    async ({ server, webhook }) => {
      expect((await send(server, 'POST', CONFIG_MAPS, { metadata: { name: 'a' }, data: { x: '1' } })).status).toBe(201);
      const client = { url: webhook.url, caBundle: CA_BUNDLE };
      await configure(server, 'validating', client, { objectSelector: { matchLabels: { slow: 'yes' } } });
      const slow = send(server, 'PATCH', `${CONFIG_MAPS}/a`, { metadata: { labels: { slow: 'yes' } } });
      await asked.promise;
      // This one is not sent to the webhook, and comes first.
      expect((await send(server, 'PATCH', `${CONFIG_MAPS}/a`, { data: { x: '2' } })).status).toBe(200);
      expect((await slow).status).toBe(200);
      const seen = webhook.requests.map(({ review }) => (review['request'] as { object: { data: object } }).object.data);
      expect(seen).toEqual([{ x: '1' }, { x: '2' }]);
    },
  );
});

test('a webhook that is asked about a deletion of many keeps the others', async () => {
  await withWebhook(
    () => ({ allowed: true }),
    async ({ server, webhook }) => {
      for (const name of ['a', 'b', 'c']) await send(server, 'POST', CONFIG_MAPS, { metadata: { name } });
      await configure(server, 'validating', { url: webhook.url, caBundle: CA_BUNDLE });
      const deleted = await send(server, 'DELETE', CONFIG_MAPS);
      expect(deleted).toMatchObject({
        status: 200,
        effect: { kind: 'applied', ids: ['configmaps/default/a', 'configmaps/default/b', 'configmaps/default/c'] },
      });
      expect(webhook.requests.length).toBe(3);
    },
  );
});

test('an object keeps its uid while webhooks are asked', async () => {
  await withWebhook(
    () => ({ allowed: true }),
    async ({ server, webhook }) => {
      const client = { url: webhook.url, caBundle: CA_BUNDLE };
      await configure(server, 'mutating', client);
      await configure(server, 'validating', client);
      expect((await send(server, 'POST', CONFIG_MAPS, { metadata: { name: 'a' } })).status).toBe(201);
      const [mutating, validating] = webhook.requests.map(
        ({ review }) => (review['request'] as { object: { metadata: { uid?: string } } }).object.metadata.uid,
      );
      expect(mutating).toBeUndefined();
      expect(await server.port('workloads').get({ resource: 'configmaps', namespace: 'default', name: 'a' })).toMatchObject({
        metadata: { uid: validating },
      });
    },
  );
});

for (const [reply, problem] of [
  ['hang', 'context deadline exceeded'],
  ['close', 'EOF'],
] as const) {
  test(`a webhook that does not answer (${reply}) fails`, async () => {
    await withWebhook(
      () => reply,
      async ({ server, webhook }) => {
        await configure(server, 'validating', { url: `${webhook.url}/x`, caBundle: CA_BUNDLE }, { timeoutSeconds: 1 });
        const { status, message } = await send(server, 'POST', CONFIG_MAPS, { metadata: { name: 'a' } });
        expect(status).toBe(500);
        expect(message).toContain(`Post "${webhook.url}/x?timeout=1s": ${problem}`);
      },
    );
  });
}

function patch(operations: readonly object[]): WebhookReply {
  return { allowed: true, patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') };
}

// As a real server answers.
const required = 'metadata.name: Required value: name or generateName is required';
for (const [what, operation, created, updated] of [
  [
    'removes the metadata',
    { op: 'remove', path: '/metadata' },
    { status: 422, message: `ConfigMap "" is invalid: ${required}` },
    { status: 422, message: `ConfigMap "" is invalid: [${required}, metadata.name: Invalid value: "": field is immutable]` },
  ],
  [
    'changes the name',
    { op: 'replace', path: '/metadata/name', value: 'other' },
    { status: 201, body: { metadata: { name: 'other' } } },
    { status: 422, message: 'ConfigMap "other" is invalid: metadata.name: Invalid value: "other": field is immutable' },
  ],
  [
    'changes the namespace',
    { op: 'add', path: '/metadata/namespace', value: 'kube-system' },
    { status: 400, message: 'the namespace of the provided object does not match the namespace sent on the request' },
    { status: 400, message: 'the namespace of the provided object does not match the namespace sent on the request' },
  ],
] as const) {
  test(`a webhook that ${what}`, async () => {
    await withWebhook(
      () => patch([operation]),
      async ({ server, webhook }) => {
        expect((await send(server, 'POST', CONFIG_MAPS, { metadata: { name: 'old' } })).status).toBe(201);
        await configure(server, 'mutating', { url: webhook.url, caBundle: CA_BUNDLE });
        expect(await send(server, 'POST', CONFIG_MAPS, { metadata: { name: 'new' } })).toMatchObject(created);
        expect(await send(server, 'PATCH', `${CONFIG_MAPS}/old`, { data: { a: 'b' } })).toMatchObject(updated);
      },
    );
  });
}

for (const [what, operation, status] of [
  ['is not a number', { op: 'replace', path: '/spec/replicas', value: 'x' }, 500],
  ['has no metadata', { op: 'replace', path: '/metadata', value: null }, 200],
] as const) {
  test(`a scale that after a webhook's patch ${what}`, async () => {
    await withWebhook(
      () => patch([operation]),
      async ({ server, webhook }) => {
        const [labels, sets] = [{ app: 'a' }, '/apis/apps/v1/namespaces/default/replicasets'];
        const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'pause' }] } };
        const spec = { replicas: 0, selector: { matchLabels: labels }, template };
        expect((await send(server, 'POST', sets, { metadata: { name: 'a' }, spec })).status).toBe(201);
        const rules = [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['replicasets/scale'] }];
        await configure(server, 'mutating', { url: webhook.url, caBundle: CA_BUNDLE }, { rules });
        expect((await send(server, 'PATCH', `${sets}/a/scale`, { spec: { replicas: 1 } })).status).toBe(status);
      },
    );
  });
}

test('of what a webhook changes through a subresource of pods, only its part counts', async () => {
  const operations = [
    { op: 'replace', path: '/spec/containers/0/image', value: 'other' },
    { op: 'add', path: '/metadata/labels', value: { hooked: 'yes' } },
    { op: 'replace', path: '/spec/containers/0/resources/limits/cpu', value: '50' },
  ];
  await withWebhook(
    (path) => patch(path === '/all' ? operations : operations.slice(0, 2)),
    async ({ server, webhook }) => {
      const resources = { requests: { cpu: '1' }, limits: { cpu: '4' } };
      const spec = { containers: [{ name: 'main', image: 'pause', resources }] };
      expect((await send(server, 'POST', PODS, { metadata: { name: 'a' }, spec })).status).toBe(201);
      const limits = [{ type: 'Container', max: { cpu: '10' } }];
      const ranges = '/api/v1/namespaces/default/limitranges';
      expect((await send(server, 'POST', ranges, { metadata: { name: 'a' }, spec: { limits } })).status).toBe(201);
      const of = (resource: string, path: string, name: string): Promise<void> => {
        const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: [resource] }];
        return configure(server, 'mutating', { url: webhook.url + path, caBundle: CA_BUNDLE }, { rules }, name);
      };
      await of('pods/ephemeralcontainers', '/some', 'ephemeral');
      await of('pods/resize', '/all', 'resize');
      const ephemeralContainers = [{ name: 'debug', image: 'shell' }];
      expect((await send(server, 'PATCH', `${PODS}/a/ephemeralcontainers`, { spec: { ephemeralContainers } })).status).toBe(200);
      const resized = [{ name: 'main', image: 'pause', resources: { ...resources, requests: { cpu: '2' } } }];
      expect(await send(server, 'PATCH', `${PODS}/a/resize`, { spec: { containers: resized } })).toMatchObject({
        status: 403,
        message: 'pods "a" is forbidden: maximum cpu usage per Container is 10, but limit is 50',
      });
      const { metadata, spec: now } = (await server.port('workloads').get({ resource: 'pods', namespace: 'default', name: 'a' })) as Pod;
      expect(metadata.labels).toBeUndefined();
      expect(now.containers[0]?.image).toBe('pause');
    },
  );
});

test('calls of a webhook share a connection, which ends with the server', async () => {
  await withWebhook(
    () => ({ allowed: true }),
    async ({ server, webhook }) => {
      await configure(server, 'validating', { url: `${webhook.url}/a`, caBundle: CA_BUNDLE });
      await configure(server, 'mutating', { url: `${webhook.url}/b`, caBundle: CA_BUNDLE });
      for (const name of ['a', 'b', 'c']) expect((await send(server, 'POST', CONFIG_MAPS, { metadata: { name } })).status).toBe(201);
      expect(webhook.requests).toHaveLength(6);
      expect(webhook.connections()).toBe(1);
      server.stop();
      await webhook.disconnected();
    },
  );
});

test('a connection that a webhook has closed is not used again', async () => {
  let isClosing = false;
  await withWebhook(
    () => (isClosing ? 'close' : { allowed: true }),
    async ({ server, webhook }) => {
      await configure(server, 'validating', { url: webhook.url, caBundle: CA_BUNDLE });
      const create = (name: string): Promise<Answer> => send(server, 'POST', CONFIG_MAPS, { metadata: { name } });
      expect((await create('a')).status).toBe(201);
      isClosing = true;
      expect((await create('b')).message).toContain('EOF');
      isClosing = false;
      expect((await create('b')).status).toBe(201);
      expect(webhook.connections()).toBe(2);
    },
  );
});

test('a server that stops gives up its calls', async () => {
  const asked = Promise.withResolvers<void>();
  await withWebhook(
    () => {
      asked.resolve();
      return 'hang';
    },
    async ({ server, webhook }) => {
      await configure(server, 'validating', { url: webhook.url, caBundle: CA_BUNDLE }, { timeoutSeconds: 30 });
      const created = send(server, 'POST', CONFIG_MAPS, { metadata: { name: 'a' } });
      await asked.promise;
      server.stop();
      expect(await created).toMatchObject({ status: 500, message: expect.stringContaining('timeout=30s": EOF') });
    },
  );
});

test("of a field that a webhook's answer has twice, the last one counts", async () => {
  await withWebhook(
    (_path, { request }) => {
      const { uid } = request as { uid: string };
      const head = `"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"`;
      return { status: 200, text: `{${head},"response":{"uid":"${uid}","allowed":false,"allowed":true}}`, type: 'application/json' };
    },
    async ({ server, webhook }) => {
      await configure(server, 'validating', { url: webhook.url, caBundle: CA_BUNDLE });
      expect((await send(server, 'POST', CONFIG_MAPS, { metadata: { name: 'a' } })).status).toBe(201);
    },
  );
});
