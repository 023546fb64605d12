import { ApiException, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { expect, test } from '@playwright/test';
import { clientNodeApis } from '../../clients/testing/client-node-apis.ts';
import { CRDS, NODE_CLAIM_CRD, PODS, claim, pod, withServer } from './testing/api-server.ts';
import type { Bench } from './testing/api-server.ts';

/** The real client's API classes on the backend, in process. */
function connect({ server }: Bench): ReturnType<typeof clientNodeApis> {
  const caller = { principal: 'target', incarnation: 1, span: 0 } as const;
  return clientNodeApis((request) => server.backend.handle(request, server.backend.describe(request), caller));
}

test("client-node's CoreV1Api reads, writes, patches, evicts and understands refusals", async () => {
  await withServer(async (bench) => {
    const { core } = connect(bench);
    const namespace = 'default';
    const created = await core.createNamespacedPod({ namespace, body: pod('web', { nodeName: 'n1' }) });
    expect(created.metadata?.creationTimestamp).toEqual(new Date('2026-01-01T00:00:00Z'));
    expect((await core.listPodForAllNamespaces({ fieldSelector: 'spec.nodeName=n1', limit: 10 })).items[0]?.metadata?.name).toBe('web');
    const patched = await core.patchNamespacedPod(
      { namespace, name: 'web', body: { metadata: { labels: { a: 'b' } } } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );
    expect(patched.metadata?.labels).toEqual({ a: 'b' });
    const evicted = core.createNamespacedPodEviction({
      name: 'web',
      namespace,
      body: { metadata: { name: 'web', namespace }, deleteOptions: { gracePeriodSeconds: 3 } },
    });
    await evicted;
    expect((await core.readNamespacedPod({ namespace, name: 'web' })).metadata?.deletionGracePeriodSeconds).toBe(3);
    await core.deleteNamespacedPod({ namespace, name: 'web', gracePeriodSeconds: 0 });
    const error: unknown = await core.readNamespacedPod({ namespace, name: 'web' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiException);
    expect(error).toMatchObject({ code: 404 });
    expect((await bench.call('GET', PODS)).body.items).toEqual([]);
  });
});

test("client-node's CustomObjectsApi serves a defined resource", async () => {
  await withServer(async (bench) => {
    await bench.call('POST', CRDS, NODE_CLAIM_CRD);
    const { custom } = connect(bench);
    const type = { group: 'karpenter.sh', version: 'v1', plural: 'nodeclaims' };
    await custom.createClusterCustomObject({ ...type, body: claim('c', { metadata: { name: 'c', finalizers: ['a.io/x'] } }) });
    const status = { status: { providerID: 'aws:///a/i-1' } };
    const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
    expect(await custom.patchClusterCustomObjectStatus({ ...type, name: 'c', body: status }, merge)).toMatchObject(status);
    await custom.deleteClusterCustomObject({ ...type, name: 'c' });
    const operations = [{ op: 'remove', path: '/metadata/finalizers' }];
    await custom.patchClusterCustomObject({ ...type, name: 'c', body: operations });
    expect(await custom.listClusterCustomObject(type)).toMatchObject({ kind: 'NodeClaimList', items: [] });
  });
});
