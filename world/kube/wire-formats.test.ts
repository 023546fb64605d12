import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { defined } from '../../model/defined.ts';
import { packageRoot } from '../../model/package-root.ts';
import { parse } from 'yaml';
import { MAX_DEPTH } from '../../protocols/kube/json-syntax.ts';
import { readFields } from '../../protocols/kube/protobuf-reader.ts';
import { decodeProtobuf } from '../../protocols/kube/protobuf.ts';
import { loadKubeTypes } from '../../protocols/kube/types.ts';
import { asText, isStream, readWhole } from '../../wire/wire.ts';
import { CLAIMS, CRDS, NODE_CLAIM_CRD, PODS, claim, pod, withServer } from './testing/api-server.ts';
import type { Bench, Json } from './testing/api-server.ts';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const STRATEGIC = 'application/strategic-merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const types = loadKubeTypes();

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'a' }] } };
const deployment = (spec: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template, ...spec },
});

/** The raw answer to a request with these headers. */
async function ask(bench: Bench, path: string, headers: Record<string, string>, method = 'GET', body?: string | Uint8Array) {
  const request = { method, path, headers, ...defined({ body }) };
  const caller = { principal: 'target', incarnation: 1, span: 0 } as const;
  const { backend } = bench.server;
  const answer = await backend.handle(request, backend.describe(request), caller);
  if (isStream(answer.body)) throw new Error('expected no stream');
  return { status: answer.status, headers: answer.headers, effect: answer.effect, text: asText(answer.body), bytes: answer.body };
}

test('built-in resources accept strategic merge patches', async () => {
  await withServer(async ({ call }) => {
    await call('POST', DEPLOYMENTS, deployment());
    const patch = { spec: { template: { spec: { containers: [{ name: 'web', env: [{ name: 'A', value: '1' }] }] } } } };
    const { status, body } = await call('PATCH', `${DEPLOYMENTS}/web`, patch, { contentType: STRATEGIC });
    expect(status).toBe(200);
    expect(body.spec).toMatchObject({
      template: { spec: { containers: [{ name: 'web', image: 'a', env: [{ name: 'A', value: '1' }] }] } },
    });
  });
});

test('server-side apply creates, updates, conflicts, and can be forced', async () => {
  await withServer(async ({ call }) => {
    const apply = (body: object, query: string): ReturnType<typeof call> =>
      call('PATCH', `${DEPLOYMENTS}/web?${query}`, body, { contentType: APPLY });
    expect(await apply(deployment(), 'fieldManager=a')).toMatchObject({
      status: 201,
      body: { metadata: { managedFields: [{ manager: 'a', operation: 'Apply' }] } },
    });
    expect((await apply(deployment(), 'fieldManager=a')).effect).toEqual({ kind: 'none' });
    await call('PATCH', `${DEPLOYMENTS}/web?fieldManager=scaler`, { spec: { replicas: 4 } }, { contentType: STRATEGIC });
    const refused = await apply(deployment(), 'fieldManager=a');
    expect(refused).toMatchObject({
      status: 409,
      body: { reason: 'Conflict', message: 'Apply failed with 1 conflict: conflict with "scaler" using apps/v1: .spec.replicas' },
    });
    const forced = await apply(deployment(), 'fieldManager=a&force=true');
    expect(forced.body.spec).toMatchObject({ replicas: 1 });
    expect(await apply(deployment(), '')).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('is required for apply patch') },
    });
    expect(await apply({ ...deployment(), spec: { foo: 1 } }, 'fieldManager=a')).toMatchObject({
      status: 500,
      body: { message: expect.stringContaining('.spec.foo: field not declared in schema') },
    });
  });
});

test('custom resources are applied according to their schema', async () => {
  await withServer(async ({ call }) => {
    await call('POST', CRDS, NODE_CLAIM_CRD);
    const apply = (body: object, manager: string): ReturnType<typeof call> =>
      call('PATCH', `${CLAIMS}/c?fieldManager=${manager}`, body, { contentType: APPLY });
    expect((await apply(claim('c', { spec: { size: 1, list: [1] } }), 'a')).status).toBe(201);
    expect((await apply(claim('c', { spec: { list: [1, 2] } }), 'b')).body.message).toContain('conflict with "a": .spec.list');
    expect((await apply(claim('c', { spec: { list: [1] } }), 'a')).body.spec).toEqual({ list: [1] });
  });
});

