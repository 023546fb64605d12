import { createRealTimeline } from '../runtime/timeline.ts';
import { startStopwatch } from '../runtime/stopwatch.ts';
import { createHttpWire } from '../wire/http-wire.ts';
import { readWhole } from '../wire/wire.ts';
import { measureInformers } from './informers.ts';
import { LoadConnection, sendAll } from './load.ts';
import { ask, realServer, startWorld } from './servers.ts';
import type { ApiServerUnderTest, Filled } from './servers.ts';
import type { BenchSite } from './site.ts';
import { mean, median } from './table.ts';
import type { Measured, Row } from './table.ts';

const PODS = 10_000;
const NODES = 500;
const PAGE = 500;
const CONNECTIONS = 16;
/** Lists of each kind on each server, in turn. */
const REPEATS = 5;
const MAX_ANSWER_BYTES = 256 * 2 ** 20;
/** How long a namespace with everything in it may take to be gone. */
const DELETION_ATTEMPTS = 300;
const DELETION_PERIOD_MS = 2_000;

/** Unique per run: that of an earlier one may still be terminating. */
const NAMESPACE = `scaleproof-bench-${process.pid}`;
const REAL = 'real API server 1.34';
const JSON_HEADERS = { 'content-type': 'application/json' };

/** Our API server on sockets beside a real one: creations, lists, and informers of client-go. */
export async function measureApiServer(site: BenchSite): Promise<Row[]> {
  const count = Math.round(PODS * site.scale);
  const world = await startWorld();
  try {
    const real = await realOf(site.kubeconfig);
    try {
      site.say(`API server: creating ${count} pods`);
      const ours = await fill(world, count, site.scale);
      const other = 'absent' in real ? real : await fill(real, count, site.scale);
      const anchor = (value: (filled: Filled) => Measured): Row['anchor'] => ({
        name: REAL,
        value: 'absent' in other ? other : value(other),
      });
      const rows: Row[] = [
        {
          what: `creating ${count} pods over sockets: CPU of each, ms`,
          ours: ours.createdMs,
          anchor: anchor((filled) => filled.createdMs),
        },
      ];
      const both = 'absent' in other ? [ours] : [ours, other];
      for (const { what, read } of LISTS) {
        site.say(`API server: ${what}`);
        const costs = await inTurn(both, read);
        rows.push(
          ...(['ms', 'cpuMs'] as const).map((unit) => ({
            what: `list of ${count} pods, ${what}: ${unit === 'ms' ? 'ms' : 'CPU, ms'}`,
            ours: costs.get(ours)?.[unit] ?? Number.NaN,
            anchor: anchor((filled) => costs.get(filled)?.[unit] ?? Number.NaN),
          })),
        );
      }
      return [...rows, ...(await measureInformers(both, { count, anchor, say: site.say }))];
    } finally {
      if (!('absent' in real)) await empty(real);
    }
  } finally {
    await world.stop();
  }
}

async function realOf(kubeconfig: string | undefined): Promise<ApiServerUnderTest | { readonly absent: string }> {
  if (kubeconfig === undefined) return { absent: 'no --kubeconfig' };
  return realServer(kubeconfig).catch((error: unknown) => ({ absent: error instanceof Error ? error.message : String(error) }));
}

/** Creates pods that nobody schedules, and nodes. */
async function fill(server: ApiServerUnderTest, pods: number, scale: number): Promise<Filled> {
  const namespace = NAMESPACE;
  const post = (path: string, body: object, mayBe?: number[]): Promise<unknown> =>
    ask(server.access, { method: 'POST', path, headers: JSON_HEADERS, body: JSON.stringify(body) }, mayBe);
  await post('/api/v1/namespaces', { metadata: { name: namespace } });
  // Pods need it; the controller that makes it may come later, or not at all.
  await post(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'default' } }, [409]);
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => LoadConnection.open(server.access)));
  const create = async (path: string, count: number, body: (name: string) => object): Promise<void> => {
    let made = 0;
    const next = () => ({ method: 'POST', path, headers: JSON_HEADERS, body: JSON.stringify(body(`${namespace}-${(made += 1)}`)) });
    await sendAll(connections, count, next);
  };
  try {
    const before = await server.cpuMs();
    await create(`/api/v1/namespaces/${namespace}/pods`, pods, podOf);
    const createdMs = ((await server.cpuMs()) - before) / pods;
    await create('/api/v1/nodes', Math.round(NODES * scale), (name) => ({ metadata: { name, labels: { bench: namespace } } }));
    return { server, namespace, createdMs };
  } finally {
    for (const connection of connections) connection.close();
  }
}

