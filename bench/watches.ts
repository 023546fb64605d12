import { startStopwatch } from '../runtime/stopwatch.ts';
import { createHttpWire } from '../wire/http-wire.ts';
import { asText, isStream } from '../wire/wire.ts';
import { LoadConnection, sendOne } from './load.ts';
import type { LoadRequest } from './load.ts';
import type { Route, Routes } from './routes.ts';

/** One watch on each route. */
export interface Watched {
  /** How much later than on the direct route each event arrived, sorted, in ms. */
  readonly addedMs: ReadonlyMap<Route, readonly number[]>;
  readonly cpuUs: ReadonlyMap<Route, number>;
  readonly perSecond: number;
}

/**
 * Watches the same changes on all routes at once, and compares when each event arrived, by revision, on the same clock. Resolves
 * when all have arrived everywhere.
 */
export async function measureWatches(
  { ways }: Routes,
  path: string,
  events: number,
  write: (count: number) => LoadRequest,
): Promise<Watched> {
  const elapsed = startStopwatch();
  const closing = new AbortController();
  const arrivals = new Map<Route, Map<string, number>>();
  const clients = [...ways].map(([route, { access }]) => ({ route, client: createHttpWire(access) }));
  const follow = async ({ route, client }: (typeof clients)[number]): Promise<() => Promise<void>> => {
    const arrived = new Map<string, number>();
    arrivals.set(route, arrived);
    const request = { method: 'GET', path, headers: { accept: 'application/json' }, signal: closing.signal };
    const { body } = await client.wire(request);
    if (!isStream(body)) throw new Error('the watch response is not a stream');
    return async () => {
      let rest = '';
      for await (const chunk of body) {
        const lines = (rest + asText(chunk)).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const [, revision = ''] = /"resourceVersion":"(\d+)"/.exec(line) ?? [];
          arrived.set(revision, elapsed());
        }
        if (arrived.size >= events) return;
      }
      throw new Error(`the watch on ${route} ended after ${arrived.size} events`);
    };
  };
  const followers = await Promise.all(clients.map(follow));
  const before = await cpuOf(ways);
  const direct = ways.get('direct');
  if (direct === undefined) throw new Error('there is no direct route');
  const writer = await LoadConnection.open(direct.access);
  const writing = startStopwatch();
  const write1 = async (): Promise<void> => {
    // One writer: several writers of one object would conflict.
    for (let count = 0; count < events; count += 1) await sendOne(writer, write(count));
  };
  await Promise.all([write1(), ...followers.map((arrive) => arrive())]);
  const seconds = writing() / 1_000;
  const after = await cpuOf(ways);
  closing.abort(new Error('measured'));
  writer.close();
  for (const { client } of clients) client.destroy();
  const first = arrivals.get('direct') ?? new Map<string, number>();
  const added = ([route, arrived]: [Route, Map<string, number>]): [Route, readonly number[]] => [
    route,
    [...arrived].map(([revision, ms]) => ms - (first.get(revision) ?? Number.NaN)).sort((a, b) => a - b),
  ];
  return {
    addedMs: new Map([...arrivals].map(added)),
    cpuUs: new Map([...after].map(([route, ms]) => [route, ((ms - (before.get(route) ?? 0)) * 1_000) / events])),
    perSecond: events / seconds,
  };
}

async function cpuOf(ways: Routes['ways']): Promise<Map<Route, number>> {
  const result = new Map<Route, number>();
  for (const [route, { usage }] of ways) result.set(route, (await usage()).cpuMs);
  return result;
}
