import { parseArgs } from 'node:util';
import { defined } from '../model/defined.ts';
import { LoadConnection, sendAll, sendOne } from './load.ts';
import type { LoadRequest } from './load.ts';
import { configMaps } from './objects.ts';
import type { Size } from './objects.ts';
import type { ProxyReport } from './proxies.ts';
import { startRoutes } from './routes.ts';
import type { Route, Routes } from './routes.ts';
import { TOXIPROXY_VERSION } from './toxiproxy.ts';
import { measureWatches } from './watches.ts';

/**
 * Measures the cost of the proxy in front of a real API server. The same requests alternate between the routes: directly to the
 * server, through a bare proxy (Node's HTTP client piped into its HTTP server), through Toxiproxy (which forwards bytes that it
 * does not read), and through ours. One process sends them all, so other load on the machine affects the routes equally. Each
 * proxy is a separate process, whose processor time is measured.
 *
 * `npm run bench:proxy -- [--kubeconfig FILE] [--scale N] [--json]`; without a cluster the server answers from memory and costs nearly
 * nothing, so the shares of direct throughput are the lowest possible. `--scale 0.1` sends a tenth of the requests. Toxiproxy
 * needs Go. Prints a table, or with `--json` the processor times; `--require` exits with 1 if a target is missed.
 */
const CONNECTIONS = 16;
/** Blocks of requests, which alternate between the routes; another one before them warms up. */
const BLOCKS = 6;
/** The target: at most this many times Toxiproxy's processor time for a request. */
const MAX_RATIO = 2;

/** Unique per run: that of an earlier one may still be terminating. */
const NAMESPACE = `scaleproof-bench-${process.pid}`;
const MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const pathOf = (size: Size): string => `${MAPS}/${configMaps(size)[0]?.metadata.name}`;
const READ: LoadRequest = { method: 'GET', path: pathOf('small') };

let writes = 0;
const write = (): LoadRequest => ({
  method: 'PATCH',
  path: pathOf('small'),
  headers: { 'content-type': 'application/merge-patch+json' },
  body: JSON.stringify({ data: { count: String((writes += 1)) } }),
});

/** What is sent: requests of a block at scale 1, and connections at once. */
const LOADS = [
  { name: '1 kB read', requests: 10_000, connections: CONNECTIONS, next: () => READ },
  { name: '1 kB read', requests: 3_000, connections: 1, next: () => READ },
  // One at a time: several writers of one object would conflict.
  { name: '1 kB write', requests: 3_000, connections: 1, next: write },
  {
    name: '5 MB list',
    requests: 50,
    connections: CONNECTIONS,
    next: () => ({ method: 'GET', path: `${MAPS}?labelSelector=size%3Dlarge` }),
  },
] as const;
const WATCH_EVENTS = 10_000;

/** What one load took on one route. */
interface Cost {
  /** The median of the blocks. */
  readonly perSecond: number;
  readonly latenciesMs: readonly number[];
  /** Processor time a request of the route's proxy, or of the server on the direct route. */
  readonly cpuUs: number;
}

/** Sends blocks of one load that alternate between the routes. */
async function measure({ ways }: Routes, load: (typeof LOADS)[number], scale: number): Promise<Map<Route, Cost>> {
  const perBlock = Math.ceil(load.requests * scale);
  const lanes = [...ways].map(([route, way]) => ({ route, way, rates: [] as number[], latenciesMs: [] as number[], cpuMs: 0 }));
  for (let block = 0; block <= BLOCKS; block += 1) {
    for (const lane of block % 2 === 0 ? lanes : lanes.toReversed()) {
      const { access, usage } = lane.way;
      // For each block: servers close connections that were idle.
      const connections = await Promise.all(Array.from({ length: load.connections }, () => LoadConnection.open(access)));
      const before = await usage();
      const { ms, latenciesMs } = await sendAll(connections, perBlock, load.next);
      const after = await usage();
      for (const connection of connections) connection.close();
      if (block === 0) continue;
      lane.rates.push((perBlock / ms) * 1_000);
      lane.latenciesMs.push(...latenciesMs);
      lane.cpuMs += after.cpuMs - before.cpuMs;
    }
  }
  const costs = new Map<Route, Cost>();
  for (const { route, rates, latenciesMs, cpuMs } of lanes) {
    const ascending = (values: number[]): number[] => values.sort((a, b) => a - b);
    costs.set(route, {
      perSecond: quantile(ascending(rates), 0.5),
      latenciesMs: ascending(latenciesMs),
      cpuUs: (cpuMs * 1_000) / (perBlock * BLOCKS),
    });
  }
  return costs;
}

function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

/** Without `--json`. */
let isPrinted = true;
const print = (line: string): void => {
  if (isPrinted) process.stdout.write(`${line}\n`);
};

/** Prints one row, with one cell for each route. */
function row(what: string, routes: Routes, cell: (route: Route) => string): void {
  const cells = [...routes.ways.keys()].map((route) => cell(route).padStart(18));
  print(what.padEnd(34) + cells.join(''));
}

