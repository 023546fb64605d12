import { expect, test } from '@playwright/test';
import type { KubeObject, Node, Pod } from '../model/kube.ts';
import type { Clock, Timeline } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { createRandom } from '../runtime/random.ts';
import { createRealTimeline, createVirtualTimeline } from '../runtime/timeline.ts';
import { serveWire } from '../wire/http-server.ts';
import { createHttpWire } from '../wire/http-wire.ts';
import type { Wire } from '../wire/wire.ts';
import { createApiServer } from '../world/kube/api-server.ts';
import type { ApiServer } from '../world/kube/api-server.ts';
import { createCache } from './cache.ts';
import type { Cache, KubeClient } from './kube-client.ts';
import { createKubeClient } from './kube.ts';
import { RESOURCES } from './resources.ts';

const { nodes, pods } = RESOURCES;
const silent: Log = () => undefined;

interface Site {
  readonly server: ApiServer;
  readonly client: KubeClient;
  readonly cache: Cache<Node>;
  readonly clock: Clock;
}

const CALLER = { principal: 'target', incarnation: 1, span: 0 } as const;

/** Runs a body with clients of the embedded world's API server, in process or through sockets. */
async function withClients(way: 'in process' | 'on sockets', body: (site: Site) => Promise<void>): Promise<void> {
  const random = createRandom(1);
  const timeline: Timeline =
    way === 'in process' ? createVirtualTimeline({ startMs: 0, random: random.fork('timers') }) : createRealTimeline();
  const clock = timeline.scope('target');
  const server = createApiServer({ clock: timeline.scope('world'), random: random.fork('kube') });
  const direct: Wire = (request) => server.backend.handle(request, server.backend.describe(request), CALLER);
  const stopping = new AbortController();
  const run = async (wire: Wire): Promise<void> => {
    const site = { wire, clock, random: random.fork('target'), log: silent, signal: stopping.signal };
    const cache = createCache<Node>(site, nodes);
    try {
      await timeline.run(body({ server, clock, cache, client: createKubeClient(site) }));
    } finally {
      stopping.abort(new Error('stopped'));
      server.stop();
    }
  };
  if (way === 'in process') {
    await run(direct);
    return;
  }
  const socket = await serveWire({ wire: direct, log: silent });
  const http = createHttpWire({ baseUrl: socket.url });
  await run(http.wire).finally(async () => {
    http.destroy();
    await socket.close();
  });
}

/** Resolves at the cache's next change for which `holds` is true. */
function until(cache: Cache<Node>, holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = cache.onChange(() => {
      if (!holds()) return;
      stop();
      resolve();
    });
  });
}

function pod(name: string): Pod {
  return { metadata: { name, namespace: 'default' }, spec: { containers: [{ name: 'main', image: 'x' }] } };
}

for (const way of ['in process', 'on sockets'] as const) {
  test(`reads, writes and watches the embedded API server ${way}`, async () => {
    await withClients(way, async ({ client, cache }) => {
      await cache.synced;
      const heard: string[] = [];
      cache.onChange((type, { metadata }) => heard.push(`${type} ${metadata.name}`));
      const gone = until(cache, () => cache.list().length === 0);

      const created = await client.create<Node>(nodes, { metadata: { name: 'n1', labels: { zone: 'a' } } });
      await client.create<Node>(nodes, { metadata: { name: 'n2' } });
      await expect(client.create<Node>(nodes, { metadata: { name: 'n1' } })).rejects.toMatchObject({
        status: 409,
        reason: 'AlreadyExists',
      });
      const patched = await client.patch<Node>({ type: nodes, name: 'n1' }, { spec: { unschedulable: true } });
      expect(patched.spec?.unschedulable).toBe(true);
      const stale = { metadata: { resourceVersion: created.metadata.resourceVersion, labels: { zone: 'b' } } };
      await expect(client.patch({ type: nodes, name: 'n1' }, stale)).rejects.toMatchObject({ status: 409, reason: 'Conflict' });
      const condition = { type: 'Ready', status: 'True' };
      const ready = await client.patch<Node>({ type: nodes, name: 'n1' }, { status: { conditions: [condition] } }, 'status');
      expect(ready.status?.conditions).toMatchObject([condition]);
      expect((await client.list<Node>(nodes, { labels: { matchLabels: { zone: 'a' } } })).map((node) => node.metadata.name)).toEqual([
        'n1',
      ]);
      expect(await client.get<Node>({ type: nodes, name: 'n1' })).toEqual(ready);

      await expect(client.delete({ type: nodes, name: 'n1' }, { uid: 'other' })).rejects.toMatchObject({ status: 409 });
      await client.delete({ type: nodes, name: 'n1' });
      await client.delete({ type: nodes, name: 'n2' });
      await expect(client.delete({ type: nodes, name: 'n2' })).rejects.toMatchObject({ status: 404, reason: 'NotFound' });
      expect(await client.get({ type: nodes, name: 'n1' })).toBeUndefined();
      await gone;
      expect(heard).toEqual(['ADDED n1', 'ADDED n2', 'MODIFIED n1', 'MODIFIED n1', 'DELETED n1', 'DELETED n2']);
    });
  });

  test(`evicts pods ${way}`, async () => {
    await withClients(way, async ({ client }) => {
      await client.create(pods, pod('p1'));
      await client.evict('default', 'p1', { gracePeriodSeconds: 0 });
      expect(await client.get<KubeObject>({ type: pods, namespace: 'default', name: 'p1' })).toBeUndefined();
      await expect(client.evict('default', 'p1')).rejects.toMatchObject({ status: 404, reason: 'NotFound' });
    });
  });
}

test('a cache reads long lists in pages and survives compaction, time-outs and hours of quiet', async () => {
  await withClients('in process', async ({ server, client, cache, clock }) => {
    for (let index = 0; index < 1_200; index += 1) await client.create(nodes, { metadata: { name: `n${index}` } });
    await cache.synced;
    await clock.sleep(3_600_000);
    expect(cache.list()).toHaveLength(1_200);
    server.compact();
    await client.delete({ type: nodes, name: 'n7' });
    await client.create(nodes, { metadata: { name: 'late' } });
    await clock.sleep(7_200_000);
    const names = (objects: readonly Node[]): string[] => objects.map(({ metadata }) => metadata.name ?? '').sort();
    expect(names(cache.list())).toEqual(names(await client.list<Node>(nodes)));
    expect(cache.get('late')).toEqual(await client.get({ type: nodes, name: 'late' }));
  });
});