function podOf(name: string): object {
  const resources = { requests: { cpu: '250m', memory: '256Mi' }, limits: { memory: '256Mi' } };
  const env = [{ name: 'MODE', value: 'production' }];
  const ports = [{ name: 'http', containerPort: 8080 }];
  return {
    metadata: { name, labels: { app: 'web', 'pod-template-hash': '5d4f8c7b9' } },
    spec: { schedulerName: 'nobody', containers: [{ name: 'app', image: 'registry.example.com/web:1', resources, env, ports }] },
  };
}

/** Removes whatever `fill` has created, and waits until it is gone. */
async function empty(server: ApiServerUnderTest): Promise<void> {
  const path = `/api/v1/namespaces/${NAMESPACE}`;
  await ask(server.access, { method: 'DELETE', path: `/api/v1/nodes?labelSelector=bench%3D${NAMESPACE}`, headers: {} });
  await ask(server.access, { method: 'DELETE', path, headers: {} }, [404]);
  const clock = createRealTimeline().scope('bench');
  for (let attempt = 0; attempt < DELETION_ATTEMPTS; attempt += 1) {
    if ((await ask(server.access, { method: 'GET', path, headers: {} }, [404])).status === 404) return;
    await clock.sleep(DELETION_PERIOD_MS);
  }
  throw new Error(`the namespace ${NAMESPACE} is still there`);
}

type Read = (get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Buffer>, namespace: string) => Promise<void>;

const LISTS: readonly { readonly what: string; readonly read: Read }[] = [
  {
    what: `in pages of ${PAGE}`,
    read: async (get, namespace) => {
      let token = '';
      do {
        const page = await get(`/api/v1/namespaces/${namespace}/pods?limit=${PAGE}&continue=${encodeURIComponent(token)}`);
        token = /"continue":"([^"]*)"/.exec(page.toString('latin1', 0, MAX_META_BYTES))?.[1] ?? '';
      } while (token !== '');
    },
  },
  { what: 'whole', read: async (get, namespace) => void (await get(`/api/v1/namespaces/${namespace}/pods?resourceVersion=0`)) },
  {
    what: 'whole, with gzip',
    read: async (get, namespace) => {
      await get(`/api/v1/namespaces/${namespace}/pods?resourceVersion=0`, { 'accept-encoding': 'gzip' });
    },
  },
];
/** A list's metadata come before its items. */
const MAX_META_BYTES = 1_000;

interface Cost {
  readonly ms: number;
  readonly cpuMs: number;
}

/** Reads a list from each server in turn. @returns the median time, and the mean of processor time, which has few digits */
async function inTurn(all: readonly Filled[], read: Read): Promise<Map<Filled, Cost>> {
  const costs = new Map(all.map((filled) => [filled, { ms: [] as number[], cpuMs: [] as number[] }] as const));
  // The first one warms up.
  for (let round = 0; round <= REPEATS; round += 1) {
    for (const [filled, known] of costs) {
      const { server, namespace } = filled;
      const client = createHttpWire(server.access);
      const get = async (path: string, headers = {}): Promise<Buffer> => {
        const { status, body } = await client.wire({ method: 'GET', path, headers: { accept: 'application/json', ...headers } });
        if (status !== 200) throw new Error(`GET ${path}: ${status}`);
        return Buffer.from(await readWhole(body, MAX_ANSWER_BYTES));
      };
      const before = await server.cpuMs();
      const elapsed = startStopwatch();
      await read(get, namespace);
      const ms = elapsed();
      const cpuMs = (await server.cpuMs()) - before;
      if (round > 0) {
        known.ms.push(ms);
        known.cpuMs.push(cpuMs);
      }
      client.destroy();
    }
  }
  return new Map([...costs].map(([filled, { ms, cpuMs }]) => [filled, { ms: median(ms), cpuMs: mean(cpuMs) }]));
}