/** Sends one request to the server itself. */
async function sendDirectly({ ways }: Routes, method: string, path: string, body?: object): Promise<void> {
  const direct = ways.get('direct');
  if (direct === undefined) throw new Error('there is no direct route');
  // Of its own: servers close connections that were idle.
  const connection = await LoadConnection.open(direct.access);
  const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  await sendOne(connection, { method, path, ...(body === undefined ? {} : json) });
  connection.close();
}

/** @returns whether the target is met; undefined without Toxiproxy */
function report(what: string, of: ReadonlyMap<Route, number>): boolean | undefined {
  const [toxiproxyUs, oursUs = Number.NaN] = [of.get('toxiproxy'), of.get('ours')];
  if (toxiproxyUs === undefined || Number.isNaN(toxiproxyUs)) return undefined;
  const ratio = oursUs / toxiproxyUs;
  print(
    `${what}: ${ratio.toFixed(2)} times the processor time of Toxiproxy; target: at most ${MAX_RATIO}: ${ratio <= MAX_RATIO ? 'met' : 'missed'}`,
  );
  return ratio <= MAX_RATIO;
}

function ofProxies(what: string, of: ReadonlyMap<Route, number>): ProxyReport['cpu'][number] {
  return { what, oursUs: of.get('ours') ?? Number.NaN, ...defined({ toxiproxyUs: of.get('toxiproxy') }) };
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      kubeconfig: { type: 'string' },
      scale: { type: 'string', default: '1' },
      require: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const scale = Number(values.scale);
  isPrinted = !values.json;
  const cpu: ProxyReport['cpu'][number][] = [];
  const routes = await startRoutes(values.kubeconfig);
  try {
    if (routes.missing !== undefined) print(`Toxiproxy ${TOXIPROXY_VERSION} is not measured: ${routes.missing}`);
    await sendDirectly(routes, 'POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
    try {
      for (const map of [...configMaps('small'), ...configMaps('large')]) await sendDirectly(routes, 'POST', MAPS, map);
      const results: (boolean | undefined)[] = [];
      const summaries: (() => void)[] = [];
      row('', routes, (route) => route);
      for (const load of LOADS) {
        const costs = await measure(routes, load, scale);
        const of = (route: Route): Cost => costs.get(route) ?? { perSecond: Number.NaN, latenciesMs: [], cpuUs: Number.NaN };
        const what = `${load.name}, ${load.connections} at once`;
        const share = (route: Route): string => ((of(route).perSecond / of('direct').perSecond) * 100).toFixed(0);
        row(`${what}: /s`, routes, (route) => `${of(route).perSecond.toFixed(0)} (${share(route)} %)`);
        row(`${what}: CPU, us`, routes, (route) => (route === 'direct' ? '' : of(route).cpuUs.toFixed(0)));
        if (load.connections === 1) {
          const ms = (route: Route, q: number): string => quantile(of(route).latenciesMs, q).toFixed(2);
          row(`${what}: p50, p99, ms`, routes, (route) => `${ms(route, 0.5)}, ${ms(route, 0.99)}`);
        }
        const cpuUs = new Map([...costs].map(([route, cost]) => [route, cost.cpuUs]));
        cpu.push(ofProxies(what, cpuUs));
        summaries.push(() => results.push(report(what, cpuUs)));
      }
      const watched = await measureWatches(routes, `${MAPS}?watch=true&labelSelector=size%3Dsmall`, Math.ceil(WATCH_EVENTS * scale), write);
      row(`watch event: CPU, us`, routes, (route) => (route === 'direct' ? '' : (watched.cpuUs.get(route) ?? Number.NaN).toFixed(0)));
      const added = (route: Route, q: number): string => quantile(watched.addedMs.get(route) ?? [], q).toFixed(2);
      row(`watch event: p50, p99 added, ms`, routes, (route) => (route === 'direct' ? '' : `${added(route, 0.5)}, ${added(route, 0.99)}`));
      const usages = new Map(await Promise.all([...routes.ways].map(async ([route, { usage }]) => [route, await usage()] as const)));
      row('memory at the end, MiB', routes, (route) => (route === 'direct' ? '' : (usages.get(route)?.rssMiB ?? Number.NaN).toFixed(0)));
      print(`Events of the watches: ${watched.perSecond.toFixed(0)} /s, all of them arrived on all routes.`);
      for (const summary of summaries) summary();
      results.push(report('watch event', watched.cpuUs));
      cpu.push(ofProxies('watch event', watched.cpuUs));
      const printed: ProxyReport = { cpu, ...defined({ missing: routes.missing }) };
      if (values.json) process.stdout.write(`${JSON.stringify(printed)}\n`);
      return results.includes(false) && values.require ? 1 : 0;
    } finally {
      await sendDirectly(routes, 'DELETE', `/api/v1/namespaces/${NAMESPACE}`);
    }
  } finally {
    routes.stop();
  }
}

process.exit(await main());
