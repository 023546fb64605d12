import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readKubeconfig } from '../clients/kubeconfig.ts';
import { startStopwatch } from '../runtime/stopwatch.ts';
import { createHttpWire } from '../wire/http-wire.ts';
import { asText, isStream, readText } from '../wire/wire.ts';
import type { Wire, WireRequest } from '../wire/wire.ts';
import type { ChildMessage } from './proxy-process.ts';

/**
 * Measures the cost of the proxy in front of a real API server. Requests alternate between three routes: directly to the server,
 * through a bare proxy (Node's HTTP client piped into its HTTP server), and through ours. One process sends them all, so other
 * load on the machine affects the routes equally. Each proxy is a separate process. The bare one separates the cost of any proxy
 * in Node on this machine from the cost of the chain, the recording and the faults.
 *
 * `npm run bench:proxy -- [--kubeconfig FILE] [--requests N] [--events N]`; without a cluster it measures the emulated API
 * server, in a process of its own. Prints a table; `--require` exits with 1 if a target is missed.
 */
const WARM_UP = 200;
const CONCURRENCY = 16;
/** Requests per block; throughput is measured in blocks that alternate between the routes. */
const BLOCK = 500;
const BLOCKS = 6;
/** Targets: milliseconds added at p99, and the remaining share of the direct throughput. */
const ADDED_P99_MS = 1;
const THROUGHPUT = 0.8;

/** Unique per run: that of an earlier one may still be terminating. */
const NAMESPACE = `scaleproof-bench-${process.pid}`;
const MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const MAP = `${MAPS}/bench`;
const JSON_BODY = { 'content-type': 'application/json' };

const ROUTES = ['direct', 'bare', 'proxied'] as const;
type Route = (typeof ROUTES)[number];
type Wires = Readonly<Record<Route, Wire>>;

const READ: WireRequest = { method: 'GET', path: MAP, headers: { accept: 'application/json' } };

function write(count: number): WireRequest {
  const body = JSON.stringify({ data: { count: String(count) } });
  return { method: 'PATCH', path: MAP, headers: { 'content-type': 'application/merge-patch+json' }, body };
}

async function send(wire: Wire, request: WireRequest): Promise<void> {
  const { status, body } = await wire(request);
  const text = await readText(body);
  if (status >= 400 && status !== 409 && status !== 404) throw new Error(`${request.method} ${request.path}: ${status} ${text}`);
}

/** Latencies of sequential requests that alternate between the routes. In ms, sorted. */
async function latencies(wires: Wires, requests: number, next: () => WireRequest): Promise<Record<Route, number[]>> {
  const times: Record<Route, number[]> = { direct: [], bare: [], proxied: [] };
  for (let index = 0; index < requests; index += 1) {
    for (const route of index % 2 === 0 ? ROUTES : ROUTES.toReversed()) {
      const request = next();
      const elapsed = startStopwatch();
      await send(wires[route], request);
      times[route].push(elapsed());
    }
  }
  for (const route of ROUTES) times[route].sort((a, b) => a - b);
  return times;
}

/** Requests per second with many in flight: the median of alternating blocks. */
async function throughput(wires: Wires): Promise<Record<Route, number>> {
  const rates: Record<Route, number[]> = { direct: [], bare: [], proxied: [] };
  for (let block = 0; block < BLOCKS; block += 1) {
    for (const route of ROUTES) {
      const elapsed = startStopwatch();
      let left = BLOCK;
      const worker = async (): Promise<void> => {
        while ((left -= 1) >= 0) await send(wires[route], READ);
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, worker));
      rates[route].push((BLOCK / elapsed()) * 1_000);
    }
  }
  const median = (values: number[]): number =>
    quantile(
      values.sort((a, b) => a - b),
      0.5,
    );
  return { direct: median(rates.direct), bare: median(rates.bare), proxied: median(rates.proxied) };
}

