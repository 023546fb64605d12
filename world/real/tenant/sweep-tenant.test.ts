import { writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { createKubeClient } from '../../../clients/kube.ts';
import { RESOURCES } from '../../../clients/resources.ts';
import { serveWire } from '../../../wire/http-server.ts';
import { withRealTimeServer, wireOf } from '../testing/served.ts';
import { clearTenancy, findTenantsLeftovers } from './sweep-tenant.ts';
import { RUN_LABEL } from './tenant.ts';

const kubeconfigOf = (server: string): string =>
  JSON.stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: {} }],
  });

test('leftovers of a dead run in a shared cluster are removed, and nothing else; another cluster is not touched', async ({}, testInfo) => {
  await withRealTimeServer(async ({ api, wire, clock }) => {
    const client = createKubeClient({ wire, clock });
    const configMap = (name: string, labels: Record<string, string>) => ({ metadata: { name, namespace: 'default', labels } });
    await client.create(RESOURCES.configmaps, configMap('left', { [RUN_LABEL]: 'r1' }));
    await client.create(RESOURCES.configmaps, configMap('of-another-run', { [RUN_LABEL]: 'r2' }));
    await client.create(RESOURCES.configmaps, configMap('theirs', {}));
    const served = await serveWire({ wire: wireOf(api), log: () => undefined });
    try {
      const kubeconfig = testInfo.outputPath('kubeconfig');
      writeFileSync(kubeconfig, kubeconfigOf(served.url));
      const place = { kubeconfig, server: served.url, run: 'r1', prefix: 'scaleproof', isOwnTarget: true };
      const elsewhere = { ...place, server: 'https://10.0.0.1:6443' };
      await expect(findTenantsLeftovers(elsewhere, clock)).rejects.toThrow('but the run was in https://10.0.0.1:6443');
      expect(await findTenantsLeftovers(place, clock)).toEqual(['configmaps/default/left']);
      expect(await clearTenancy(place, clock)).toEqual([]);
      const names = (await client.list(RESOURCES.configmaps)).map(({ metadata }) => metadata.name).sort();
      expect(names).toEqual(['of-another-run', 'theirs']);
    } finally {
      await served.close();
    }
  });
});
