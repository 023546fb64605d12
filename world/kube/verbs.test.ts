import { expect, test } from '@playwright/test';
import { CLAIMS, CRDS, NODE_CLAIM_CRD, PODS, claim, pod, withServer } from './testing/api-server.ts';

test('a new object gets an identity, defaults and what admission adds; get and list show it', async () => {
  await withServer(async ({ call }) => {
    const created = await call('POST', PODS, pod('web', { priorityClassName: 'system-node-critical' }));
    expect(created.status).toBe(201);
    expect(created.effect).toEqual({ kind: 'applied', ids: ['pods/default/web'] });
    expect(created.body).toMatchObject({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'web', namespace: 'default', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: {
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        schedulerName: 'default-scheduler',
        priority: 2_000_001_000,
        tolerations: [
          { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
          { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
        ],
      },
      status: { phase: 'Pending', qosClass: 'BestEffort' },
    });
    expect(created.body.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);

    const got = await call('GET', `${PODS}/web`);
    expect(got).toMatchObject({ status: 200, effect: { kind: 'none' } });
    expect(got.body).toEqual(created.body);

    const list = await call('GET', '/api/v1/pods');
    expect(list.body).toMatchObject({ kind: 'PodList', metadata: { resourceVersion: created.body.metadata.resourceVersion } });
    expect(list.body.items).toHaveLength(1);
    expect(list.body.items?.[0]).not.toHaveProperty('kind');
    expect(list.body.items?.[0]?.metadata).toEqual(created.body.metadata);
  });
});

test('generated names are unused and come from the seed', async () => {
  const names = async (seed: number): Promise<string[]> => {
    const found: string[] = [];
    await withServer(async ({ call }) => {
      for (let count = 0; count < 5; count += 1) {
        const { body } = await call('POST', PODS, {
          metadata: { generateName: 'web-' },
          spec: { containers: [{ name: 'a', image: 'b' }] },
        });
        found.push(body.metadata.name ?? '');
      }
    }, seed);
    return found;
  };
  const first = await names(1);
  expect(new Set(first).size).toBe(5);
  for (const name of first) expect(name).toMatch(/^web-[a-z0-9]{5}$/);
  expect(await names(1)).toEqual(first);
  expect(await names(2)).not.toEqual(first);
});

interface Refusal {
  readonly what: string;
  readonly request: readonly [method: string, path: string, body?: unknown, contentType?: string];
  readonly status: number;
  readonly reason?: string;
  readonly message: string;
}

const refusals: Refusal[] = [
  {
    what: 'a name that is taken',
    request: ['POST', PODS, pod('web')],
    status: 409,
    reason: 'AlreadyExists',
    message: 'pods "web" already exists',
  },
  { what: 'a missing object', request: ['GET', `${PODS}/none`], status: 404, reason: 'NotFound', message: 'pods "none" not found' },
  {
    what: 'a missing custom object',
    request: ['GET', `${CLAIMS}/none`],
    status: 404,
    reason: 'NotFound',
    message: 'nodeclaims.karpenter.sh "none" not found',
  },
  {
    what: 'a missing namespace',
    request: ['POST', '/api/v1/namespaces/nowhere/pods', pod('web')],
    status: 404,
    reason: 'NotFound',
    message: 'namespaces "nowhere" not found',
  },
  { what: 'a resource that is not served', request: ['GET', '/apis/x.io/v1/things'], status: 404, message: '404 page not found\n' },
  {
    what: 'a subresource that is not served',
    request: ['GET', `${PODS}/web/nothing`],
    status: 404,
    message: 'the server could not find the requested resource',
  },
  {
    what: 'a creation in all namespaces',
    request: ['POST', '/api/v1/pods', pod('web')],
    status: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
  },
  {
    what: 'a stale resource version',
    request: ['PUT', `${PODS}/web`, { ...pod('web', {}, { resourceVersion: '1' }) }],
    status: 409,
    reason: 'Conflict',
    message:
      'Operation cannot be fulfilled on pods "web": the object has been modified; please apply your changes to the latest version and try again',
  },
  {
    what: 'a name that differs from the URL',
    request: ['PUT', `${PODS}/web`, pod('other')],
    status: 400,
    reason: 'BadRequest',
    message: 'the name of the object (other) does not match the name on the URL (web)',
  },
  {
    what: 'a name that differs from the URL, of an object that is not there',
    request: ['PUT', `${PODS}/none`, pod('other')],
    status: 400,
    reason: 'BadRequest',
    message: 'the name of the object (other) does not match the name on the URL (none)',
  },
  {
    what: 'a namespace that differs from the URL',
    request: ['POST', PODS, pod('x', {}, { namespace: 'kube-system' })],
    status: 400,
    reason: 'BadRequest',
    message: 'the namespace of the provided object does not match the namespace sent on the request',
  },
  {
    what: 'an update of a custom object without resource version',
    request: ['PUT', `${CLAIMS}/c`, claim('c')],
    status: 422,
    reason: 'Invalid',
    message: 'nodeclaims.karpenter.sh "c" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  },
  {
    what: 'the wrong kind',
    request: ['POST', PODS, { ...pod('x'), kind: 'Node' }],
    status: 400,
    reason: 'BadRequest',
    message: 'Node in version "v1" cannot be handled as a Pod: converting (v1.Node) to (core.Pod): unknown conversion',
  },
  {
    what: 'the wrong version',
    request: ['POST', PODS, { ...pod('x'), apiVersion: 'v2' }],
    status: 400,
    reason: 'BadRequest',
    message:
      'Pod in version "v2" cannot be handled as a Pod: no kind "Pod" is registered for version "v2" in scheme "pkg/runtime/scheme.go:110"',
  },
  {
    what: 'a strategic merge patch of a custom resource',
    request: ['PATCH', `${CLAIMS}/c`, {}, 'application/strategic-merge-patch+json'],
    status: 415,
    reason: 'UnsupportedMediaType',
    message:
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
  },
  {
    what: 'a protobuf body of a custom resource',
    request: ['POST', CLAIMS, 'k8s\u0000', 'application/vnd.kubernetes.protobuf'],
    status: 415,
    reason: 'UnsupportedMediaType',
    message: 'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml',
  },
  {
    what: 'a JSON patch whose test fails',
    request: ['PATCH', `${PODS}/web`, [{ op: 'test', path: '/metadata/name', value: 'x' }], 'application/json-patch+json'],
    status: 422,
    reason: 'Invalid',
    message: 'the server rejected our request due to an error in our request',
  },
  {
    what: 'an unknown field label',
    request: ['GET', '/api/v1/pods?fieldSelector=spec.foo%3D1'],
    status: 400,
    reason: 'BadRequest',
    message: 'field label not supported: spec.foo',
  },
  {
    what: 'an unknown priority class',
    request: ['POST', PODS, pod('x', { priorityClassName: 'none' })],
    status: 403,
    reason: 'Forbidden',
    message: 'pods "x" is forbidden: no PriorityClass with name none was found',
  },
];

for (const { what, request, status, reason, message } of refusals) {
  test(`${what} is refused with ${status} ${reason ?? ''}`, async () => {
    await withServer(async ({ call }) => {
      await call('POST', CRDS, NODE_CLAIM_CRD);
      await call('POST', CLAIMS, claim('c'));
      await call('POST', PODS, pod('web'));
      const [method, path, body, contentType] = request;
      const refused = await call(method, path, body, contentType === undefined ? {} : { contentType });
      expect(refused.body.message).toBe(message);
      expect(refused.status).toBe(status);
      if (reason === undefined) return;
      expect(refused.body).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code: status });
      expect(refused.effect).toEqual({ kind: 'rejected', code: reason });
    });
  });
}

test('patches change only the fields in them; a patch without changes has no effect', async () => {
  await withServer(async ({ call, merge }) => {
    await call('POST', PODS, pod('web', {}, { labels: { a: '1', b: '2' } }));
    const patched = await merge(`${PODS}/web`, { metadata: { labels: { a: null, c: '3' } } });
    expect(patched.body.metadata.labels).toEqual({ b: '2', c: '3' });
    expect(patched.effect).toEqual({ kind: 'applied', ids: ['pods/default/web'] });
    const again = await merge(`${PODS}/web`, { metadata: { labels: { a: null, c: '3' } } });
    expect(again.effect).toEqual({ kind: 'none' });
    expect(again.body).toEqual(patched.body);
    const operations = [{ op: 'add', path: '/metadata/annotations', value: { note: 'x' } }];
    const json = await call('PATCH', `${PODS}/web`, operations, { contentType: 'application/json-patch+json' });
    expect(json.body.metadata).toMatchObject({ annotations: { note: 'x' }, generation: 1, uid: patched.body.metadata.uid });
    const stale = await merge(`${PODS}/web`, { metadata: { resourceVersion: patched.body.metadata.resourceVersion, labels: { d: '4' } } });
    expect(stale.status).toBe(409);
  });
});

test('identity and timestamps can’t be changed', async () => {
  await withServer(async ({ call, merge, clock }) => {
    const { body } = await call('POST', PODS, pod('web'));
    await clock.sleep(5000);
    const change = {
      creationTimestamp: '2020-01-01T00:00:00Z',
      generation: 9,
      deletionTimestamp: '2020-01-01T00:00:00Z',
      labels: { x: 'y' },
    };
    const patched = await merge(`${PODS}/web`, { metadata: change });
    expect(patched.body.metadata).toEqual({
      ...body.metadata,
      labels: { x: 'y' },
      resourceVersion: patched.body.metadata.resourceVersion,
    });
    expect(await merge(`${PODS}/web`, { metadata: { uid: 'other' } })).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
  });
});

test('status and spec are written separately, and only the spec raises the generation', async () => {
  await withServer(async ({ call, merge }) => {
    await call('POST', CRDS, NODE_CLAIM_CRD);
    const created = await call('POST', CLAIMS, claim('c', { status: { nodeName: 'dropped' } }));
    expect(created.body).not.toHaveProperty('status');
    expect(created.body.metadata.generation).toBe(1);

    const status = await merge(`${CLAIMS}/c/status`, {
      metadata: { labels: { ignored: 'x' } },
      spec: { size: 9 },
      status: { nodeName: 'n' },
    });
    expect(status.body).toMatchObject({ spec: { size: 1 }, status: { nodeName: 'n' }, metadata: { generation: 1 } });
    expect(status.body.metadata.labels).toBeUndefined();

    const main = await merge(`${CLAIMS}/c`, { metadata: { labels: { kept: 'x' } }, spec: { size: 2 }, status: { nodeName: 'other' } });
    expect(main.body).toMatchObject({ spec: { size: 2 }, status: { nodeName: 'n' }, metadata: { generation: 2, labels: { kept: 'x' } } });
    expect((await merge(`${CLAIMS}/c`, { metadata: { labels: { kept: 'y' } } })).body.metadata.generation).toBe(2);
  });
});

test('a definition is established and its resource served; without it, nothing is served', async () => {
  await withServer(async ({ call }) => {
    expect((await call('GET', CLAIMS)).status).toBe(404);
    const definition = await call('POST', CRDS, NODE_CLAIM_CRD);
    expect(definition.body.status).toMatchObject({
      conditions: [
        { type: 'NamesAccepted', status: 'True' },
        { type: 'Established', status: 'True' },
      ],
      storedVersions: ['v1'],
    });
    await call('POST', CLAIMS, claim('c'));
    expect((await call('GET', CLAIMS)).body).toMatchObject({
      kind: 'NodeClaimList',
      items: [{ kind: 'NodeClaim', metadata: { name: 'c' } }],
    });
    expect((await call('GET', '/apis')).body.groups).toContainEqual(expect.objectContaining({ name: 'karpenter.sh' }));
    const wrong = await call('POST', CRDS, { ...NODE_CLAIM_CRD, metadata: { name: 'claims.karpenter.sh' } });
    expect(wrong.body.message).toContain('must be spec.names.plural+"."+spec.group');
  });
});

test('lists support selectors, consistent pages, and older revisions', async () => {
  await withServer(async ({ call, merge }) => {
    for (const name of ['c', 'a', 'b', 'e', 'd']) {
      await call('POST', PODS, pod(name, name < 'c' ? { nodeName: 'n1' } : {}, { labels: { app: name < 'd' ? 'web' : 'db' } }));
    }
    const names = async (query: string): Promise<string> => {
      const { body } = await call('GET', `${PODS}?${query}`);
      return (body.items ?? []).map((item) => item.metadata.name).join('');
    };
    expect(await names('')).toBe('abcde');
    expect(await names('labelSelector=app%3Dweb')).toBe('abc');
    expect(await names('labelSelector=app+notin+(web)')).toBe('de');
    expect(await names('fieldSelector=spec.nodeName%3Dn1')).toBe('ab');
    expect(await names('fieldSelector=spec.nodeName%3D,status.phase%3DPending')).toBe('cde');
    expect(await names('fieldSelector=metadata.name%3Dd')).toBe('d');

    const first = await call('GET', `${PODS}?limit=2`);
    expect(first.body.metadata.remainingItemCount).toBe(3);
    await call('DELETE', `${PODS}/d`);
    await merge(`${PODS}/e`, { metadata: { labels: { app: 'changed' } } });
    const second = await call('GET', `${PODS}?limit=9&continue=${first.body.metadata.continue}`);
    expect(second.body.items?.map((item) => item.metadata.name)).toEqual(['c', 'd', 'e']);
    expect(second.body.items?.at(2)?.metadata.labels).toEqual({ app: 'db' });
    expect(second.body.metadata).toEqual({ resourceVersion: first.body.metadata.resourceVersion });
    expect(await names(`resourceVersion=${first.body.metadata.resourceVersion}&resourceVersionMatch=Exact`)).toBe('abcde');
    expect(await names(`resourceVersion=${first.body.metadata.resourceVersion}`)).toBe('abce');
    // The watch cache makes no pages at any revision; a page at a certain one shows exactly that.
    expect(await names('resourceVersion=0&limit=2')).toBe('abce');
    expect(await names(`resourceVersion=${first.body.metadata.resourceVersion}&limit=9`)).toBe('abcde');
  });
});

test('a continue token from before a compaction has expired', async () => {
  await withServer(async ({ call, server }) => {
    for (const name of ['a', 'b']) await call('POST', PODS, pod(name));
    const { body } = await call('GET', `${PODS}?limit=1`);
    await call('POST', PODS, pod('c'));
    server.compact();
    const later = await call('GET', `${PODS}?limit=1&continue=${body.metadata.continue}`);
    expect(later).toMatchObject({ status: 410, body: { reason: 'Expired', code: 410 } });
  });
});

test('a dry run gives the same answer but changes nothing', async () => {
  await withServer(async ({ call, merge }) => {
    const created = await call('POST', `${PODS}?dryRun=All`, pod('web'));
    expect(created).toMatchObject({ status: 201, effect: { kind: 'none' } });
    expect((await call('GET', `${PODS}/web`)).status).toBe(404);
    const { body } = await call('POST', PODS, pod('web', { nodeName: 'n' }));
    const patched = await merge(`${PODS}/web?dryRun=All`, { metadata: { labels: { a: 'b' } } });
    expect(patched).toMatchObject({ effect: { kind: 'none' }, body: { metadata: { labels: { a: 'b' } } } });
    expect((await call('DELETE', `${PODS}/web`, { dryRun: ['All'] })).effect).toEqual({ kind: 'none' });
    expect((await call('GET', `${PODS}/web`)).body).toEqual(body);
    expect((await call('POST', `${PODS}?dryRun=Some`, pod('x'))).status).toBe(422);
  });
});

test('a pod is bound once', async () => {
  await withServer(async ({ call }) => {
    await call('POST', PODS, pod('web'));
    const binding = { metadata: { name: 'web' }, target: { kind: 'Node', name: 'n1' } };
    expect(await call('POST', `${PODS}/web/binding`, binding)).toMatchObject({ status: 201, body: { kind: 'Status', status: 'Success' } });
    expect((await call('GET', `${PODS}/web`)).body).toMatchObject({
      spec: { nodeName: 'n1' },
      status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
    });
    const again = await call('POST', `${PODS}/web/binding`, binding);
    expect(again.status).toBe(409);
    expect(again.body.message).toBe('Operation cannot be fulfilled on pods/binding "web": pod web is already assigned to node "n1"');
  });
});

test('version, health and discovery answer', async () => {
  await withServer(async ({ call }) => {
    expect((await call('GET', '/version')).body).toMatchObject({ major: '1', minor: '34' });
    for (const path of ['/healthz', '/livez', '/readyz?verbose']) expect((await call('GET', path)).body.message).toBe('ok');
    expect((await call('GET', '/api')).body.versions).toEqual(['v1']);
    const core = await call('GET', '/api/v1');
    expect(core.body.resources).toContainEqual(
      expect.objectContaining({ name: 'pods', kind: 'Pod', namespaced: true, shortNames: ['po'] }),
    );
    expect(core.body.resources).toContainEqual(expect.objectContaining({ name: 'pods/eviction', kind: 'Eviction' }));
    const apps = await call('GET', '/apis/apps/v1');
    expect(apps.body).toMatchObject({ groupVersion: 'apps/v1', kind: 'APIResourceList' });
    expect((await call('GET', '/apis/apps')).body).toMatchObject({ preferredVersion: { groupVersion: 'apps/v1' } });
  });
});

test('nodes start with the not-ready taint, and keep their status and provider id', async () => {
  await withServer(async ({ call, merge }) => {
    const created = await call('POST', '/api/v1/nodes', { metadata: { name: 'n1' }, status: { capacity: { cpu: '2000m' } } });
    expect(created.body).toMatchObject({
      spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] },
      status: { capacity: { cpu: '2' } },
    });
    expect((await merge('/api/v1/nodes/n1', { spec: { providerID: 'aws:///a/i-1' } })).status).toBe(200);
    const changed = await merge('/api/v1/nodes/n1', { spec: { providerID: 'aws:///a/i-2' } });
    expect(changed.body.message).toBe(
      'Node "n1" is invalid: spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
    );
  });
});

