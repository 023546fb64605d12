import { PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { expect, test } from '@playwright/test';
import type { KubeObject } from '../model/kube.ts';
import type { ClockScope } from '../runtime/clock.ts';
import { createRandom } from '../runtime/random.ts';
import { createVirtualTimeline } from '../runtime/timeline.ts';
import { WireError } from '../wire/wire.ts';
import type { Wire, WireRequest, WireResponse } from '../wire/wire.ts';
import { KubeError } from './kube-client.ts';
import type { KubeClient } from './kube-client.ts';
import { KUBE_REQUEST_TIMEOUT_MS, createKubeClient } from './kube.ts';
import { RESOURCES } from './resources.ts';
import { clientNodeApis } from './testing/client-node-apis.ts';

const { nodes, pods, nodeclaims, replicasets, leases } = RESOURCES;

function json(value: unknown, status = 200, headers: Record<string, string> = {}): WireResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

interface Site {
  readonly client: KubeClient;
  readonly clock: ClockScope;
  readonly seen: WireRequest[];
}

/** Runs a body with a client whose requests are all answered by `answer`, 10 ms later. */
async function simulate(answer: Wire, body: (site: Site) => Promise<void>): Promise<void> {
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(1) });
  const clock = timeline.scope('target');
  const world = timeline.scope('world');
  const seen: WireRequest[] = [];
  const wire: Wire = async (request) => {
    seen.push(request);
    await world.sleep(10);
    return answer(request);
  };
  await timeline.run(body({ client: createKubeClient({ wire, clock }), clock, seen }));
}

const empty: Wire = () => Promise.resolve(json({}));

