import { expect, test } from '@playwright/test';
import type { JsonObject } from '../../protocols/kube/json.ts';
import type { Clock } from '../../runtime/clock.ts';
import { isStream } from '../../wire/wire.ts';
import type { ApiServer } from './api-server.ts';
import { CRDS, START_MS } from './testing/api-server.ts';
import { CA_BUNDLE } from './testing/webhook-server.ts';
import type { WebhookServer } from './testing/webhook-server.ts';
import { send, withClient, withWebhook } from './testing/webhooks.ts';
import { MAX_WAITING_EVENTS } from './watches.ts';

/* Conversion webhooks: when they are called, and what waits for them. Their answers are compared with a real server in `fidelity/differential/kube`. */

/** A conversion webhook's answer: each object says by whom it was converted. */
function converted(review: JsonObject): JsonObject {
  const { objects, desiredAPIVersion } = review['request'] as { objects: JsonObject[]; desiredAPIVersion: string };
  return {
    result: { status: 'Success' },
    convertedObjects: objects.map((object) => ({ ...object, apiVersion: desiredAPIVersion, spec: { by: 'webhook' } })),
  };
}

const V1_THINGS = '/apis/example.com/v1/namespaces/default/things';
const V2_THINGS = '/apis/example.com/v2/namespaces/default/things';

function thing(version: string, name: string, metadata: object = {}): object {
  return { apiVersion: `example.com/${version}`, kind: 'Thing', metadata: { name, ...metadata }, spec: { by: 'user' } };
}

function version(name: string, storage: boolean): object {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return { name, served: true, storage, schema };
}

/** Things are stored as v1, and a webhook converts them to v2. */
async function defineThings(server: ApiServer, { url }: Pick<WebhookServer, 'url'> = { url: 'https://127.0.0.1' }): Promise<void> {
  const versions = [version('v1', true), version('v2', false)];
  const webhook = { clientConfig: { url, caBundle: CA_BUNDLE }, conversionReviewVersions: ['v1'] };
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
  const spec = { group: 'example.com', scope: 'Namespaced', names, versions, conversion: { strategy: 'Webhook', webhook } };
  expect((await send(server, 'POST', CRDS, { metadata: { name: 'things.example.com' }, spec })).status).toBe(201);
}

test('a watch of another version than the stored one shows converted objects', async () => {
  await withWebhook(
    (_path, review) => converted(review),
    async ({ server, webhook }) => {
      await defineThings(server, webhook);
      expect((await send(server, 'POST', V1_THINGS, thing('v1', 'a'))).status).toBe(201);
      const request = { method: 'GET', path: '/apis/example.com/v2/things?watch=true', headers: {} };
      const { body } = await server.backend.handle(request, server.backend.describe(request), {
        principal: 'target',
        incarnation: 1,
        span: 0,
      });
      if (!isStream(body)) throw new Error('the watch was refused');
      expect((await send(server, 'POST', V1_THINGS, thing('v1', 'b'))).status).toBe(201);
      const seen: unknown[] = [];
      for await (const line of body) {
        seen.push(JSON.parse(String(line)));
        if (seen.length === 2) break;
      }
      const shown = (name: string): object => ({
        type: 'ADDED',
        object: { apiVersion: 'example.com/v2', metadata: { name }, spec: { by: 'webhook' } },
      });
      expect(seen).toMatchObject([shown('a'), shown('b')]);
    },
  );
});

test('a quota counts an object once that a webhook converts before it is stored', async () => {
  await withWebhook(
    (_path, review) => converted(review),
    async ({ server, webhook }) => {
      await defineThings(server, webhook);
      const hard = { 'count/things.example.com': '2' };
      const quotas = '/api/v1/namespaces/default/resourcequotas';
      expect((await send(server, 'POST', quotas, { metadata: { name: 'q' }, spec: { hard } })).status).toBe(201);
      expect(await send(server, 'POST', `${V2_THINGS}?dryRun=All`, thing('v2', 'a'))).toMatchObject({
        status: 201,
        body: { apiVersion: 'example.com/v2' },
      });
      expect((await send(server, 'POST', V2_THINGS, thing('v2', 'a'))).status).toBe(201);
      expect((await send(server, 'POST', V2_THINGS, thing('v2', 'b'))).status).toBe(201);
      expect((await send(server, 'POST', V2_THINGS, thing('v2', 'c'))).status).toBe(403);
    },
  );
});

const slowly = async (clock: Clock, review: JsonObject): Promise<JsonObject> => {
  await clock.sleep(20_000);
  return converted(review);
};
const TIMED_OUT = 'Timeout: request did not complete within requested timeout';

test('a list does not wait for its conversions longer than a request may take', async () => {
  await withClient(slowly, async (server) => {
    await defineThings(server);
    for (const name of ['a', 'b', 'c']) expect((await send(server, 'POST', V1_THINGS, thing('v1', name))).status).toBe(201);
    expect(await send(server, 'GET', V2_THINGS)).toMatchObject({ status: 504, message: TIMED_OUT });
    // What was converted is remembered.
    expect((await send(server, 'GET', V2_THINGS)).status).toBe(200);
  });
});

test("the world's own parts do not wait for conversions longer than a request may take", async () => {
  await withClient(slowly, async (server, clock) => {
    await defineThings(server);
    for (const name of ['a', 'b', 'c']) expect((await send(server, 'POST', V1_THINGS, thing('v1', name))).status).toBe(201);
    const stored = { spec: { versions: [version('v1', false), version('v2', true)] } };
    expect((await send(server, 'PATCH', `${CRDS}/things.example.com`, stored)).status).toBe(200);
    const port = server.port('workloads');
    const startMs = clock.nowMs();
    await expect(port.list('things')).rejects.toMatchObject({ status: 504, message: TIMED_OUT });
    expect(clock.nowMs() - startMs).toBe(40_000);
    expect(await port.get({ resource: 'things', namespace: 'default', name: 'a' })).toMatchObject({ apiVersion: 'example.com/v2' });
    expect(await port.list('things')).toHaveLength(3);
  });
});