test('unknown fields are dropped with a warning, refused, or ignored, as requested', async () => {
  await withServer(async (bench) => {
    const body = JSON.stringify({ ...pod('x', { foo: 1 }), bar: 2 });
    const send = (query: string): ReturnType<typeof ask> =>
      ask(bench, `${PODS}?dryRun=All${query}`, { 'content-type': 'application/json' }, 'POST', body);
    const warned = await send('');
    expect(warned.status).toBe(201);
    expect(warned.headers['warning']).toBe('299 - "unknown field \\"spec.foo\\"", 299 - "unknown field \\"bar\\""');
    expect(JSON.parse(warned.text)).not.toHaveProperty('bar');
    const refused = await send('&fieldValidation=Strict');
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('strict decoding error: unknown field \\"spec.foo\\", unknown field \\"bar\\"');
    expect((await send('&fieldValidation=Ignore')).headers['warning']).toBeUndefined();
    expect((await send('&fieldValidation=Other')).text).toContain('supported values: \\"\\", \\"Ignore\\", \\"Strict\\", \\"Warn\\"');
  });
});

test('fields that are sent twice cause a warning, a refusal, or nothing, as requested', async () => {
  await withServer(async ({ call }) => {
    const send = (body: string, query: string, contentType = 'application/json'): ReturnType<typeof call> =>
      call('POST', `/api/v1/namespaces/default/configmaps?dryRun=All${query}`, body, { contentType });
    const json = '{"metadata":{"name":"x","labels":{"a":"1","a":"2"}}}';
    const warned = await send(json, '');
    expect(warned).toMatchObject({ status: 201, body: { metadata: { labels: { a: '2' } } } });
    expect(warned.headers['warning']).toBe('299 - "duplicate field \\"metadata.labels.a\\""');
    const refused = await send(json, '&fieldValidation=Strict');
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('duplicate field "metadata.labels.a"') } });
    expect((await send(json, '&fieldValidation=Ignore')).headers['warning']).toBeUndefined();

    const yaml = 'metadata:\n  name: x\n  name: y2\n';
    const ofYaml = await send(yaml, '&fieldValidation=Strict', 'application/yaml');
    expect(ofYaml.body.message).toContain('yaml: unmarshal errors:\n  line 3: key "name" already set in map');
    expect((await send(yaml, '', 'application/yaml')).headers['warning']).toContain('line 3');
  });
});

test('a merge patch is refused for a field that it has twice', async () => {
  await withServer(async ({ call }) => {
    await call('POST', PODS, pod('x'));
    const patch = (body: string, contentType: string): ReturnType<typeof call> =>
      call('PATCH', `${PODS}/x?fieldValidation=Strict`, body, { contentType });
    const merged = await patch('{"metadata":{"labels":{"a":"1","a":"2"}}}', 'application/merge-patch+json');
    expect(merged).toMatchObject({ status: 422, body: { message: expect.stringContaining('duplicate field "metadata.labels.a"') } });
    const operations = '[{"op":"add","op":"add","path":"/metadata/labels","value":{},"other":1}]';
    const changed = await patch(operations, 'application/json-patch+json');
    expect(changed.body.message).toContain('json patch duplicate field "[0].op", json patch unknown field "[0].other"');
  });
});