test('a key named __proto__ is data, in a body and in a patch', async () => {
  await withServer(async ({ call, merge }) => {
    const path = '/api/v1/namespaces/default/configmaps';
    const made = await call('POST', path, '{"metadata":{"name":"c"},"data":{"__proto__":"x","gone":null}}');
    expect(JSON.stringify(made.body.data)).toBe('{"__proto__":"x"}');
    const patched = await call('PATCH', `${path}/c`, '{"data":{"__proto__":"y"}}', { contentType: 'application/merge-patch+json' });
    expect(JSON.stringify(patched.body.data)).toBe('{"__proto__":"y"}');
    const labels = '{"metadata":{"labels":{"__proto__":"z"}}}';
    const refused = await call('PATCH', `${path}/c`, labels, { contentType: 'application/merge-patch+json' });
    expect(refused.status).toBe(422);
    expect((await merge(`${path}/c`, { data: { k: 'v' } })).status).toBe(200);
  });
});

test('a PUT creates an object where its resource allows that', async () => {
  await withServer(async ({ call }) => {
    const LEASE = '/apis/coordination.k8s.io/v1/namespaces/default/leases/mine';
    const body = { metadata: { name: 'mine', namespace: 'default', resourceVersion: '7' }, spec: { holderIdentity: 'me' } };
    const created = await call('PUT', LEASE, body);
    expect(created).toMatchObject({ status: 201, effect: { kind: 'applied', ids: ['leases/default/mine'] } });
    expect((await call('PUT', LEASE, { ...created.body, spec: { holderIdentity: 'you' } })).status).toBe(200);
    expect((await call('PUT', LEASE.replace('mine', 'other'), body)).body.message).toContain('does not match the name on the URL');
    const missing = await call('PUT', '/api/v1/namespaces/default/configmaps/mine', { metadata: { name: 'mine' } });
    expect(missing.status).toBe(404);
  });
});

test('what needs running containers says that it is not emulated', async () => {
  await withServer(async ({ call }) => {
    for (const [method, path] of [
      ['GET', `${PODS}/web/log`],
      ['POST', `${PODS}/web/exec?command=ls`],
      ['GET', '/api/v1/nodes/a/proxy'],
    ] as const) {
      const { status, body } = await call(method, path);
      expect({ status, reason: body['reason'], message: body['message'] }).toEqual({
        status: 404,
        reason: 'NotFound',
        message: expect.stringContaining('is not emulated') as unknown,
      });
    }
  });
});

test('discovery says which verbs namespaces have', async () => {
  await withServer(async ({ call }) => {
    const { body } = await call('GET', '/api/v1');
    const resources = body['resources'] as { name: string; verbs: string[] }[];
    const verbsOf = (name: string): string[] | undefined => resources.find((one) => one.name === name)?.verbs;
    expect(verbsOf('namespaces')).not.toContain('deletecollection');
    expect(verbsOf('pods')).toContain('deletecollection');
    expect(verbsOf('namespaces/finalize')).toEqual(['update']);
  });
});