/** The routes that watches are measured on. */
type Followed = Exclude<Route, 'bare'>;

/** Runs two watches of the same changes and compares when each event arrived, by revision, on the same clock. */
async function watches(wires: Wires, events: number): Promise<{ added: number[]; received: Record<Followed, number>; perSecond: number }> {
  const elapsed = startStopwatch();
  const arrivals: Record<Followed, Map<string, number>> = { direct: new Map(), proxied: new Map() };
  const closing = new AbortController();
  const all = { direct: Promise.withResolvers<void>(), proxied: Promise.withResolvers<void>() };
  const { body: listed } = await wires.direct({ ...READ, path: `${MAPS}?limit=1` });
  const { metadata } = JSON.parse(await readText(listed)) as { metadata: { resourceVersion: string } };
  const follow = async (route: Followed): Promise<void> => {
    const path = `${MAPS}?watch=true&resourceVersion=${metadata.resourceVersion}`;
    const { body } = await wires[route]({ ...READ, path, signal: closing.signal });
    if (!isStream(body)) throw new Error('the watch response is not a stream');
    let rest = '';
    for await (const chunk of body) {
      const lines = (rest + asText(chunk)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const [, revision = ''] = /"resourceVersion":"(\d+)"/.exec(line) ?? [];
        arrivals[route].set(revision, elapsed());
        if (arrivals[route].size >= events) all[route].resolve();
      }
    }
  };
  const following = [follow('direct'), follow('proxied')].map((work) =>
    work.catch((error: unknown) => {
      if (!closing.signal.aborted) throw error;
    }),
  );
  const writing = startStopwatch();
  let made = 0;
  const writer = async (): Promise<void> => {
    while (made < events) {
      made += 1;
      await send(wires.direct, write(made));
    }
  };
  // One writer: several writers of one object would conflict.
  await Promise.race([Promise.all([writer(), all.direct.promise, all.proxied.promise]), ...following]);
  const seconds = writing() / 1_000;
  closing.abort();
  const added = [...arrivals.direct].flatMap(([revision, ms]) => {
    const proxiedMs = arrivals.proxied.get(revision);
    return proxiedMs === undefined ? [] : [proxiedMs - ms];
  });
  return {
    added: added.sort((a, b) => a - b),
    received: { direct: arrivals.direct.size, proxied: arrivals.proxied.size },
    perSecond: events / seconds,
  };
}

function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

/** Two decimals, with the sign. */
const signed = (ms: number): string => `${ms < 0 ? '' : '+'}${ms.toFixed(2)}`;

/** CPU time and memory of a child process so far. */
type Usage = Exclude<ChildMessage, { url: string }>;

