import { expect, test } from '@playwright/test';
import { CLAIMS, CRDS, NODE_CLAIM_CRD, PODS, claim, pod, withServer } from './testing/api-server.ts';

test('a pod on a node is deleted gracefully: marked, then removed by its kubelet', async () => {
  await withServer(async ({ call, clock }) => {
    await call('POST', PODS, pod('web', { nodeName: 'n1' }));
    await clock.sleep(2000);
    const marked = await call('DELETE', `${PODS}/web`);
    expect(marked).toMatchObject({ status: 200, effect: { kind: 'applied', ids: ['pods/default/web'] } });
    expect(marked.body.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:32Z',
      deletionGracePeriodSeconds: 30,
      generation: 2,
    });
    expect((await call('DELETE', `${PODS}/web`)).effect).toEqual({ kind: 'none' });
    expect((await call('DELETE', `${PODS}/web`, { gracePeriodSeconds: 60 })).effect).toEqual({ kind: 'none' });
    const shorter = await call('DELETE', `${PODS}/web`, { gracePeriodSeconds: 10 });
    expect(shorter.body.metadata).toMatchObject({ deletionTimestamp: '2026-01-01T00:00:12Z', deletionGracePeriodSeconds: 10 });
    expect((await call('DELETE', `${PODS}/web?gracePeriodSeconds=0`)).status).toBe(200);
    expect((await call('GET', `${PODS}/web`)).status).toBe(404);
  });
});

const atOnce: [string, object, object | undefined][] = [
  ['without a node', {}, undefined],
  ['that failed', { nodeName: 'n1' }, { phase: 'Failed' }],
  ['that succeeded', { nodeName: 'n1' }, { phase: 'Succeeded' }],
];

for (const [what, spec, status] of atOnce) {
  test(`a pod ${what} is removed at once`, async () => {
    await withServer(async ({ call, merge }) => {
      await call('POST', PODS, pod('web', spec));
      if (status !== undefined) await merge(`${PODS}/web/status`, { status });
      expect((await call('DELETE', `${PODS}/web`)).status).toBe(200);
      expect((await call('GET', `${PODS}/web`)).status).toBe(404);
    });
  });
}

test('an object without a grace period is not marked by a deletion that is only tried', async () => {
  await withServer(async ({ call }) => {
    await call('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
    const tried = await call('DELETE', '/api/v1/namespaces/default/serviceaccounts/robot', { dryRun: ['All'] });
    expect(tried).toMatchObject({ status: 200, effect: { kind: 'none' } });
    expect(tried.body.metadata).not.toHaveProperty('deletionTimestamp');
  });
});

test('finalizers keep an object that is being deleted until the last is gone, and none can be added', async () => {
  await withServer(async ({ call, merge }) => {
    await call('POST', CRDS, NODE_CLAIM_CRD);
    await call('POST', CLAIMS, claim('c', { metadata: { name: 'c', finalizers: ['a.io/x', 'a.io/y'] } }));
    const deleting = await call('DELETE', `${CLAIMS}/c`);
    expect(deleting.body).toMatchObject({
      kind: 'NodeClaim',
      metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 },
    });
    expect((await call('DELETE', `${CLAIMS}/c`)).effect).toEqual({ kind: 'none' });
    const added = await merge(`${CLAIMS}/c`, { metadata: { finalizers: ['a.io/x', 'a.io/z'] } });
    expect(added.body.message).toBe(
      'NodeClaim.karpenter.sh "c" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a.io/z"}',
    );
    expect((await merge(`${CLAIMS}/c`, { metadata: { finalizers: ['a.io/y'] } })).status).toBe(200);
    const last = await merge(`${CLAIMS}/c`, { metadata: { finalizers: null } });
    expect(last).toMatchObject({ status: 200, effect: { kind: 'applied', ids: ['nodeclaims/c'] } });
    expect((await call('GET', `${CLAIMS}/c`)).status).toBe(404);
  });
});

test('an object without finalizers is removed at once, and the answer is a Status', async () => {
  await withServer(async ({ call }) => {
    await call('POST', CRDS, NODE_CLAIM_CRD);
    const { body } = await call('POST', CLAIMS, claim('c'));
    const gone = await call('DELETE', `${CLAIMS}/c`);
    expect(gone.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'c', group: 'karpenter.sh', kind: 'nodeclaims', uid: body.metadata.uid },
    });
  });
});