test('JSON and YAML with too many levels are refused', async () => {
  await withServer(async ({ call }) => {
    expect((await call('POST', CRDS, NODE_CLAIM_CRD)).status).toBe(201);
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    const body = (name: string, levels: number): string => {
      return `{"apiVersion":"karpenter.sh/v1","kind":"NodeClaim","metadata":{"name":"${name}"}, "spec":{"any":${nested(levels)}}}`;
    };
    const most = MAX_DEPTH - 2;
    expect((await call('POST', CLAIMS, body('most', most))).status).toBe(201);
    expect(await call('POST', CLAIMS, body('more', most + 1))).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining("couldn't get version/kind; json parse error: invalid character '[' exceeded max depth (") },
    });
    for (const yaml of [`metadata: {name: a}\nany: ${nested(100_000)}\n`, `metadata: {name: a}\nany:\n${'- '.repeat(MAX_DEPTH)}a\n`]) {
      expect(await call('POST', CLAIMS, yaml, { contentType: 'application/yaml' })).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining(`yaml: exceeded max depth of ${MAX_DEPTH} (`) },
      });
    }
    const deepen = JSON.stringify([{ op: 'add', path: `/spec/any${'/0'.repeat(most - 1)}/-`, value: [] }]);
    expect((await call('PATCH', `${CLAIMS}/most`, deepen, { contentType: 'application/json-patch+json' })).status).toBe(422);
    expect((await call('GET', `${CLAIMS}/most`)).status).toBe(200);
  });
});

test('lists, objects and watches are available as tables and as metadata', async () => {
  await withServer(async (bench) => {
    const { call, clock } = bench;
    await call('POST', PODS, pod('a'));
    const table = JSON.parse((await ask(bench, PODS, { accept: TABLE })).text) as Json;
    expect(table).toMatchObject({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      rows: [
        {
          cells: ['a', '0/1', 'Pending', '0', '0s'].concat(Array(4).fill('<none>')),
          object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } },
        },
      ],
    });
    const bare = JSON.parse((await ask(bench, `${PODS}/a?includeObject=None`, { accept: TABLE })).text) as { rows: object[] };
    expect(bare.rows).toEqual([{ cells: expect.any(Array) }]);
    expect((await ask(bench, `${PODS}?includeObject=Other`, { accept: TABLE })).status).toBe(400);
    const partial = JSON.parse(
      (await ask(bench, PODS, { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' })).text,
    ) as Json;
    expect(partial).toMatchObject({
      kind: 'PartialObjectMetadataList',
      items: [{ kind: 'PartialObjectMetadata', metadata: { name: 'a' } }],
    });
    expect(partial.items?.[0]).not.toHaveProperty('spec');

    const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const { lines, stop, done } = await bench.watch(`${PODS}?${query}`, TABLE);
    await call('POST', PODS, pod('b'));
    await clock.sleep(50);
    stop();
    await done;
    expect(lines.map(({ type, object }) => [type, object['columnDefinitions'] !== null])).toEqual([
      ['ADDED', true],
      ['BOOKMARK', false],
      ['ADDED', false],
    ]);
    expect(lines[1]?.object).toMatchObject({
      kind: 'Table',
      rows: [{ object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } } }],
    });
  });
});

test('protobuf bodies are decoded: preconditions of deletions and evictions apply', async () => {
  const bodies = JSON.parse(readFileSync(join(packageRoot(), 'fixtures/recordings', 'protobuf-bodies.json'), 'utf8')) as {
    what: string;
    body: string;
  }[];
  const body = (what: string): Uint8Array => Buffer.from(bodies.find((one) => one.what === what)?.body ?? '', 'base64');
  const headers = { 'content-type': PROTOBUF, accept: `${PROTOBUF},application/json` };
  await withServer(async (bench) => {
    await bench.call('POST', PODS, pod('web-1'));
    const deletion = await ask(bench, `${PODS}/web-1`, headers, 'DELETE', body('DeleteOptions'));
    expect(deletion.status).toBe(409);
    expect(deletion.text).toContain('the UID in the precondition (abc) does not match');
    const eviction = await ask(bench, `${PODS}/web-1/eviction`, headers, 'POST', body('Eviction'));
    expect(eviction.status).toBe(409);
    const lease = await ask(bench, '/api/v1/namespaces/default/events', headers, 'POST', body('Event'));
    expect(lease.status).toBe(201);
    expect(lease.headers['content-type']).toBe(PROTOBUF);
    expect(decodeProtobuf(lease.bytes as Uint8Array, types)).toMatchObject({ reason: 'R', message: 'größer', count: 3 });
  });
});

