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
 * What the proxy before a real API server costs: requests sent straight to the server and through the proxy, in turns, from
 * one process, so that a busy machine is as busy for both. The proxy is a process of its own.
 *
 * `npm run bench:proxy -- [--kubeconfig FILE] [--requests N] [--events N]`; without a cluster an API server of our own is
 * measured, which is a process too. Prints a table; `--require` exits with 1 where a target is missed.
 */
const WARM_UP = 200;
const CONCURRENCY = 16;
/** Throughput is measured in blocks of so many requests, taking turns. */
const BLOCK = 500;
const BLOCKS = 6;
/** Targets: milliseconds added at p99, and the part of the direct throughput that is left. */
const ADDED_P99_MS = 1;
const THROUGHPUT = 0.8;

const NAMESPACE = 'scaleproof-bench';
const MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const MAP = `${MAPS}/bench`;
const JSON_BODY = { 'content-type': 'application/json' };

type Way = 'direct' | 'proxied';
type Wires = Readonly<Record<Way, Wire>>;

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

/** Times of single requests, one after the other, a direct one and a proxied one in turns. In ms, sorted. */
async function latencies(wires: Wires, requests: number, next: () => WireRequest): Promise<Record<Way, number[]>> {
  const times: Record<Way, number[]> = { direct: [], proxied: [] };
  for (let index = 0; index < requests; index += 1) {
    for (const way of index % 2 === 0 ? (['direct', 'proxied'] as const) : (['proxied', 'direct'] as const)) {
      const request = next();
      const elapsed = startStopwatch();
      await send(wires[way], request);
      times[way].push(elapsed());
    }
  }
  times.direct.sort((a, b) => a - b);
  times.proxied.sort((a, b) => a - b);
  return times;
}

/** Requests a second with many under way: the median of blocks, which take turns. */
async function throughput(wires: Wires): Promise<Record<Way, number>> {
  const rates: Record<Way, number[]> = { direct: [], proxied: [] };
  for (let block = 0; block < BLOCKS; block += 1) {
    for (const way of ['direct', 'proxied'] as const) {
      const elapsed = startStopwatch();
      let left = BLOCK;
      const worker = async (): Promise<void> => {
        while ((left -= 1) >= 0) await send(wires[way], READ);
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, worker));
      rates[way].push((BLOCK / elapsed()) * 1_000);
    }
  }
  const median = (values: number[]): number =>
    quantile(
      values.sort((a, b) => a - b),
      0.5,
    );
  return { direct: median(rates.direct), proxied: median(rates.proxied) };
}

/** Two watches of the same changes at once: when each arrived, by revision, in ms since the same moment. */
async function watches(wires: Wires, events: number): Promise<{ added: number[]; received: Record<Way, number>; perSecond: number }> {
  const elapsed = startStopwatch();
  const arrivals: Record<Way, Map<string, number>> = { direct: new Map(), proxied: new Map() };
  const closing = new AbortController();
  const all = { direct: Promise.withResolvers<void>(), proxied: Promise.withResolvers<void>() };
  const { body: listed } = await wires.direct({ ...READ, path: `${MAPS}?limit=1` });
  const { metadata } = JSON.parse(await readText(listed)) as { metadata: { resourceVersion: string } };
  const follow = async (way: Way): Promise<void> => {
    const path = `${MAPS}?watch=true&resourceVersion=${metadata.resourceVersion}`;
    const { body } = await wires[way]({ ...READ, path, signal: closing.signal });
    if (!isStream(body)) throw new Error('the watch is no stream');
    let rest = '';
    for await (const chunk of body) {
      const lines = (rest + asText(chunk)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const [, revision = ''] = /"resourceVersion":"(\d+)"/.exec(line) ?? [];
        arrivals[way].set(revision, elapsed());
        if (arrivals[way].size >= events) all[way].resolve();
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
  // One writer: writers of one object would be in each other's way.
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

/** What a child has used so far. */
type Usage = Exclude<ChildMessage, { url: string }>;

async function start(children: ChildProcess[], ...args: string[]): Promise<{ url: string; usage: () => Promise<Usage> }> {
  const child = fork(fileURLToPath(new URL('./proxy-process.ts', import.meta.url)), args);
  children.push(child);
  const next = async (): Promise<ChildMessage> => ((await once(child, 'message')) as [ChildMessage])[0];
  const first = await next();
  if (!('url' in first)) throw new Error('the child has no address');
  const usage = async (): Promise<Usage> => {
    child.send('usage');
    const answer = await next();
    if ('url' in answer) throw new Error('the child says its address twice');
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
    const proxy = await start(children, 'proxy', values.kubeconfig ?? server?.url ?? '');
    const access = values.kubeconfig === undefined ? { baseUrl: server?.url ?? '' } : await readKubeconfig(values.kubeconfig);
    const wires: Wires = { direct: createHttpWire(access).wire, proxied: createHttpWire({ baseUrl: proxy.url }).wire };
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
      const idle = await proxy.usage();
      const rates = await throughput(wires);
      const busy = await proxy.usage();
      const watched = await watches(wires, Number(values.events));
      const after = await proxy.usage();

      const row = (what: string, direct: number, proxied: number, unit: string): void =>
        print(`${what.padEnd(34)} ${direct.toFixed(2).padStart(9)} ${proxied.toFixed(2).padStart(9)}  ${unit}`);
      print(`${''.padEnd(34)} ${'direct'.padStart(9)} ${'proxied'.padStart(9)}`);
      for (const [what, times] of Object.entries({ read: reads, write: writes })) {
        for (const q of [0.5, 0.99]) {
          const [direct, proxied] = [quantile(times.direct, q), quantile(times.proxied, q)];
          row(`${what} p${q * 100}`, direct, proxied, `ms (+${(proxied - direct).toFixed(2)})`);
        }
      }
      const ratio = rates.proxied / rates.direct;
      row(`reads, ${CONCURRENCY} at once`, rates.direct, rates.proxied, `/s (${(ratio * 100).toFixed(0)} %)`);
      row('watch events received', watched.received.direct, watched.received.proxied, `at ${watched.perSecond.toFixed(0)} /s`);
      print(
        `watch event, added                 p50 ${quantile(watched.added, 0.5).toFixed(2)} ms, p99 ${quantile(watched.added, 0.99).toFixed(2)} ms`,
      );
      print(`CPU of the proxy                   ${(((busy.cpuMs - idle.cpuMs) * 1_000) / (BLOCK * BLOCKS)).toFixed(0)} us a read`);
      print(`memory of the proxy                ${before.rssMiB.toFixed(0)} MiB warm, ${after.rssMiB.toFixed(0)} MiB after`);
      const addedMs = quantile(reads.proxied, 0.99) - quantile(reads.direct, 0.99);
      const isMet = addedMs < ADDED_P99_MS && ratio >= THROUGHPUT;
      print(`target: < ${ADDED_P99_MS} ms added at p99 of reads, >= ${THROUGHPUT * 100} % of the throughput: ${isMet ? 'met' : 'missed'}`);
      return isMet || !values.require ? 0 : 1;
    } finally {
      await send(wires.direct, { method: 'DELETE', path: `/api/v1/namespaces/${NAMESPACE}`, headers: {} });
    }
  } finally {
    for (const child of children) child.kill();
  }
}

process.exit(await main());
