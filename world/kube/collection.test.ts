import { expect, test } from '@playwright/test';
import { defined } from '../../model/defined.ts';
import { CLAIMS, CRDS, NODE_CLAIM_CRD, PODS, claim, pod, withServer } from './testing/api-server.ts';
import type { Bench } from './testing/api-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const OWNER = 'owner';

/** Creates an owner, and one dependent for each entry, which says whether it blocks. */
async function family({ call }: Bench, blocking: readonly boolean[]): Promise<void> {
  const { body } = await call('POST', MAPS, { metadata: { name: OWNER } });
  for (const [index, blockOwnerDeletion] of blocking.entries()) {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: OWNER, uid: body.metadata.uid, blockOwnerDeletion }];
    await call('POST', MAPS, { metadata: { name: `child-${index}`, ownerReferences, finalizers: ['example.com/hold'] } });
  }
}

async function left({ call, clock }: Bench): Promise<Record<string, unknown>> {
  await clock.sleep(5000);
  const items = (await call('GET', MAPS)).body.items ?? [];
  return Object.fromEntries(
    items.map(({ metadata: { name = '', finalizers = [], deletionTimestamp, ownerReferences = [] } }) => {
      return [name, { finalizers, deleting: deletionTimestamp !== undefined, owners: ownerReferences.length }];
    }),
  );
}

test('in a foreground deletion the owner waits for the dependents that block it', async () => {
  await withServer(async (bench) => {
    await family(bench, [true, false]);
    const { body } = await bench.call('DELETE', `${MAPS}/${OWNER}`, { propagationPolicy: 'Foreground' });
    expect(body.metadata).toMatchObject({ finalizers: ['foregroundDeletion'], deletionTimestamp: '2026-01-01T00:00:00Z' });
    const held = { finalizers: ['example.com/hold'], deleting: true, owners: 1 };
    expect(await left(bench)).toEqual({
      [OWNER]: { finalizers: ['foregroundDeletion'], deleting: true, owners: 0 },
      'child-0': held,
      'child-1': held,
    });
    await bench.merge(`${MAPS}/child-0`, { metadata: { finalizers: null } });
    // The other one doesn't block.
    expect(await left(bench)).toEqual({ 'child-1': held });
  });
});

test('a foreground deletion cascades, each generation waiting for the next', async () => {
  await withServer(async (bench) => {
    const { call } = bench;
    let owner: object | undefined;
    for (const name of ['grandparent', 'parent', 'child']) {
      const { body } = await call('POST', MAPS, { metadata: { name, ...defined({ ownerReferences: owner && [owner] }) } });
      owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid: body.metadata.uid, blockOwnerDeletion: true };
    }
    const watch = await bench.watch(`${MAPS}?watch=true&resourceVersion=0`);
    await call('DELETE', `${MAPS}/grandparent?propagationPolicy=Foreground`);
    expect(await left(bench)).toEqual({});
    watch.stop();
    await watch.done;
    const gone = watch.lines.filter(({ type }) => type === 'DELETED').map(({ object }) => object.metadata.name);
    expect(gone).toEqual(['child', 'parent', 'grandparent']);
  });
});

test('an owner that orphans its dependents is removed from their references', async () => {
  await withServer(async (bench) => {
    await family(bench, [true, false]);
    const { body } = await bench.call('DELETE', `${MAPS}/${OWNER}`, { propagationPolicy: 'Orphan' });
    expect(body.metadata.finalizers).toEqual(['orphan']);
    const free = { finalizers: ['example.com/hold'], deleting: false, owners: 0 };
    expect(await left(bench)).toEqual({ 'child-0': free, 'child-1': free });
  });
});

test('the deprecated orphanDependents works, and an unknown policy is refused', async () => {
  await withServer(async (bench) => {
    await family(bench, [false]);
    const wrong = await bench.call('DELETE', `${MAPS}/${OWNER}`, { propagationPolicy: 'Sideways' });
    expect(wrong.body.message).toBe(
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
    );
    expect((await bench.call('DELETE', `${MAPS}/${OWNER}`, { orphanDependents: true })).body.metadata.finalizers).toEqual(['orphan']);
  });
});

test('a namespace is emptied before it is removed, and refuses new objects meanwhile', async () => {
  await withServer(async ({ call, merge, clock }) => {
    const at = '/api/v1/namespaces/team';
    const created = await call('POST', '/api/v1/namespaces', { metadata: { name: 'team' } });
    expect(created.body).toMatchObject({ spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } });
    await call('POST', `${at}/configmaps`, { metadata: { name: 'held', finalizers: ['example.com/hold'] } });
    await call('POST', `${at}/pods`, pod('running', { nodeName: 'n1' }));
    const deleting = await call('DELETE', at);
    expect(deleting.body).toMatchObject({ kind: 'Namespace', status: { phase: 'Terminating' } });
    expect(deleting.body.metadata).not.toHaveProperty('deletionGracePeriodSeconds');
    const refused = await call('POST', `${at}/configmaps`, { metadata: { name: 'late' } });
    expect(refused.body).toMatchObject({
      code: 403,
      message: 'configmaps "late" is forbidden: unable to create new content in namespace team because it is being terminated',
      details: { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] },
    });
    await clock.sleep(10_000);
    expect((await call('GET', `${at}/pods/running`)).body.metadata.deletionGracePeriodSeconds).toBe(30);
    await call('DELETE', `${at}/pods/running?gracePeriodSeconds=0`);
    await merge(`${at}/configmaps/held`, { metadata: { finalizers: null } });
    await clock.sleep(60_000);
    expect((await call('GET', at)).status).toBe(404);
  });
});

test('deleting a definition deletes its objects', async () => {
  await withServer(async ({ call, clock }) => {
    await call('POST', CRDS, NODE_CLAIM_CRD);
    await call('POST', CLAIMS, claim('a'));
    await call('DELETE', `${CRDS}/nodeclaims.karpenter.sh`);
    await clock.sleep(1000);
    expect((await call('GET', CLAIMS)).status).toBe(404);
    await call('POST', CRDS, NODE_CLAIM_CRD);
    expect((await call('GET', CLAIMS)).body.items).toEqual([]);
  });
});

test('events expire an hour after they were last written', async () => {
  await withServer(async ({ call, merge, clock }) => {
    const at = '/api/v1/namespaces/default/events';
    for (const name of ['once', 'again']) {
      await call('POST', at, {
        metadata: { name },
        involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
        reason: 'R',
        message: 'm',
      });
    }
    await clock.sleep(1_800_000);
    await merge(`${at}/again`, { count: 2 });
    await clock.sleep(1_800_001);
    expect((await call('GET', at)).body.items?.map(({ metadata }) => metadata.name)).toEqual(['again']);
    await clock.sleep(1_800_000);
    expect((await call('GET', at)).body.items).toEqual([]);
  });
});

test('an object that is too large is refused with etcd’s message', async () => {
  await withServer(async ({ call }) => {
    await call('POST', CRDS, NODE_CLAIM_CRD);
    const refused = await call('POST', CLAIMS, claim('big', { spec: { text: 'x'.repeat(1_600_000) } }));
    expect(refused).toMatchObject({ status: 500, body: { message: 'etcdserver: request is too large' } });
    expect((await call('GET', `${PODS}/big`)).status).toBe(404);
  });
});
