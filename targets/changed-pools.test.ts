import { expect, test } from '@playwright/test';
import { withEmbedded } from '../controller/testing/embedded.ts';
import { createKubeClient } from '../clients/kube.ts';
import { RESOURCES } from '../clients/resources.ts';
import type { Pool } from '../model/catalogue.ts';
import type { KubeObject } from '../model/kube.ts';
import { karpenterPools } from './command/pools.ts';
import { exactPatch } from '../clients/exact-patch.ts';
import { ANY_POOL, reference } from './reference.ts';

const FULL: Pool = {
  ...ANY_POOL,
  labels: { tier: 'web', team: 'red' },
  startupTaints: [{ key: 'example.com/agent-not-ready', effect: 'NoSchedule' }],
  limits: { cpu: 4, nodes: 2 },
  weight: 7,
  expireAfterMs: 600_000,
  terminationGracePeriodMs: 60_000,
  nodeSettings: { kubelet: { maxPods: 8, kubeReserved: { memory: '1Gi' } }, userDataLabels: { disk: 'fast' } },
};

const NODE_CLASS = {
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: 'default' },
  spec: { amiSelectorTerms: [], subnetSelectorTerms: [], securityGroupSelectorTerms: [], instanceProfile: 'nodes' },
};

test('a patch says what goes, at every depth', () => {
  const old = { limits: { cpu: '4', memory: '1Gi' }, weight: 7, list: [1, 2] };
  expect(exactPatch(old, { limits: { cpu: '8' }, list: [1] })).toEqual({ limits: { memory: null, cpu: '8' }, weight: null, list: [1] });
  expect(exactPatch(undefined, { weight: 1 })).toEqual({ weight: 1 });
});

for (const [name, operations] of [
  ['the reference', reference],
  ["a command's", karpenterPools(NODE_CLASS, undefined)],
] as const) {
  test(`a pool that is applied again has nothing of what it was before: ${name}`, async () => {
    await withEmbedded(1, [], async ({ site, until }) => {
      await operations.install(site);
      const { kube: wire, runtime } = site;
      const kube = createKubeClient({ wire, clock: runtime.clock });
      const specs = async (): Promise<unknown[]> => {
        const objects = await Promise.all([RESOURCES.nodepools, RESOURCES.ec2nodeclasses].map((type) => kube.list<KubeObject>(type)));
        return objects.flat().map(({ metadata, ...rest }) => [metadata.name, 'spec' in rest ? rest.spec : undefined]);
      };
      const bare = { ...ANY_POOL, nodeSettings: { kubelet: { maxPods: 20 } } };
      await operations.applyPools(site, [bare]);
      const alone = await specs();
      await operations.applyPools(site, [FULL]);
      expect(await specs()).not.toEqual(alone);
      await operations.applyPools(site, [bare]);
      expect(await specs()).toEqual(alone);
      // In its last form it names no class of its own.
      await operations.applyPools(site, [ANY_POOL]);
      await operations.removePools(site, [ANY_POOL], [], [bare, FULL]);
      await until('everything is removed', 60_000, async () => (await specs()).length === 0);
    });
  });
}

test('agents remove the start-up taints with which a node was launched, also once its pool has none any more', async () => {
  const starting = { ...ANY_POOL, startupTaints: [{ key: 'example.com/agent-not-ready', effect: 'NoSchedule' as const }] };
  await withEmbedded(1, [starting], async ({ site, deploy, until, running }) => {
    const kube = createKubeClient({ wire: site.kube, clock: site.runtime.clock });
    await deploy('web', 1, {});
    await until('a node is launched', 60_000, async () => (await kube.list(RESOURCES.nodeclaims)).length > 0);
    await reference.applyPools(site, [ANY_POOL]);
    await until('the pod runs', 300_000, async () => (await running()).length === 1);
  });
});
