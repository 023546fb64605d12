import { expect, test } from '@playwright/test';
import type { NodeClaim } from '../api.ts';
import { ANY_POOL, asking, withEmbedded } from '../testing/embedded.ts';
import type { Embedded } from '../testing/embedded.ts';

const MINUTE_MS = 60_000;
const POOL = { resource: 'nodepools', name: 'default' };

async function claims({ port }: Embedded): Promise<NodeClaim[]> {
  return (await port.list<NodeClaim>('nodeclaims')).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

async function untilNodes(embedded: Embedded, count: number): Promise<void> {
  await embedded.until(`there are ${count} nodes`, 15 * MINUTE_MS, async () => {
    const nodes = await embedded.port.list('nodes');
    return nodes.length === count && (await claims(embedded)).length === count;
  });
}

test('a pool has its number of nodes, with or without pods, and no more for pods that find no room', async () => {
  await withEmbedded(1, [{ ...ANY_POOL, replicas: 2 }], async (embedded) => {
    const { port, clock, deploy } = embedded;
    await untilNodes(embedded, 2);
    const before = (await claims(embedded)).map(({ metadata }) => metadata.uid);
    await deploy('huge', 1, asking('64'));
    await clock.sleep(20 * MINUTE_MS);
    expect((await claims(embedded)).map(({ metadata }) => metadata.uid)).toEqual(before);
    await port.patch(POOL, { spec: { replicas: 3 } });
    await untilNodes(embedded, 3);
  });
});

test('of surplus nodes those without pods are removed first, and lost nodes are replaced', async () => {
  await withEmbedded(2, [{ ...ANY_POOL, replicas: 3 }], async (embedded) => {
    const { port, world, until, deploy, running } = embedded;
    await untilNodes(embedded, 3);
    await deploy('web', 1, asking('500m'));
    await until('the pod runs', 5 * MINUTE_MS, async () => (await running()).length === 1);
    const [pod] = await running();
    await port.patch(POOL, { spec: { replicas: 1 } });
    await untilNodes(embedded, 1);
    expect((await port.list('nodes')).map(({ metadata }) => metadata.name)).toEqual([pod?.spec.nodeName]);
    const [alive] = world.ports.instances.list().filter(({ state }) => state === 'running');
    world.ports.instances.end(alive?.id ?? '', 'the test ends it');
    await until('another node replaces it', 15 * MINUTE_MS, async () => {
      const nodes = await port.list('nodes');
      return nodes.length === 1 && nodes[0]?.metadata.name !== pod?.spec.nodeName;
    });
  });
});

test('a limit of nodes holds', async () => {
  await withEmbedded(3, [{ ...ANY_POOL, replicas: 5, limits: { nodes: 2 } }], async (embedded) => {
    await untilNodes(embedded, 2);
    await embedded.clock.sleep(5 * MINUTE_MS);
    expect(await claims(embedded)).toHaveLength(2);
  });
});