test('objects and refusals are written in protobuf and YAML', async () => {
  await withServer(async (bench) => {
    await bench.call('POST', PODS, pod('a'));
    const inJson = JSON.parse((await ask(bench, `${PODS}/a`, { accept: 'application/json' })).text) as Json;
    const inProtobuf = await ask(bench, `${PODS}/a`, { accept: PROTOBUF });
    expect(decodeProtobuf(inProtobuf.bytes as Uint8Array, types)).toEqual(inJson);
    const inYaml = await ask(bench, `${PODS}/a`, { accept: 'application/yaml' });
    expect(inYaml.headers['content-type']).toBe('application/yaml');
    expect(parse(inYaml.text)).toEqual(inJson);
    const missing = await ask(bench, `${PODS}/b`, { accept: PROTOBUF });
    expect(missing.status).toBe(404);
    expect(decodeProtobuf(missing.bytes as Uint8Array, types)).toMatchObject({ kind: 'Status', reason: 'NotFound', code: 404 });
    const operation = bench.server.backend.describe({ method: 'GET', path: `${PODS}/b`, headers: {} });
    const note = bench.server.backend.describeAnswer(operation, { status: 404, body: missing.bytes });
    expect(note).toEqual({ code: 'NotFound', note: 'pods "b" not found' });
  });
});

test('what a history says of a success is known without its body, which may never be written', async () => {
  await withServer(async ({ call, server: { backend } }) => {
    await call('POST', PODS, pod('a'));
    for (const path of [PODS, `${PODS}/a`]) {
      const request = { method: 'GET', path, headers: {} };
      const operation = backend.describe(request);
      const { status, decoded } = await backend.handle(request, operation, { principal: 'target', incarnation: 1, span: 0 });
      expect(decoded).not.toBe(undefined);
      const answer = {
        status,
        get body(): string {
          throw new Error('the body was written');
        },
      };
      expect(backend.describeAnswer(operation, answer)).toEqual({});
    }
  });
});

test('a watch in protobuf has a frame for each event', async () => {
  await withServer(async (bench) => {
    await bench.call('POST', PODS, pod('a'));
    const { backend } = bench.server;
    const request = { method: 'GET', path: `${PODS}?watch=1&timeoutSeconds=1`, headers: { accept: PROTOBUF } };
    const answer = await backend.handle(request, backend.describe(request), { principal: 'scenario', incarnation: 1, span: 0 });
    expect(answer.headers['content-type']).toBe(`${PROTOBUF};stream=watch`);
    const bytes = (await readWhole(answer.body, 10_000)) as Uint8Array;
    expect(Buffer.from(bytes).readUInt32BE()).toBe(bytes.length - 4);
    const [type, object] = readFields(bytes.subarray(4));
    expect(Buffer.from(type?.value as Uint8Array).toString()).toBe('ADDED');
    const [raw] = readFields(object?.value as Uint8Array);
    expect(decodeProtobuf(raw?.value as Uint8Array, types)).toMatchObject({ kind: 'Pod', metadata: { name: 'a' } });
  });
});

test('priority and fairness refuses in plain text', async () => {
  await withServer(async ({ server }) => {
    const request = { method: 'GET', path: PODS, headers: {} };
    const refusal = {
      status: 429,
      code: 'TooManyRequests',
      message: 'Too many requests, please try again later.',
      retryAfterSeconds: 2,
      plain: true,
    };
    expect(server.backend.refuse(server.backend.describe(request), refusal)).toEqual({
      status: 429,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'retry-after': '2' },
      body: 'Too many requests, please try again later.\n',
    });
  });
});

