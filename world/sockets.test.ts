import { access, readFile, writeFile } from 'node:fs/promises';
import { EC2Client, DescribeInstancesCommand } from '@aws-sdk/client-ec2';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { expect, test } from '@playwright/test';
import { readKubeconfig } from '../clients/kubeconfig.ts';
import type { NewEvent } from '../history/events.ts';
import { createRandom } from '../runtime/random.ts';
import { createRealTimeline, createVirtualTimeline } from '../runtime/timeline.ts';
import type { Timeline } from '../runtime/clock.ts';
import { createHttpWire } from '../wire/http-wire.ts';
import { isStream, readText } from '../wire/wire.ts';
import { createEmbeddedWorld } from './embedded.ts';
import { openSockets } from './sockets.ts';
import type { World } from './world.ts';

async function withWorld(
  work: (world: World, events: readonly NewEvent[]) => Promise<void>,
  timeline: Timeline = createRealTimeline(),
  onKill: () => void = () => undefined,
) {
  const fail = (error: unknown): never => {
    throw error;
  };
  const events: NewEvent[] = [];
  const world = createEmbeddedWorld({
    timeline,
    random: createRandom(1),
    recorder: { record: (event) => events.push(event) - 1 },
    onKill,
    onFailure: fail,
    onFlood: fail,
  });
  await work(world, events).finally(() => world.stop());
}

const log = (_level: string, message: string): void => {
  throw new Error(message);
};

test("unmodified clients work with the sockets' own environment; the listener identifies the caller", async ({}, info) => {
  await withWorld(async (world, events) => {
    const target = await openSockets({ world, principal: 'target', kubeconfigPath: info.outputPath('target'), log });
    const scenario = await openSockets({ world, principal: 'scenario', kubeconfigPath: info.outputPath('scenario'), log });
    try {
      for (const { environment } of [target, scenario]) {
        const config = new KubeConfig();
        config.loadFromFile(environment['KUBECONFIG'] ?? '');
        const { items } = await config.makeApiClient(CoreV1Api).listNamespace();
        expect(items.map(({ metadata }) => metadata?.name)).toContain('default');
        const ec2 = new EC2Client({
          region: environment['AWS_REGION'] ?? '',
          endpoint: environment['AWS_ENDPOINT_URL'] ?? '',
          credentials: {
            accessKeyId: environment['AWS_ACCESS_KEY_ID'] ?? '',
            secretAccessKey: environment['AWS_SECRET_ACCESS_KEY'] ?? '',
          },
        });
        expect((await ec2.send(new DescribeInstancesCommand({}))).Reservations ?? []).toEqual([]);
        ec2.destroy();
      }
      const requests = events.filter((event) => event.type === 'request.start');
      expect(requests.map(({ principal, operation }) => `${principal}: ${operation}`)).toEqual([
        'target: list namespaces',
        'target: ec2:DescribeInstances',
      ]);
    } finally {
      await Promise.all([target.close(), scenario.close()]);
    }
  });
});

test('a long list is compressed for clients that accept gzip, as an API server does', async ({}, info) => {
  await withWorld(async (world) => {
    const sockets = await openSockets({ world, principal: 'scenario', kubeconfigPath: info.outputPath('kubeconfig'), log });
    const maps = `${sockets.kubeUrl}/api/v1/namespaces/default/configmaps`;
    const body = JSON.stringify({ metadata: { name: 'large' }, data: { text: 'x'.repeat(128 * 1024) } });
    await fetch(maps, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    for (const accept of ['application/json', 'application/vnd.kubernetes.protobuf']) {
      // `fetch` accepts gzip, and reads it.
      const list = await fetch(maps, { headers: { accept } });
      expect(list.headers.get('content-encoding')).toBe('gzip');
      expect(list.headers.get('content-type')).toBe(accept);
      expect((await list.text()).includes('x'.repeat(128 * 1024))).toBe(true);
      const other = await fetch(maps.replace('configmaps', 'secrets'), { headers: { accept } });
      expect(other.headers.get('content-encoding')).toBe(null);
      await other.text();
    }
    await sockets.close();
  });
});

test('closing breaks open watches, ends the listeners and removes the kubeconfig', async ({}, info) => {
  await withWorld(async (world) => {
    const kubeconfigPath = info.outputPath('kubeconfig');
    const sockets = await openSockets({ world, principal: 'target', kubeconfigPath, log });
    const client = createHttpWire(await readKubeconfig(kubeconfigPath));
    const watch = await client.wire({ method: 'GET', path: '/api/v1/nodes?watch=1', headers: {} });
    expect(isStream(watch.body)).toBe(true);
    const broken = expect(readText(watch.body)).rejects.toMatchObject({ code: 'ECONNRESET' });
    await sockets.close();
    await broken;
    await expect(client.wire({ method: 'GET', path: '/api/v1/nodes', headers: {} })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await expect(access(kubeconfigPath)).rejects.toThrow('ENOENT');
    client.destroy();
  });
});

test('each incarnation has its own listeners; a killed one gets no answer, and its connections are cut', async ({}, info) => {
  const killed = Promise.withResolvers<void>();
  await withWorld(
    async (world) => {
      const open = (incarnation: number) =>
        openSockets({ world, principal: 'target', incarnation, kubeconfigPath: info.outputPath(`target-${incarnation}`), log });
      const [first, second] = [await open(1), await open(2)];
      expect(new Set([first.kubeUrl, first.awsUrl, second.kubeUrl, second.awsUrl]).size).toBe(4);
      const clients = [createHttpWire({ baseUrl: first.kubeUrl }), createHttpWire({ baseUrl: second.kubeUrl })] as const;
      const list = { method: 'GET', path: '/api/v1/namespaces', headers: {} };
      world.arm({
        trigger: { match: { operations: ['list namespaces'] }, when: { kind: 'first', count: 1 }, moment: 'after' },
        effect: { kind: 'kill' },
        fired: () => undefined,
      });
      let isAnswered = false;
      const held = clients[0].wire(list).finally(() => {
        isAnswered = true;
      });
      const cut = expect(held).rejects.toMatchObject({ code: 'ECONNRESET' });
      await killed.promise;
      // The next incarnation is served while the dead one's request hangs.
      expect((await clients[1].wire(list)).status).toBe(200);
      expect(isAnswered).toBe(false);
      await first.close();
      await cut;
      expect((await clients[1].wire(list)).status).toBe(200);
      await second.close();
      for (const client of clients) client.destroy();
    },
    undefined,
    () => killed.resolve(),
  );
});

test('an existing file is left alone', async ({}, info) => {
  await withWorld(async (world) => {
    const kubeconfigPath = info.outputPath('kubeconfig');
    await writeFile(kubeconfigPath, 'mine');
    await expect(openSockets({ world, principal: 'target', kubeconfigPath, log })).rejects.toThrow('EEXIST');
    expect(await readFile(kubeconfigPath, 'utf8')).toBe('mine');
  });
});

test('a world on virtual time has no sockets', async ({}, info) => {
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(1) });
  await withWorld(async (world) => {
    await expect(openSockets({ world, principal: 'target', kubeconfigPath: info.outputPath('kubeconfig'), log })).rejects.toThrow(
      'virtual',
    );
  }, timeline);
});
