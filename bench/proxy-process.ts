import { readKubeconfig } from '../clients/kubeconfig.ts';
import { loadKubeTypes } from '../protocols/kube/types.ts';
import { createRandom } from '../runtime/random.ts';
import { createRealTimeline } from '../runtime/timeline.ts';
import { Gate } from '../wire/gate.ts';
import { serveWire } from '../wire/http-server.ts';
import { createHttpWire } from '../wire/http-wire.ts';
import type { Wire } from '../wire/wire.ts';
import { createApiServer } from '../world/kube/api-server.ts';
import { ApiFront } from '../world/real/api-front.ts';
import { WireRoom } from '../world/wires.ts';

/** What a child of the benchmark tells its parent, first its address and then what it has used so far whenever it is asked. */
export type ChildMessage = { readonly url: string } | { readonly rssMiB: number; readonly cpuMs: number };

const fail = (error: unknown): never => {
  throw error instanceof Error ? error : new Error(String(error));
};

/** An API server of our own, for who has none. */
function embeddedServer(): Wire {
  const timeline = createRealTimeline();
  const { backend } = createApiServer({ clock: timeline.scope('api'), random: createRandom(1) });
  return (request) => backend.handle(request, backend.describe(request), { principal: 'scenario', incarnation: 1, span: 0 });
}

/** What stands before a real API server in a trial: the chain, which records each request, and the front. */
function proxyBefore(server: Wire): Wire {
  const timeline = createRealTimeline();
  const random = createRandom(1);
  const clock = timeline.scope('wire');
  const front = new ApiFront({ server, types: loadKubeTypes() });
  let events = 0;
  const room = new WireRoom({
    // What a recorder does beyond this, a line of JSON an event, happens once a turn.
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
  return room.open('target', 1, timeline.scope('target')).kube;
}

/** `server`, `proxy URL` or `proxy PATH-OF-KUBECONFIG` */
async function main([role, upstream = '']: readonly string[]): Promise<void> {
  const access = upstream.startsWith('http') ? { baseUrl: upstream } : undefined;
  const wire = role === 'server' ? embeddedServer() : proxyBefore(createHttpWire(access ?? (await readKubeconfig(upstream))).wire);
  const { url } = await serveWire({ wire, log: (_level, message) => fail(message) });
  const tell = (message: ChildMessage): void => void process.send?.(message);
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    tell({ rssMiB: process.memoryUsage().rss / 2 ** 20, cpuMs: (user + system) / 1_000 });
  });
  process.on('disconnect', () => process.exit(0));
  tell({ url });
}

await main(process.argv.slice(2));