test('lists refuse revisions that they can’t show', async () => {
  await withServer(async ({ call, server }) => {
    for (const name of ['a', 'b', 'c']) await call('POST', PODS, pod(name));
    const page = await call('GET', `${PODS}?limit=1`);
    const future = await call('GET', `${PODS}?resourceVersion=99999`);
    expect(future).toMatchObject({
      status: 504,
      headers: { 'retry-after': '1' },
      body: {
        reason: 'Timeout',
        details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }], retryAfterSeconds: 1 },
      },
    });
    expect((await call('GET', `${PODS}/a?resourceVersion=99999`)).status).toBe(504);
    for (const [query, message] of [
      ['resourceVersionMatch=Exact', 'resourceVersionMatch is forbidden unless resourceVersion is provided'],
      ['resourceVersion=0&resourceVersionMatch=Exact', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'],
      ['resourceVersion=1&resourceVersionMatch=Other', 'supported values: "Exact", "NotOlderThan", ""'],
      [`continue=x&resourceVersion=1&resourceVersionMatch=Exact`, 'resourceVersionMatch is forbidden when continue is provided'],
    ] as const) {
      const refused = await call('GET', `${PODS}?${query}`);
      expect(refused.status).toBe(422);
      expect(refused.body.message).toContain(message);
    }
    server.compact();
    await call('POST', PODS, pod('d'));
    server.compact();
    const expired = await call('GET', `${PODS}?limit=1&continue=${page.body.metadata.continue}`);
    expect(expired).toMatchObject({ status: 410, body: { reason: 'Expired' } });
    // The token continues after the page, with the newest state.
    const rest = await call('GET', `${PODS}?continue=${expired.body.metadata.continue}`);
    expect(rest.body.items?.map(({ metadata }) => metadata.name)).toEqual(['b', 'c', 'd']);
  });
});

test('a watch that requires initial events from a future revision gets an error', async () => {
  await withServer(async ({ watch }) => {
    const { lines, done } = await watch(
      '/api/v1/pods?watch=1&resourceVersion=99999&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
    );
    await done;
    expect(lines).toMatchObject([{ type: 'ERROR', object: { code: 504, reason: 'Timeout' } }]);
  });
});

test('discovery is served in every format', async () => {
  await withServer(async (bench) => {
    await bench.call('POST', CRDS, NODE_CLAIM_CRD);
    const json = async (path: string, accept = 'application/json'): Promise<Record<string, unknown>> =>
      JSON.parse((await ask(bench, path, { accept })).text) as Record<string, unknown>;
    const aggregated = await json('/apis', 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json');
    expect(aggregated['items']).toContainEqual(expect.objectContaining({ metadata: { name: 'karpenter.sh' } }));
    expect(await json('/apis/apps/v1')).toMatchObject({
      resources: expect.arrayContaining([
        expect.objectContaining({ name: 'deployments/scale', group: 'autoscaling', version: 'v1', kind: 'Scale' }),
      ]),
    });
    const index = await json('/openapi/v3');
    expect(index['paths']).toMatchObject({ 'api/v1': { serverRelativeURL: '/openapi/v3/api/v1' }, 'apis/karpenter.sh/v1': {} });
    const core = await json('/openapi/v3/api/v1');
    const described = ['components', 'schemas', 'io.k8s.api.core.v1.Pod'];
    expect(core).toHaveProperty([...described, 'description'], expect.stringContaining('Pod is a collection of containers'));
    expect(core).toHaveProperty(
      [...described, 'properties', 'spec', 'description'],
      expect.stringContaining('Specification of the desired'),
    );
    expect(core).toHaveProperty(
      [...described, 'properties', 'spec', 'allOf'],
      [{ $ref: '#/components/schemas/io.k8s.api.core.v1.PodSpec' }],
    );
    expect(core).toMatchObject({
      components: {
        schemas: {
          'io.k8s.api.core.v1.PodSpec': {
            properties: {
              containers: { 'x-kubernetes-patch-merge-key': 'name', items: { $ref: '#/components/schemas/io.k8s.api.core.v1.Container' } },
            },
          },
        },
      },
    });
    expect(await json('/openapi/v3/apis/karpenter.sh/v1')).toMatchObject({
      components: { schemas: { 'sh.karpenter.v1.NodeClaim': { 'x-kubernetes-group-version-kind': [{ kind: 'NodeClaim' }] } } },
    });
    const swagger = await ask(bench, '/openapi/v2', { accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf' });
    expect(swagger.headers['content-type']).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
    expect(swagger.bytes).toBeInstanceOf(Uint8Array);
    expect(await json('/openapi/v2')).toHaveProperty(['definitions', 'io.k8s.api.apps.v1.Deployment']);
  });
});
