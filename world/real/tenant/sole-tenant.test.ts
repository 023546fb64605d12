import { expect, test } from '@playwright/test';
import { SOLE_TENANT } from './sole-tenant.ts';

for (const [plural, metadata, spec, isOwned] of [
  ['pods', { name: 'web', namespace: 'default' }, {}, true],
  ['pods', { name: 'etcd', namespace: 'kube-system' }, {}, false],
  ['deployments', { name: 'autoscaler', namespace: 'kube-system' }, {}, false],
  ['services', { name: 'kubernetes', namespace: 'default' }, {}, false],
  ['configmaps', { name: 'kube-root-ca.crt', namespace: 'default' }, {}, false],
  ['nodeclaims', { name: 'c1' }, {}, true],
  ['nodes', { name: 'ip-10-0-0-4' }, { providerID: 'aws:///us-east-1a/i-1' }, true],
  ['nodes', { name: 'ip-10-0-0-5' }, {}, true],
  ['nodes', { name: 'mine-control-plane' }, { providerID: 'kind://docker/mine/mine-control-plane' }, false],
  ['priorityclasses', { name: 'system-node-critical' }, {}, false],
  ['priorityclasses', { name: 'urgent' }, {}, true],
  ['storageclasses', { name: 'standard' }, {}, false],
  ['clusterroles', { name: 'cluster-admin' }, {}, false],
  ['endpointslices', { name: 'kubernetes', namespace: 'default' }, {}, false],
  ['namespaces', { name: 'default' }, {}, false],
  ['customresourcedefinitions', { name: 'nodeclaims.karpenter.sh' }, {}, false],
] as const) {
  test(`${plural} ${metadata.name}: ${isOwned ? 'is deleted before the next trial' : 'stays'}`, () => {
    const object = { apiVersion: 'v1', kind: 'Any', metadata, spec };
    expect(SOLE_TENANT.owns(object, plural)).toBe(isOwned);
  });
}
