import { expect, test } from '@playwright/test';
import type { OwnerReference } from '../model/kube.ts';
import { createRandom } from '../runtime/random.ts';
import type { TargetSite } from '../targets/target.ts';
import { NODE_CLAIM_CRD, withServer } from '../world/kube/testing/api-server.ts';
import { storedObjects } from './upgraded-objects.ts';

const POOLS = {
  ...NODE_CLAIM_CRD,
  metadata: { name: 'nodepools.karpenter.sh' },
  spec: { ...NODE_CLAIM_CRD.spec, names: { plural: 'nodepools', singular: 'nodepool', kind: 'NodePool', listKind: 'NodePoolList' } },
};

test('what goes with its owner is not expected to outlast an upgrade', async () => {
  await withServer(async ({ server, clock, call }) => {
    for (const definition of [NODE_CLAIM_CRD, POOLS])
      await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { ...definition, kind: 'CustomResourceDefinition' });
    const create = async (plural: string, name: string, ownerReferences: readonly OwnerReference[] = []): Promise<string> => {
      const kind = plural === 'nodepools' ? 'NodePool' : 'NodeClaim';
      const object = { apiVersion: 'karpenter.sh/v1', kind, metadata: { name, ownerReferences }, spec: {} };
      const { status, body } = await call('POST', `/apis/karpenter.sh/v1/${plural}`, object);
      expect(status).toBe(201);
      return body.metadata.uid ?? '';
    };
    const ownedBy = (uid: string, kind = 'NodePool', apiVersion = 'karpenter.sh/v1'): OwnerReference => ({
      apiVersion,
      kind,
      name: 'owner',
      uid,
    });
    const lasting = await create('nodepools', 'lasting');
    const removed = await create('nodepools', 'removed');
    await create('nodeclaims', 'of-lasting', [ownedBy(lasting)]);
    await create('nodeclaims', 'of-removed', [ownedBy(removed)]);
    await create('nodeclaims', 'of-both', [ownedBy(removed), ownedBy(lasting)]);
    await create('nodeclaims', 'of-another-kind', [ownedBy('unknown', 'Node')]);
    await create('nodeclaims', 'of-another-group', [ownedBy('unknown', 'NodePool', 'example.com/v1')]);
    await create('nodeclaims', 'unowned');
    await call('DELETE', '/apis/karpenter.sh/v1/nodepools/removed');
    const kube: TargetSite['kube'] = (request) =>
      server.backend.handle(request, server.backend.describe(request), { principal: 'scenario', incarnation: 0, span: 0 });
    const site = { kube, runtime: { clock, random: createRandom(1) } } as unknown as TargetSite;
    const found = await storedObjects(site, ['nodeclaims', 'nodepools']);
    expect([...found.values()].map(({ object }) => object.metadata.name).sort()).toEqual(
      ['lasting', 'of-another-group', 'of-another-kind', 'of-both', 'of-lasting', 'unowned'].sort(),
    );
  });
});