interface Case {
  readonly name: string;
  readonly call: (client: KubeClient) => Promise<unknown>;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

const CASES: readonly Case[] = [
  { name: 'get of the core group', call: (c) => c.get({ type: nodes, name: 'n1' }), method: 'GET', path: '/api/v1/nodes/n1' },
  {
    name: 'get in a namespace',
    call: (c) => c.get({ type: pods, namespace: 'ns', name: 'p' }),
    method: 'GET',
    path: '/api/v1/namespaces/ns/pods/p',
  },
  {
    name: 'get of a named group',
    call: (c) => c.get({ type: leases, namespace: 'kube-system', name: 'l' }),
    method: 'GET',
    path: '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/l',
  },
  { name: 'list of all namespaces', call: (c) => c.list(pods), method: 'GET', path: '/api/v1/pods' },
  {
    name: 'list with a selector',
    call: (c) =>
      c.list(replicasets, {
        namespace: 'ns',
        labels: {
          matchLabels: { a: 'b' },
          matchExpressions: [
            { key: 'c', operator: 'In', values: ['d', 'e'] },
            { key: 'f', operator: 'DoesNotExist' },
            { key: 'g', operator: 'Exists' },
            { key: 'h', operator: 'NotIn', values: ['i'] },
          ],
        },
      }),
    method: 'GET',
    path: '/apis/apps/v1/namespaces/ns/replicasets?labelSelector=a%3Db%2Cc+in+%28d%2Ce%29%2C%21f%2Cg%2Ch+notin+%28i%29',
  },
  {
    name: 'create of a custom object',
    call: (c) => c.create(nodeclaims, { metadata: { name: 'x' } }),
    method: 'POST',
    path: '/apis/karpenter.sh/v1/nodeclaims',
    body: { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', metadata: { name: 'x' } },
  },
  {
    name: 'create in a namespace',
    call: (c) => c.create(pods, { metadata: { generateName: 'x-', namespace: 'ns' } }),
    method: 'POST',
    path: '/api/v1/namespaces/ns/pods',
    body: { apiVersion: 'v1', kind: 'Pod', metadata: { generateName: 'x-', namespace: 'ns' } },
  },
  {
    name: 'patch, keeping nulls',
    call: (c) => c.patch({ type: nodes, name: 'n' }, { metadata: { finalizers: null } }),
    method: 'PATCH',
    path: '/api/v1/nodes/n',
    body: { metadata: { finalizers: null } },
  },
  {
    name: 'patch of a status',
    call: (c) => c.patch({ type: nodeclaims, name: 'x' }, { status: { a: 1 } }, 'status'),
    method: 'PATCH',
    path: '/apis/karpenter.sh/v1/nodeclaims/x/status',
    body: { status: { a: 1 } },
  },
  {
    name: 'delete with preconditions',
    call: (c) => c.delete({ type: pods, namespace: 'ns', name: 'p' }, { gracePeriodSeconds: 0, uid: 'u', resourceVersion: '7' }),
    method: 'DELETE',
    path: '/api/v1/namespaces/ns/pods/p',
    body: {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      gracePeriodSeconds: 0,
      preconditions: { uid: 'u', resourceVersion: '7' },
    },
  },
  {
    name: 'delete without options',
    call: (c) => c.delete({ type: nodes, name: 'n' }),
    method: 'DELETE',
    path: '/api/v1/nodes/n',
    body: { apiVersion: 'v1', kind: 'DeleteOptions' },
  },
  {
    name: 'eviction',
    call: (c) => c.evict('ns', 'p', { gracePeriodSeconds: 5, uid: 'u' }),
    method: 'POST',
    path: '/api/v1/namespaces/ns/pods/p/eviction',
    body: {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: 'p', namespace: 'ns' },
      deleteOptions: { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 5, preconditions: { uid: 'u' } },
    },
  },
];

for (const { name, call, method, path, body } of CASES) {
  test(`sends a ${name}`, async () => {
    await simulate(empty, async ({ client, seen }) => {
      await call(client);
      expect(seen).toHaveLength(1);
      const [request] = seen;
      expect({ method: request?.method, path: request?.path }).toEqual({ method, path });
      expect(request?.body === undefined ? undefined : JSON.parse(String(request.body))).toEqual(body);
      const patch = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      expect(request?.headers['content-type']).toBe(body === undefined ? undefined : patch);
    });
  });
}

test('a delete returns the object if it still exists', async () => {
  const marked = { kind: 'Node', metadata: { name: 'n', deletionTimestamp: '2026-01-01T00:00:00Z' } };
  for (const [answer, left] of [
    [marked, marked],
    [{ kind: 'Status', status: 'Success', metadata: {} }, undefined],
    [{ kind: 'Pod', metadata: { name: 'n' } }, undefined],
  ] as const) {
    await simulate(
      () => Promise.resolve(json(answer)),
      async ({ client }) => expect(await client.delete({ type: nodes, name: 'n' })).toEqual(left),
    );
  }
});

test('objects are plain JSON, keep fields that no typed client knows, and list items have a kind and apiVersion', async () => {
  const object = { metadata: { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z' }, spec: { unheardOf: [1] } };
  await simulate(
    ({ path }) => Promise.resolve(json(path.endsWith('/a') ? object : { items: [object] })),
    async ({ client }) => {
      expect(await client.get<KubeObject>({ type: nodes, name: 'a' })).toEqual(object);
      expect(await client.list<KubeObject>(nodes)).toEqual([{ apiVersion: 'v1', kind: 'Node', ...object }]);
    },
  );
});

interface Refusal {
  readonly name: string;
  readonly answer: Wire;
  readonly expected: Partial<KubeError>;
}

const REFUSALS: readonly Refusal[] = [
  {
    name: 'a Status',
    answer: () => Promise.resolve(json({ kind: 'Status', reason: 'AlreadyExists', message: 'nodes "n" already exists' }, 409)),
    expected: { status: 409, reason: 'AlreadyExists', message: 'nodes "n" already exists', retryAfterMs: undefined },
  },
  {
    name: 'a Retry-After header',
    answer: () => Promise.resolve(json({ kind: 'Status', reason: 'TooManyRequests' }, 429, { 'retry-after': '2' })),
    expected: { status: 429, reason: 'TooManyRequests', retryAfterMs: 2_000 },
  },
  {
    name: 'retryAfterSeconds in the details',
    answer: () => Promise.resolve(json({ reason: 'ServerTimeout', details: { retryAfterSeconds: 3 } }, 504)),
    expected: { status: 504, reason: 'ServerTimeout', retryAfterMs: 3_000 },
  },
  {
    name: 'an answer without a Status',
    answer: () => Promise.resolve({ status: 503, headers: { 'content-type': 'text/html' }, body: '<html>' }),
    expected: { status: 503, reason: 'ServiceUnavailable' },
  },
  {
    name: '401, whose body client-node drops',
    answer: () => Promise.resolve(json({ reason: 'Unauthorized' }, 401)),
    expected: { status: 401, reason: 'Unauthorized' },
  },
  {
    name: 'a broken connection',
    answer: () => Promise.reject(new WireError('ECONNRESET', 'broken')),
    expected: { status: 0, reason: 'ECONNRESET' },
  },
  {
    name: 'an answer that is not JSON',
    answer: () => Promise.resolve({ status: 200, headers: { 'content-type': 'text/plain' }, body: 'fine' }),
    expected: { status: 0, reason: 'UnreadableAnswer' },
  },
];

for (const { name, answer, expected } of REFUSALS) {
  test(`turns ${name} into a KubeError, for every verb`, async () => {
    await simulate(answer, async ({ client }) => {
      for (const { call } of CASES) {
        const error = await call(client).catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(KubeError);
        expect(error).toMatchObject(expected);
      }
    });
  });
}

test('for an object that does not exist, get is undefined and delete is NotFound', async () => {
  await simulate(
    () => Promise.resolve(json({ kind: 'Status', reason: 'NotFound' }, 404)),
    async ({ client }) => {
      expect(await client.get({ type: nodes, name: 'n' })).toBeUndefined();
      await expect(client.delete({ type: nodes, name: 'n' })).rejects.toMatchObject({ status: 404, reason: 'NotFound' });
    },
  );
});

test('after the time-out the status is 0: the effect is unknown', async () => {
  await simulate(
    () => new Promise(() => undefined),
    async ({ client, clock, seen }) => {
      await expect(client.get({ type: nodes, name: 'n' })).rejects.toMatchObject({ status: 0, reason: 'ETIMEDOUT' });
      expect(clock.nowMs()).toBe(KUBE_REQUEST_TIMEOUT_MS);
      expect(seen[0]?.signal?.aborted).toBe(true);
    },
  );
});

test('a thousand concurrent calls take the time of one, and are sent in order', async () => {
  await simulate(
    ({ path }) => Promise.resolve(json({ path })),
    async ({ client, clock, seen }) => {
      const names = Array.from({ length: 1_000 }, (_, index) => `n${index}`);
      await Promise.all(names.map((name) => client.get({ type: nodes, name })));
      expect(clock.nowMs()).toBe(10);
      expect(seen.map(({ path }) => path)).toEqual(names.map((name) => `/api/v1/nodes/${name}`));
    },
  );
});

function shown({ method, path, headers, body }: WireRequest): unknown[] {
  return [method, path, headers['content-type'], body];
}

test('sends what client-node sends, to the byte', async () => {
  const name = 'a:b/ö %';
  const namespace = 'n s';
  const claims = { group: nodeclaims.group, version: nodeclaims.version, plural: nodeclaims.plural };
  const held = { group: leases.group, version: leases.version, plural: leases.plural, namespace };
  const asMergePatch = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
  const patch = { b: null, a: [{ d: 1, c: 'ü' }] };
  const labels = { matchLabels: { 'a/b': 'c' }, matchExpressions: [{ key: 'd', operator: 'In' as const, values: ['e', 'f'] }] };
  const selector = { labelSelector: 'a/b=c,d in (e,f)' };
  const options = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0, preconditions: { uid: 'u', resourceVersion: '7' } };
  const eviction = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace },
    deleteOptions: { ...options, preconditions: { uid: 'u' } },
  };
  const theirs: WireRequest[] = [];
  const { core, custom: objects } = clientNodeApis((request) => {
    theirs.push(request);
    return Promise.resolve(json({}));
  });
  await objects.getClusterCustomObject({ ...claims, name });
  await objects.getNamespacedCustomObject({ ...held, name });
  await objects.listClusterCustomObject({ ...claims, ...selector });
  await objects.listNamespacedCustomObject(held);
  await objects.createClusterCustomObject({
    ...claims,
    body: { ...patch, metadata: {}, apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim' },
  });
  await objects.patchNamespacedCustomObject({ ...held, name, body: patch }, asMergePatch);
  await objects.patchClusterCustomObjectStatus({ ...claims, name, body: patch }, asMergePatch);
  await objects.deleteClusterCustomObject({ ...claims, name, body: { apiVersion: 'v1', kind: 'DeleteOptions' } });
  await objects.deleteNamespacedCustomObject({ ...held, name, body: options });
  await core.createNamespacedPodEviction({ namespace, name, body: eviction });
  await simulate(empty, async ({ client, seen }) => {
    await client.get({ type: nodeclaims, name });
    await client.get({ type: leases, namespace, name });
    await client.list(nodeclaims, { labels });
    await client.list(leases, { namespace });
    await client.create(nodeclaims, { ...patch, metadata: {} });
    await client.patch({ type: leases, namespace, name }, patch);
    await client.patch({ type: nodeclaims, name }, patch, 'status');
    await client.delete({ type: nodeclaims, name });
    await client.delete({ type: leases, namespace, name }, { gracePeriodSeconds: 0, uid: 'u', resourceVersion: '7' });
    await client.evict(namespace, name, { gracePeriodSeconds: 0, uid: 'u' });
    expect(seen.map(shown)).toEqual(theirs.map(shown));
  });
});