test('an object that is deleted in the foreground, in a version that a webhook converts, is collected', async () => {
  await withWebhook(
    (_path, review) => converted(review),
    async ({ server, webhook }) => {
      await defineThings(server, webhook);
      const { body } = await send(server, 'POST', V2_THINGS, thing('v2', 'owner'));
      const { uid } = (body as { metadata: { uid: string } }).metadata;
      const owner = { apiVersion: 'example.com/v2', kind: 'Thing', name: 'owner', uid, blockOwnerDeletion: true };
      expect((await send(server, 'POST', V2_THINGS, thing('v2', 'dependent', { ownerReferences: [owner] }))).status).toBe(201);
      const gone = Promise.withResolvers<void>();
      server.onCommit(({ type, version }) => {
        if (type === 'DELETED' && version.object.metadata.name === 'owner') gone.resolve();
      });
      const deletion = { preconditions: { uid }, propagationPolicy: 'Foreground' };
      expect((await send(server, 'DELETE', `${V2_THINGS}/owner`, deletion)).status).toBe(200);
      const stored = await server.port('workloads').get({ resource: 'things', namespace: 'default', name: 'owner' });
      expect(stored).toMatchObject({ apiVersion: 'example.com/v1', metadata: { finalizers: ['foregroundDeletion'] } });
      await gone.promise;
      expect((await send(server, 'GET', V1_THINGS)).body).toMatchObject({ items: [] });
    },
  );
});

test('the collector tries an object whose conversion fails ever more rarely, without end', async () => {
  const FAILURES = 25;
  const MAX_WAIT_MS = 1_000_000;
  let isBroken = false;
  const failedAtMs: number[] = [];
  const answer = (clock: Clock, review: JsonObject): Promise<JsonObject | { readonly problem: string }> => {
    if (!isBroken || failedAtMs.length === FAILURES) return Promise.resolve(converted(review));
    failedAtMs.push(clock.nowMs());
    return Promise.resolve({ problem: 'EOF' });
  };
  await withClient(answer, async (server, clock) => {
    await defineThings(server);
    expect((await send(server, 'POST', V2_THINGS, thing('v2', 'owner'))).status).toBe(201);
    expect((await send(server, 'DELETE', `${V2_THINGS}/owner`, { propagationPolicy: 'Foreground' })).status).toBe(200);
    isBroken = true;
    await clock.sleep(FAILURES * MAX_WAIT_MS);
    expect((await send(server, 'GET', V1_THINGS)).body).toMatchObject({ items: [] });
    const waitsMs = failedAtMs.slice(1).map((atMs, index) => atMs - (failedAtMs[index] ?? 0));
    expect(waitsMs.length).toBe(FAILURES - 1);
    expect(Math.max(...waitsMs.slice(0, 4))).toBeLessThanOrEqual(500);
    expect(waitsMs.slice(-4)).toEqual(Array(4).fill(MAX_WAIT_MS));
  });
});

test('the collector marks an object whose conversion takes seconds', async () => {
  const answer = async (clock: Clock, review: JsonObject): Promise<JsonObject> => {
    await clock.sleep(3_000);
    return converted(review);
  };
  await withClient(answer, async (server, clock) => {
    await defineThings(server);
    const { body } = await send(server, 'POST', V1_THINGS, thing('v1', 'owner'));
    const { uid } = (body as { metadata: { uid: string } }).metadata;
    const ownerReferences = [{ apiVersion: 'example.com/v1', kind: 'Thing', name: 'owner', uid }];
    const dependent = thing('v2', 'dependent', { ownerReferences, finalizers: ['example.com/waits'] });
    expect((await send(server, 'POST', V2_THINGS, dependent)).status).toBe(201);
    expect((await send(server, 'DELETE', `${V1_THINGS}/owner`)).status).toBe(200);
    await clock.sleep(60_000);
    const marked = await server.port('workloads').get({ resource: 'things', namespace: 'default', name: 'dependent' });
    expect(marked?.metadata.deletionTimestamp).toBeDefined();
  });
});

test('a watch ends that waits too long for a webhook while objects change', async () => {
  let isHanging = false;
  const answer = async (clock: Clock, review: JsonObject): Promise<JsonObject> => {
    if (isHanging) await clock.sleep(30_000);
    return converted(review);
  };
  await withClient(answer, async (server, clock) => {
    await defineThings(server);
    expect((await send(server, 'POST', V1_THINGS, thing('v1', 'a'))).status).toBe(201);
    const request = { method: 'GET', path: `${V2_THINGS}?watch=true`, headers: {} };
    const caller = { principal: 'target', incarnation: 1, span: 0 } as const;
    const { body } = await server.backend.handle(request, server.backend.describe(request), caller);
    if (!isStream(body)) throw new Error('the watch was refused');
    isHanging = true;
    const port = server.port('workloads');
    for (let size = 0; size <= MAX_WAITING_EVENTS; size += 1) {
      await port.patch({ resource: 'things', namespace: 'default', name: 'a' }, { spec: { size } });
    }
    const seen: unknown[] = [];
    for await (const line of body) seen.push(JSON.parse(String(line)));
    // No error: the watcher may go on from where it was.
    expect(seen.filter((event) => (event as { type: string }).type === 'ERROR')).toEqual([]);
    const LEAST_TIMEOUT_MS = 1_800_000;
    expect(clock.nowMs() - START_MS).toBeLessThan(LEAST_TIMEOUT_MS);
  });
});
