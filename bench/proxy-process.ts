import { once } from 'node:events';
import { createServer, request as httpRequest, Agent as HttpAgent } from 'node:http';
import type { RequestListener, ServerResponse } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { readKubeconfig } from '../clients/kubeconfig.ts';
import type { ClusterAccess } from '../clients/kubeconfig.ts';
import { loadKubeTypes } from '../protocols/kube/types.ts';
import { createRandom } from '../runtime/random.ts';
import { createRealTimeline } from '../runtime/timeline.ts';
import { Gate } from '../wire/gate.ts';
import { serveWire } from '../wire/http-server.ts';
import { createHttpWire } from '../wire/http-wire.ts';
import type { Wire } from '../wire/wire.ts';
import { ApiFront } from '../world/real/api-front.ts';
import { WireFactory } from '../world/wires.ts';
import { configMaps } from './objects.ts';

/** A message from a child process of the benchmark: first its address, then its usage so far in answer to each message. */
export type ChildMessage = { readonly url: string } | { readonly rssMiB: number; readonly cpuMs: number };

const fail = (error: unknown): never => {
  throw error instanceof Error ? error : new Error(String(error));
};

const JSON_HEADERS = {
  'content-type': 'application/json',
  'audit-id': 'c1f2d3b4-0000-4000-8000-000000000000',
  'cache-control': 'no-cache, private',
};

/**
 * Answers as an API server would, from memory: reads cost it nearly nothing, so a proxy's share of a request is as large as it can
 * be. Each write is an event of all open watches.
 */
function cannedServer(): RequestListener {
  const [map] = configMaps('small');
  const small = JSON.stringify(map);
  const list = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: configMaps('large') };
  const large = Buffer.from(JSON.stringify(list));
  const watches = new Set<ServerResponse>();
  let revision = 1;
  return (message, response) => {
    const { method, url = '' } = message;
    message.resume();
    if (url.includes('watch=true')) {
      response.writeHead(200, JSON_HEADERS).flushHeaders();
      watches.add(response);
      response.on('close', () => watches.delete(response));
      return;
    }
    if (method !== 'GET') {
      revision += 1;
      const object = { ...map, metadata: { ...map?.metadata, resourceVersion: String(revision) } };
      const event = `${JSON.stringify({ type: 'MODIFIED', object })}\n`;
      if (method === 'PATCH') for (const watch of watches) watch.write(event);
      response.writeHead(200, JSON_HEADERS).end(JSON.stringify(object));
      return;
    }
    if (!url.includes('large')) {
      response.writeHead(200, JSON_HEADERS).end(small);
      return;
    }
    // Without its length, as an API server sends whatever does not fit into its buffer.
    response.writeHead(200, JSON_HEADERS).write(large);
    response.end();
  };
}

/** The proxy in front of a real API server in a trial: the chain, which records each request, and the front. */
function proxyBefore(server: Wire): Wire {
  const timeline = createRealTimeline();
  const random = createRandom(1);
  const clock = timeline.scope('wire');
  const front = new ApiFront({ server, types: loadKubeTypes() });
  let events = 0;
  const factory = new WireFactory({
    // Serializing each event is the cost per request. The rest of a recorder's work happens once per turn.
    site: {
      random,
      recorder: { record: (event) => (JSON.stringify(event), (events += 1)) },
      onKill: fail,
      onFailure: fail,
      // A benchmark sends more than any target would.
      onFlood: () => undefined,
    },
    clock,
    gate: new Gate(clock, random),
    backends: { kube: front, aws: front },
    latencyMs: () => undefined,
  });
  return factory.open('target', 1, timeline.scope('target')).kube;
}

/** The minimal proxy in Node: its HTTP client piped into its HTTP server. */
function bareProxy({ baseUrl, tls, bearerToken }: ClusterAccess): RequestListener {
  const { protocol, hostname, port } = new URL(baseUrl);
  const isSecure = protocol === 'https:';
  const agent = isSecure ? new HttpsAgent({ keepAlive: true, ...tls }) : new HttpAgent({ keepAlive: true });
  const send = isSecure ? httpsRequest : httpRequest;
  const credentials = bearerToken === undefined ? {} : { authorization: `Bearer ${bearerToken}` };
  return (message, response) => {
    const { method, url } = message;
    const options = { hostname, port, method, path: url, agent, headers: { ...message.headers, ...credentials } };
    const sent = send(options, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    });
    // A watch ends when its client goes away.
    response.on('close', () => sent.destroy());
    sent.on('error', (error) => (response.destroyed ? undefined : fail(error)));
    message.pipe(sent);
  };
}

/** @returns the server's address */
async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Arguments: `server`, or `proxy` or `bare` followed by a URL or the path of a kubeconfig. */
async function main([role, upstream = '']: readonly string[]): Promise<void> {
  const access = async (): Promise<ClusterAccess> =>
    upstream.startsWith('http') ? { baseUrl: upstream, tls: {} } : await readKubeconfig(upstream);
  const serve = async (wire: Wire): Promise<string> => (await serveWire({ wire, log: (_level, message) => fail(message) })).url;
  const roles: Readonly<Record<string, () => Promise<string>>> = {
    server: () => listen(cannedServer()),
    proxy: async () => serve(proxyBefore(createHttpWire(await access()).wire)),
    bare: async () => listen(bareProxy(await access())),
  };
  const url = (await roles[role ?? '']?.()) ?? fail(`unknown role ${role}`);
  const report = (message: ChildMessage): void => void process.send?.(message);
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    report({ rssMiB: process.memoryUsage().rss / 2 ** 20, cpuMs: (user + system) / 1_000 });
  });
  process.on('disconnect', () => process.exit(0));
  report({ url });
}

await main(process.argv.slice(2));