test('preconditions must hold', async () => {
  await withServer(async ({ call, merge }) => {
    const { body } = await call('POST', PODS, pod('web'));
    const uid = body.metadata.uid;
    const wrong = await call('DELETE', `${PODS}/web`, { preconditions: { uid: 'other' } });
    expect(wrong.status).toBe(409);
    expect(wrong.body.message).toBe(
      `Operation cannot be fulfilled on Pod "web": the UID in the precondition (other) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
    await merge(`${PODS}/web`, { metadata: { labels: { a: 'b' } } });
    const stale = await call('DELETE', `${PODS}/web`, { preconditions: { uid, resourceVersion: body.metadata.resourceVersion } });
    expect(stale).toMatchObject({ status: 409, effect: { kind: 'rejected', code: 'Conflict' } });
    expect((await call('DELETE', `${PODS}/web`, { preconditions: { uid } })).status).toBe(200);
  });
});

test('an eviction deletes gracefully, checks the uid, and refuses another name', async () => {
  await withServer(async ({ call, merge }) => {
    const { body } = await call('POST', PODS, pod('web', { nodeName: 'n1' }));
    await merge(`${PODS}/web/status`, { status: { phase: 'Running' } });
    const eviction = (name: string, deleteOptions: object): object => ({
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name },
      deleteOptions,
    });
    const evict = (name: string, options: object) => call('POST', `${PODS}/web/eviction`, eviction(name, options));
    expect((await evict('other', {})).body.message).toBe('name in URL does not match name in Eviction object');
    expect((await evict('web', { preconditions: { uid: 'other' } })).status).toBe(409);
    expect((await call('GET', `${PODS}/web`)).body.status).not.toHaveProperty('conditions');
    expect(await evict('web', { dryRun: ['All'] })).toMatchObject({ status: 201, effect: { kind: 'none' } });
    const done = await evict('web', { preconditions: { uid: body.metadata.uid }, gracePeriodSeconds: 5 });
    expect(done).toMatchObject({
      status: 201,
      body: { status: 'Success', code: 201 },
      effect: { kind: 'applied', ids: ['pods/default/web'] },
    });
    expect((await call('GET', `${PODS}/web`)).body).toMatchObject({
      metadata: { deletionGracePeriodSeconds: 5 },
      status: { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }] },
    });
    expect((await evict('web', {})).status).toBe(201);
    expect((await call('POST', `${PODS}/none/eviction`, eviction('none', {}))).status).toBe(404);
  });
});

test('a collection is deleted by selector', async () => {
  await withServer(async ({ call }) => {
    for (const name of ['a', 'b', 'c']) await call('POST', PODS, pod(name, {}, { labels: { app: name === 'c' ? 'db' : 'web' } }));
    const gone = await call('DELETE', `${PODS}?labelSelector=app%3Dweb`);
    expect(gone.body.items?.map((item) => item.metadata.name)).toEqual(['a', 'b']);
    expect(gone.effect).toEqual({ kind: 'applied', ids: ['pods/default/a', 'pods/default/b'] });
    expect((await call('GET', PODS)).body.items).toHaveLength(1);
  });
});

test('dependents are deleted after their last owner, in the background', async () => {
  await withServer(async ({ call, clock }) => {
    await call('POST', CRDS, NODE_CLAIM_CRD);
    const owners = [];
    for (const name of ['a', 'b']) {
      const { body } = await call('POST', CLAIMS, claim(name));
      owners.push({ apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name, uid: body.metadata.uid, blockOwnerDeletion: true });
    }
    await call('POST', '/api/v1/nodes', { metadata: { name: 'both', ownerReferences: owners } });
    await call('POST', '/api/v1/nodes', { metadata: { name: 'one', ownerReferences: owners.slice(0, 1) } });
    await call('POST', '/api/v1/nodes', { metadata: { name: 'orphan', ownerReferences: [{ ...owners[0], uid: 'never-was' }] } });
    const left = async (): Promise<(string | undefined)[]> => {
      await clock.sleep(1000);
      return ((await call('GET', '/api/v1/nodes')).body.items ?? []).map((item) => item.metadata.name);
    };
    expect(await left()).toEqual(['both', 'one']);
    await call('DELETE', `${CLAIMS}/a`);
    expect((await call('GET', '/api/v1/nodes/one')).status).toBe(200);
    expect(await left()).toEqual(['both']);
    expect((await call('GET', '/api/v1/nodes/both')).body.metadata.ownerReferences).toEqual(owners.slice(1));
    await call('DELETE', `${CLAIMS}/b`);
    expect(await left()).toEqual([]);
  });
});
