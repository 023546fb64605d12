import { once } from 'node:events';
import { createServer, request as httpRequest, Agent as HttpAgent } from 'node:http';
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
import { createApiServer } from '../world/kube/api-server.ts';
import { ApiFront } from '../world/real/api-front.ts';
import { WireFactory } from '../world/wires.ts';

/** A message from a child process of the benchmark: first its address, then its usage so far in answer to each message. */
export type ChildMessage = { readonly url: string } | { readonly rssMiB: number; readonly cpuMs: number };

const fail = (error: unknown): never => {
  throw error instanceof Error ? error : new Error(String(error));
};

/** The emulated API server, for use without a cluster. */
function embeddedServer(): Wire {
  const timeline = createRealTimeline();
  const { backend } = createApiServer({ clock: timeline.scope('api'), random: createRandom(1) });
  return (request) => backend.handle(request, backend.describe(request), { principal: 'scenario', incarnation: 1, span: 0 });
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

/** The minimal proxy in Node: its HTTP client piped into its HTTP server. @returns its address */
async function serveBare({ baseUrl, tls, bearerToken }: ClusterAccess): Promise<string> {
  const { protocol, hostname, port } = new URL(baseUrl);
  const isSecure = protocol === 'https:';
  const agent = isSecure ? new HttpsAgent({ keepAlive: true, ...tls }) : new HttpAgent({ keepAlive: true });
  const send = isSecure ? httpsRequest : httpRequest;
  const credentials = bearerToken === undefined ? {} : { authorization: `Bearer ${bearerToken}` };
  const server = createServer((message, response) => {
    const { method, url } = message;
    const options = { hostname, port, method, path: url, agent, headers: { ...message.headers, ...credentials } };
    const sent = send(options, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    sent.on('error', fail);
    message.pipe(sent);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Arguments: `server`, or `proxy` or `bare` followed by a URL or the path of a kubeconfig. */
async function main([role, upstream = '']: readonly string[]): Promise<void> {
  const access = async (): Promise<ClusterAccess> =>
    upstream.startsWith('http') ? { baseUrl: upstream, tls: {} } : await readKubeconfig(upstream);
  const serve = async (wire: Wire): Promise<string> => (await serveWire({ wire, log: (_level, message) => fail(message) })).url;
  const roles: Readonly<Record<string, () => Promise<string>>> = {
    server: () => serve(embeddedServer()),
    proxy: async () => serve(proxyBefore(createHttpWire(await access()).wire)),
    bare: async () => serveBare(await access()),
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
