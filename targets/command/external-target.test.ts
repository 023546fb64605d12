import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@playwright/test';
import { CutShortError } from '../../model/cut-short.ts';
import { createRandom } from '../../runtime/random.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { SiteSockets } from '../../harness/site-sockets.ts';
import { CLUSTER } from '../../world/embedded.ts';
import type { TargetSite } from '../target.ts';
import { externalTarget } from './external-target.ts';
import { TargetFileError, parseTargetFile } from './target-file.ts';
import type { ExternalTargetFile } from './target-file.ts';

const LEAST = { name: 'x', constants: { emptyAfter: '1m', termination: '35s' }, pools: { as: 'karpenter' } };
const none = (): Promise<void> => Promise.resolve();
const OPERATIONS = { install: none, applyPools: none, removePools: none };

function parse(external: object): ExternalTargetFile {
  const file = parseTargetFile('target.yaml', JSON.stringify({ ...LEAST, external }));
  if (!('external' in file)) throw new Error('not external');
  return file;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A site whose wires answer 200. */
function aSite(): { readonly site: TargetSite; readonly sockets: SiteSockets } {
  const wire = () => Promise.resolve({ status: 200, headers: {}, body: '{}' });
  const sockets = new SiteSockets({ kube: wire, aws: wire, cluster: CLUSTER, user: 'target', log: () => undefined });
  const clock = createRealTimeline().scope('test');
  const runtime = { clock, random: createRandom(1), log: () => undefined, signal: new AbortController().signal };
  return { site: { runtime, kube: wire, aws: wire, cluster: CLUSTER, openSockets: (path, how) => sockets.open(path, how) }, sockets };
}

test('its file gives the addresses for its requests, but not how it is started', () => {
  expect(parse({ kube: 8443, aws: '0.0.0.0:8444', host: 'me' }).external).toEqual({
    kube: { host: '127.0.0.1', port: 8443 },
    aws: { host: '0.0.0.0', port: 8444 },
    host: 'me',
    within: 300_000,
  });
  for (const [change, says] of [
    [{ external: { kube: 0, aws: 1 } }, 'external.kube must be PORT or HOST:PORT, not 0'],
    [{ external: { kube: 1 } }, 'external.aws must be PORT or HOST:PORT'],
    [{ external: { kube: 1, aws: 2 }, command: ['x'] }, 'has no field command'],
  ] as const) {
    const read = () => parseTargetFile('target.yaml', JSON.stringify({ ...LEAST, ...change }));
    expect(read).toThrow(TargetFileError);
    expect(read).toThrow(says);
  }
});

test('it is ready with its first request', async () => {
  const kube = await freePort();
  const target = externalTarget(parse({ kube, aws: await freePort() }), [], OPERATIONS);
  const { site, sockets } = aSite();
  const process = target.start(site);
  let isReady = false;
  void process.ready.then(() => (isReady = true));
  let status = 0;
  while (status === 0) {
    expect(isReady).toBe(false);
    status = await fetch(`http://127.0.0.1:${kube}/version`).then(
      (answer) => answer.status,
      () => 0,
    );
  }
  await process.ready;
  await sockets.close();
  await process.kill?.();
});

test("without a first request, or without sockets, the trial can't be judged", async () => {
  const [kube, aws] = [await freePort(), await freePort()];
  const { site, sockets } = aSite();
  const absent = externalTarget(parse({ kube, aws, within: '1ms' }), [], OPERATIONS).start(site);
  await expect(absent.ready).rejects.toThrow(
    new CutShortError(
      `no request of the target came to 127.0.0.1:${kube} or 127.0.0.1:${aws} within 0.001 s: is it running, with the set-up that was printed?`,
    ),
  );
  const second = externalTarget(parse({ kube, aws }), [], OPERATIONS).start(site);
  await expect(second.ready).rejects.toThrow(/the target's requests can't be received: .*EADDRINUSE/);
  await sockets.close();
  await Promise.all([absent.kill?.(), second.kill?.()]);
});