async function start(children: ChildProcess[], ...args: string[]): Promise<{ url: string; usage: () => Promise<Usage> }> {
  const child = fork(fileURLToPath(new URL('./proxy-process.ts', import.meta.url)), args);
  children.push(child);
  const next = async (): Promise<ChildMessage> => ((await once(child, 'message')) as [ChildMessage])[0];
  const first = await next();
  if (!('url' in first)) throw new Error('the child did not send its address');
  const usage = async (): Promise<Usage> => {
    child.send('usage');
    const answer = await next();
    if ('url' in answer) throw new Error('the child sent its address twice');
    return answer;
  };
  return { url: first.url, usage };
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      kubeconfig: { type: 'string' },
      requests: { type: 'string', default: '2000' },
      events: { type: 'string', default: '10000' },
      require: { type: 'boolean', default: false },
    },
  });
  const children: ChildProcess[] = [];
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  try {
    const server = values.kubeconfig === undefined ? await start(children, 'server') : undefined;
    const upstream = values.kubeconfig ?? server?.url ?? '';
    const [bare, proxy] = [await start(children, 'bare', upstream), await start(children, 'proxy', upstream)];
    const access = values.kubeconfig === undefined ? { baseUrl: upstream } : await readKubeconfig(values.kubeconfig);
    const wires: Wires = {
      direct: createHttpWire(access).wire,
      bare: createHttpWire({ baseUrl: bare.url }).wire,
      proxied: createHttpWire({ baseUrl: proxy.url }).wire,
    };
    const post = (path: string, body: object): Promise<void> =>
      send(wires.direct, { method: 'POST', path, headers: JSON_BODY, body: JSON.stringify(body) });
    await post('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
    await post(MAPS, { metadata: { name: 'bench' }, data: { text: 'x'.repeat(2_000) } });
    try {
      let count = 0;
      await latencies(wires, WARM_UP, () => READ);
      const before = await proxy.usage();
      const reads = await latencies(wires, Number(values.requests), () => READ);
      const writes = await latencies(wires, Math.ceil(Number(values.requests) / 4), () => write((count += 1)));
      const idle = { bare: await bare.usage(), proxied: await proxy.usage() };
      const rates = await throughput(wires);
      const busy = { bare: await bare.usage(), proxied: await proxy.usage() };
      const watched = await watches(wires, Number(values.events));
      const after = await proxy.usage();

      const row = (what: string, ...cells: readonly string[]): void =>
        print(what.padEnd(24) + cells.map((cell) => cell.padStart(18)).join(''));
      row('', ...ROUTES);
      for (const [what, times] of Object.entries({ read: reads, write: writes })) {
        for (const q of [0.5, 0.99]) {
          const direct = quantile(times.direct, q);
          const added = (route: Route): string => `${quantile(times[route], q).toFixed(2)} (${signed(quantile(times[route], q) - direct)})`;
          row(`${what} p${q * 100}, ms`, direct.toFixed(2), added('bare'), added('proxied'));
        }
      }
      const ratioOf = (route: Route): number => rates[route] / rates.direct;
      const rate = (route: Route): string => `${rates[route].toFixed(0)} (${(ratioOf(route) * 100).toFixed(0)} %)`;
      row(`reads/s, ${CONCURRENCY} concurrent`, rates.direct.toFixed(0), rate('bare'), rate('proxied'));
      const cpuUs = (route: 'bare' | 'proxied'): string =>
        (((busy[route].cpuMs - idle[route].cpuMs) * 1_000) / (BLOCK * BLOCKS)).toFixed(0);
      row('CPU of proxy, us per read', '', cpuUs('bare'), cpuUs('proxied'));
      row('memory, MiB warm, after', '', '', `${before.rssMiB.toFixed(0)}, ${after.rssMiB.toFixed(0)}`);
      row('watch events received', `${watched.received.direct}`, '', `${watched.received.proxied}`);
      const [p50, p99] = [quantile(watched.added, 0.5), quantile(watched.added, 0.99)];
      print(
        `delay of a watch event through the proxy, at ${watched.perSecond.toFixed(0)} /s: p50 ${signed(p50)} ms, p99 ${signed(p99)} ms`,
      );
      const ratio = ratioOf('proxied');
      const p99Ms = (route: Route): number => quantile(reads[route], 0.99);
      const addedMs = p99Ms('proxied') - p99Ms('direct');
      const isMet = addedMs < ADDED_P99_MS && ratio >= THROUGHPUT;
      print(`target: < ${ADDED_P99_MS} ms added at p99 of reads, >= ${THROUGHPUT * 100} % of the throughput: ${isMet ? 'met' : 'missed'}`);
      const ofBare = ((rates.proxied / rates.bare) * 100).toFixed(0);
      print(`over a bare proxy: ${signed(p99Ms('proxied') - p99Ms('bare'))} ms at p99 of reads, ${ofBare} % of its throughput`);
      return isMet || !values.require ? 0 : 1;
    } finally {
      await send(wires.direct, { method: 'DELETE', path: `/api/v1/namespaces/${NAMESPACE}`, headers: {} });
    }
  } finally {
    for (const child of children) child.kill();
  }
}

process.exit(await main());
