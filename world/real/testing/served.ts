import type { NewEvent } from '../../../history/events.ts';
import type { Principal } from '../../../model/operation.ts';
import { loadKubeTypes } from '../../../protocols/kube/types.ts';
import type { ClockScope } from '../../../runtime/clock.ts';
import { createRandom } from '../../../runtime/random.ts';
import type { Runtime } from '../../../runtime/runtime.ts';
import { createRealTimeline } from '../../../runtime/timeline.ts';
import type { ArmInjection } from '../../../wire/effects.ts';
import { Gate } from '../../../wire/gate.ts';
import { serveWire } from '../../../wire/http-server.ts';
import { createHttpWire } from '../../../wire/http-wire.ts';
import type { Wire } from '../../../wire/wire.ts';
import { createApiServer } from '../../kube/api-server.ts';
import type { ApiServer } from '../../kube/api-server.ts';
import { WireFactory } from '../../wires.ts';
import { ApiFront } from '../api-front.ts';

const fail = (error: unknown): never => {
  throw error instanceof Error ? error : new Error(String(error));
};

/** A proxy in front of an API server, as in a real world, on its own socket. */
export interface Proxy {
  /** A client of the proxy. */
  readonly wire: Wire;
  /** The recorded requests. */
  readonly events: readonly NewEvent[];
  readonly arm: ArmInjection;
}

/** Runs `work` against a proxy for `principal` in front of `server`, both on loopback sockets in real time. */
export async function withProxy(server: Wire, work: (proxy: Proxy) => Promise<void>, principal: Principal = 'target'): Promise<void> {
  const timeline = createRealTimeline();
  const clock = timeline.scope('wire');
  const caller = timeline.scope('caller');
  const random = createRandom(1);
  const events: NewEvent[] = [];
  const upstream = await serveWire({ wire: server, log: (_level, message) => fail(message) });
  const toUpstream = createHttpWire({ baseUrl: upstream.url });
  const gate = new Gate(clock, random);
  const factory = new WireFactory({
    site: { random, recorder: { record: (event) => events.push(event) - 1 }, onKill: () => undefined, onFailure: fail, onFlood: fail },
    clock,
    gate,
    backends: { kube: new ApiFront({ server: toUpstream.wire, types: loadKubeTypes() }), aws: nobody() },
    latencyMs: () => undefined,
  });
  const wires = factory.open(principal, 1, caller);
  const proxy = await serveWire({ wire: wires.kube, log: (_level, message) => fail(message) });
  const client = createHttpWire({ baseUrl: proxy.url });
  try {
    await work({ wire: client.wire, events, arm: (injection) => gate.arm(injection) });
  } finally {
    client.destroy();
    wires.close();
    await proxy.close();
    toUpstream.destroy();
    await upstream.close();
    caller.kill();
    clock.kill();
  }
}

/** One of our API servers in the role of a real one: its wire, and the runtime of its clients. */
export interface RealTimeServer {
  readonly api: ApiServer;
  /** Over a socket. */
  readonly wire: Wire;
  readonly clock: ClockScope;
  /** For a part of the world; its signal is aborted at the end. */
  readonly runtime: Runtime;
}

/** Runs `work` against a fresh API server on a loopback socket, in real time. */
export async function withRealTimeServer(work: (server: RealTimeServer) => Promise<void>): Promise<void> {
  const timeline = createRealTimeline();
  const random = createRandom(1);
  const api = createApiServer({ clock: timeline.scope('api'), random: random.fork('api') });
  const server = await serveWire({ wire: wireOf(api), log: (_level, message) => fail(message) });
  const client = createHttpWire({ baseUrl: server.url });
  const clock = timeline.scope('parts');
  const stopping = new AbortController();
  const runtime = { clock, random: random.fork('parts'), log: () => undefined, signal: stopping.signal };
  try {
    await work({ api, wire: client.wire, clock, runtime });
  } finally {
    stopping.abort(new Error('the test is over'));
    client.destroy();
    await server.close();
    api.stop();
    clock.kill();
  }
}

/** The answers of our server, without a chain in front of it. */
export function wireOf(api: Pick<ApiServer, 'backend'>): Wire {
  return (request) => api.backend.handle(request, api.backend.describe(request), { principal: 'scenario', incarnation: 1, span: 0 });
}

/** No request of these tests goes to AWS. */
function nobody(): ApiFront {
  return new ApiFront({ server: () => Promise.reject(new Error('there is no server')), types: loadKubeTypes() });
}
