import { expect, test } from '@playwright/test';
import { createKubeClient } from '../../clients/kube.ts';
import { RESOURCES } from '../../clients/resources.ts';
import type { KubeClient } from '../../clients/kube-client.ts';
import { withRealTimeServer } from '../real/testing/served.ts';
import { claimCluster } from './claim.ts';

/** Runs work with a client of an empty API server. */
function withCluster(work: (client: KubeClient) => Promise<void>): Promise<void> {
  return withRealTimeServer((server) => work(createKubeClient(server)));
}

test('an empty cluster is marked, and a marked one is accepted whatever a trial left in it', async () => {
  await withCluster(async (client) => {
    await claimCluster(client, 'mine');
    await client.create(RESOURCES.configmaps, configMap('left'));
    await claimCluster(client, 'mine');
    const namespace = await client.get({ type: RESOURCES.namespaces, name: 'default' });
    expect(namespace?.metadata.labels).toMatchObject({ 'scaleproof.trials': 'own' });
  });
});

test('objects in it are named, and nothing is marked', async () => {
  await withCluster(async (client) => {
    await client.create(RESOURCES.configmaps, configMap('precious'));
    await expect(claimCluster(client, 'mine')).rejects.toThrow(
      /mine is not empty.*configmaps\/precious: name an empty one, or use --world existing/,
    );
    const namespace = await client.get({ type: RESOURCES.namespaces, name: 'default' });
    expect(namespace?.metadata.labels?.['scaleproof.trials']).toBe(undefined);
  });
});

const configMap = (name: string) => ({ metadata: { name, namespace: 'default' } });
