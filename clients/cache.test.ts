import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import type { KubeObject } from '../model/kube.ts';
import type { ClockScope } from '../runtime/clock.ts';
import { Mailbox } from '../runtime/mailbox.ts';
import { createRandom } from '../runtime/random.ts';
import type { Random } from '../runtime/random.ts';
import { createVirtualTimeline } from '../runtime/timeline.ts';
import { WireError } from '../wire/wire.ts';
import type { Wire, WireRequest, WireResponse } from '../wire/wire.ts';
import { BACKOFF_BASE_MS } from './backoff.ts';
import { CACHE_REQUEST_TIMEOUT_MS, WATCH_GRACE_MS, WATCH_TIMEOUT_S, createCache } from './cache.ts';
import type { CacheOptions } from './cache.ts';
import type { Cache } from './kube-client.ts';
import { RESOURCES } from './resources.ts';

interface Item extends KubeObject {
  value?: number;
}

/** What goes wrong with a request: the wire breaks, the server refuses, or an open watch ends soon. */
type Trouble = 'break' | 'gone' | 'error' | 'break watch' | 'close watch' | 'gone watch' | 'cut line' | 'rubbish';

interface WatchEvent {
  readonly type: string;
  readonly object: unknown;
}

/** A tiny API server with one resource: revisions, list, watch from a revision. */
class FakeServer {
  readonly requests: { readonly atMs: number; readonly request: WireRequest }[] = [];
  /** Each request takes the first. */
  readonly troubles: (Trouble | undefined)[] = [];
  readonly #clock: ClockScope;
  readonly #objects = new Map<string, Item>();
  readonly #events: { readonly revision: number; readonly line: string }[] = [];
  readonly #watches = new Set<Mailbox<string>>();
  #revision = 0;
  #compacted = 0;

  constructor(clock: ClockScope) {
    this.#clock = clock;
  }

  get objects(): Item[] {
    return [...this.#objects.values()];
  }

  set(name: string, value: number): void {
    const known = this.#objects.get(name);
    this.#revision += 1;
    const object = { apiVersion: 'v1', kind: 'Node', metadata: { name, resourceVersion: String(this.#revision) }, value };
    this.#objects.set(name, object);
    this.#emit({ type: known === undefined ? 'ADDED' : 'MODIFIED', object });
  }

  remove(name: string): void {
    const known = this.#objects.get(name);
    if (known === undefined) return;
    this.#revision += 1;
    this.#objects.delete(name);
    this.#emit({ type: 'DELETED', object: { ...known, metadata: { ...known.metadata, resourceVersion: String(this.#revision) } } });
  }

  /** Sends a line on every open watch. */
  send(line: string): void {
    for (const watch of this.#watches) watch.push(line);
  }

  /** Forgets the events so far: older watches are answered 410. */
  compact(): void {
    this.#compacted = this.#revision;
  }

  closeWatches(): void {
    for (const watch of this.#watches) watch.close();
  }

  readonly wire: Wire = async (request) => {
    this.requests.push({ atMs: this.#clock.nowMs(), request });
    const trouble = this.troubles.shift();
    await this.#clock.sleep(5);
    if (trouble === 'break') throw new WireError('ECONNRESET', 'broken');
    if (trouble === 'gone') return status(410, 'Expired');
    if (trouble === 'error') return status(500, 'InternalError');
    const query = new URLSearchParams(request.path.split('?')[1]);
    return query.get('watch') === 'true' ? this.#watch(request, query, trouble) : this.#list(query);
  };

  #list(query: URLSearchParams): WireResponse {
    const limit = Number(query.get('limit') ?? Infinity);
    const from = Number(query.get('continue') ?? 0);
    const all = this.objects;
    const items = all.slice(from, from + limit).map(({ apiVersion: _version, kind: _kind, ...item }) => item);
    const next = from + limit < all.length ? { continue: String(from + limit) } : {};
    return ok(JSON.stringify({ metadata: { resourceVersion: String(this.#revision), ...next }, items }));
  }

  #watch(request: WireRequest, query: URLSearchParams, trouble: Trouble | undefined): WireResponse {
    const from = Number(query.get('resourceVersion'));
    if (from < this.#compacted) return status(410, 'Expired');
    const watch = new Mailbox<string>(1_000, () => this.#watches.delete(watch));
    this.#watches.add(watch);
    request.signal?.addEventListener('abort', () => watch.close());
    for (const event of this.#events) if (event.revision > from) watch.push(event.line);
    const after = (ms: number, what: () => void): void => void this.#clock.sleep(ms).then(what);
    after(Number(query.get('timeoutSeconds')) * 1_000, () => watch.close());
    if (trouble === 'break watch') after(700, () => watch.fail(new WireError('ECONNRESET', 'broken')));
    if (trouble === 'close watch') after(10, () => watch.close());
    if (trouble === 'gone watch') after(300, () => watch.push(line({ type: 'ERROR', object: { code: 410, reason: 'Expired' } })));
    if (trouble === 'cut line') after(200, () => (watch.push('{"type":"ADDED","obj'), watch.fail(new WireError('ECONNRESET', 'cut'))));
    if (trouble === 'rubbish') after(200, () => watch.push('<html>\n'));
    return ok(watch);
  }

  #emit(event: WatchEvent): void {
    this.#events.push({ revision: this.#revision, line: line(event) });
    this.send(line(event));
  }
}

function line(event: WatchEvent): string {
  return `${JSON.stringify(event)}\n`;
}

function ok(body: WireResponse['body']): WireResponse {
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}

function status(code: number, reason: string): WireResponse {
  return { ...ok(JSON.stringify({ kind: 'Status', code, reason, message: reason })), status: code };
}

interface Site {
  readonly server: FakeServer;
  /** The cache's own clock. */
  readonly target: ClockScope;
  readonly clock: ClockScope;
  readonly logged: string[];
  readonly start: (options?: CacheOptions, wire?: Wire) => Cache<Item>;
  readonly stop: () => void;
}

function simulate(body: (site: Site) => Promise<void>, random: Random = createRandom(1)): Promise<void> {
  const timeline = createVirtualTimeline({ startMs: 0, random: random.fork('timers') });
  const target = timeline.scope('target');
  const clock = timeline.scope('scenario');
  const server = new FakeServer(timeline.scope('server'));
  const logged: string[] = [];
  const stopping = new AbortController();
  const site = {
    clock: target,
    random,
    signal: stopping.signal,
    log: (level: string, message: string) => void logged.push(`${level}: ${message}`),
  };
  const start = (options?: CacheOptions, wire = server.wire): Cache<Item> => createCache<Item>({ ...site, wire }, RESOURCES.nodes, options);
  const stop = (): void => stopping.abort(new Error('stopped'));
  return timeline.run(body({ server, target, clock, logged, start, stop }).finally(stop));
}

/** Notes the changes of a cache as `ADDED a=1`. */
function noteChanges(cache: Cache<Item>): string[] {
  const notes: string[] = [];
  cache.onChange((type, object) => notes.push(`${type} ${object.metadata.name}=${object.value}`));
  return notes;
}

function queries(server: FakeServer): string[] {
  return server.requests.map(({ request }) => request.path.replace(/timeoutSeconds=\d+/, 'timeoutSeconds=N'));
}

const WATCH = '/api/v1/nodes?watch=true&allowWatchBookmarks=true&resourceVersion=';

test('lists, then watches from the list, and reports each change', async () => {
  await simulate(async ({ server, clock, start }) => {
    server.set('a', 1);
    const cache = start();
    const notes = noteChanges(cache);
    await cache.synced;
    await clock.sleep(100);
    server.set('b', 1);
    server.set('a', 2);
    server.remove('b');
    await clock.sleep(100);
    expect(notes).toEqual(['ADDED a=1', 'ADDED b=1', 'MODIFIED a=2', 'DELETED b=1']);
    expect(cache.list()).toEqual(server.objects);
    expect(cache.get('a')).toMatchObject({ kind: 'Node', apiVersion: 'v1', value: 2 });
    expect(queries(server)).toEqual(['/api/v1/nodes?limit=500&resourceVersion=0', `${WATCH}1&timeoutSeconds=N`]);
  });
});

test('reads a list page by page', async () => {
  await simulate(async ({ server, start }) => {
    for (let index = 0; index < 1_100; index += 1) server.set(`n${index}`, index);
    const cache = start();
    await cache.synced;
    expect(cache.list()).toHaveLength(1_100);
    expect(queries(server).slice(1, 3)).toEqual(['/api/v1/nodes?limit=500&continue=500', '/api/v1/nodes?limit=500&continue=1000']);
  });
});

test('narrows to a namespace and selectors', async () => {
  await simulate(async ({ server, start }) => {
    const cache = start({ labels: { matchLabels: { app: 'x' } }, fieldSelector: 'spec.nodeName=' });
    await cache.synced;
    expect(queries(server)[0]).toBe('/api/v1/nodes?labelSelector=app%3Dx&fieldSelector=spec.nodeName%3D&limit=500&resourceVersion=0');
  });
});

test('resumes from its last revision: at once after a close, with a pause after a break', async () => {
  await simulate(async ({ server, clock, start }) => {
    server.set('a', 1);
    server.troubles.push(undefined, 'break watch');
    const cache = start();
    await clock.sleep(500);
    server.set('b', 1);
    await clock.sleep(2 * BACKOFF_BASE_MS + 300);
    expect(queries(server).slice(1)).toEqual([`${WATCH}1&timeoutSeconds=N`, `${WATCH}2&timeoutSeconds=N`]);
    const pauseMs = (server.requests[2]?.atMs ?? 0) - 5 - 705;
    expect(pauseMs).toBeGreaterThanOrEqual(BACKOFF_BASE_MS);
    expect(pauseMs).toBeLessThanOrEqual(2 * BACKOFF_BASE_MS);
    server.set('c', 1);
    await clock.sleep(2_000);
    server.closeWatches();
    const closedAtMs = clock.nowMs();
    await clock.sleep(10);
    expect(server.requests[3]?.atMs).toBe(closedAtMs);
    expect(queries(server)[3]).toBe(`${WATCH}3&timeoutSeconds=N`);
    expect(cache.list()).toEqual(server.objects);
  });
});

for (const how of ['at the opening', 'in an event'] as const) {
  test(`lists again after 410 Gone ${how}, not older than what it has seen, and reports the missed changes`, async () => {
    await simulate(async ({ server, clock, start }) => {
      server.set('a', 1);
      server.set('b', 1);
      server.troubles.push(undefined, how === 'in an event' ? 'gone watch' : 'close watch');
      const cache = start();
      const notes = noteChanges(cache);
      await clock.sleep(500);
      server.closeWatches();
      server.remove('a');
      server.set('b', 2);
      server.set('c', 1);
      server.compact();
      await clock.sleep(5_000);
      expect(notes.slice(2)).toEqual(['DELETED a=1', 'MODIFIED b=2', 'ADDED c=1']);
      expect(cache.list()).toEqual(server.objects);
      expect(queries(server)).toContain('/api/v1/nodes?resourceVersion=2');
    });
  });
}

test('lists consistently when the list itself is refused with 410', async () => {
  await simulate(async ({ server, clock, start }) => {
    server.troubles.push('gone');
    await start().synced;
    expect(queries(server).slice(0, 2)).toEqual(['/api/v1/nodes?limit=500&resourceVersion=0', '/api/v1/nodes?limit=500']);
    expect(clock.nowMs()).toBeGreaterThanOrEqual(BACKOFF_BASE_MS);
  });
});

test('takes revisions from bookmarks', async () => {
  await simulate(async ({ server, clock, start }) => {
    server.set('a', 1);
    start();
    await clock.sleep(2_000);
    server.send(line({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '77' } } }));
    await clock.sleep(10);
    server.closeWatches();
    await clock.sleep(10);
    expect(queries(server).at(-1)).toBe(`${WATCH}77&timeoutSeconds=N`);
  });
});

test('never goes back in time for one object', async () => {
  await simulate(async ({ server, clock, start }) => {
    server.set('a', 1);
    server.set('a', 2);
    const cache = start();
    const notes = noteChanges(cache);
    await clock.sleep(100);
    const old = { metadata: { name: 'a', resourceVersion: '1' }, value: 1 };
    server.send(line({ type: 'MODIFIED', object: old }));
    server.send(line({ type: 'DELETED', object: old }));
    await clock.sleep(100);
    expect(notes).toEqual(['ADDED a=2']);
    expect(cache.get('a')?.value).toBe(2);
  });
});

test('refuses a list that is older than what it has seen', async () => {
  await simulate(async ({ server, clock, start, logged }) => {
    server.set('a', 1);
    const cache = start();
    await clock.sleep(100);
    server.send(line({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '9' } } }));
    server.troubles.push('gone');
    await clock.sleep(2_000);
    server.closeWatches();
    await clock.sleep(20_000);
    expect(logged.join('\n')).toContain('older than 9');
    expect(cache.get('a')?.value).toBe(1);
    for (let value = 2; value < 12; value += 1) server.set('a', value);
    await clock.sleep(60_000);
    expect(cache.get('a')?.value).toBe(11);
  });
});

test('an exception of a listener is logged as a panic, and the others are still called', async () => {
  await simulate(async ({ server, clock, start, logged }) => {
    const cache = start();
    cache.onChange(() => {
      throw new Error('a bug in a listener');
    });
    const notes = noteChanges(cache);
    await cache.synced;
    await clock.sleep(10);
    server.set('a', 1);
    await clock.sleep(10);
    expect(notes).toEqual(['ADDED a=1']);
    expect(logged).toEqual(['panic: cache of nodes: a listener threw at ADDED: a bug in a listener']);
  });
});

test('a removed listener is not called any more', async () => {
  await simulate(async ({ server, clock, start }) => {
    const cache = start();
    const heard: string[] = [];
    const stopListening = cache.onChange((type) => heard.push(type));
    await clock.sleep(100);
    server.set('a', 1);
    await clock.sleep(100);
    stopListening();
    server.set('a', 2);
    await clock.sleep(100);
    expect(heard).toEqual(['ADDED']);
  });
});

test('backs off from an unavailable server, with growing pauses up to a limit', async () => {
  await simulate(async ({ server, clock, start }) => {
    server.troubles.push(...Array.from({ length: 100 }, () => 'break' as const));
    start();
    await clock.sleep(3_600_000);
    const pauses = server.requests.slice(1, 100).map(({ atMs }, index) => atMs - (server.requests[index]?.atMs ?? 0));
    expect(pauses[0]).toBeLessThanOrEqual(1_605);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(60_005);
    expect(Math.min(...pauses.slice(6))).toBeGreaterThanOrEqual(30_000);
  });
});

test('waits for the time in Retry-After', async () => {
  await simulate(async ({ clock, start }) => {
    const requestTimes: number[] = [];
    start({}, () => {
      requestTimes.push(clock.nowMs());
      return Promise.resolve({ status: 429, headers: { 'retry-after': '20' }, body: '' });
    });
    await clock.sleep(30_000);
    expect(requestTimes).toEqual([0, 20_000]);
  });
});

test('backs off from a server that closes every watch at once', async () => {
  await simulate(async ({ server, clock, start }) => {
    server.troubles.push(undefined, ...Array.from({ length: 1_000 }, () => 'close watch' as const));
    start();
    await clock.sleep(60_000);
    expect(server.requests.length).toBeLessThan(10);
  });
});

test('times out requests that are never answered and watches that never end', async () => {
  await simulate(async ({ clock, start }) => {
    const paths: string[] = [];
    const answers: Wire[] = [
      () => new Promise(() => undefined),
      () => Promise.resolve(ok('{"metadata":{"resourceVersion":"1"},"items":null}')),
      ({ signal }) => {
        const silent = new Mailbox<string>(1);
        signal?.addEventListener('abort', () => silent.fail(signal.reason as Error));
        return Promise.resolve(ok(silent));
      },
    ];
    const cache = start({}, (request) => {
      paths.push(request.path);
      return answers.shift()?.(request) ?? Promise.reject(new WireError('ECONNREFUSED', 'down'));
    });
    await cache.synced;
    expect(clock.nowMs()).toBeGreaterThanOrEqual(CACHE_REQUEST_TIMEOUT_MS);
    await clock.sleep(2 * WATCH_TIMEOUT_S * 1_000 + WATCH_GRACE_MS + 10_000);
    expect(paths.length).toBeGreaterThanOrEqual(4);
  });
});

test('stops when its signal is aborted, before and after the first list', async () => {
  await simulate(async ({ clock, server, start, stop }) => {
    server.troubles.push('break');
    const cache = start();
    await clock.sleep(100);
    stop();
    await expect(cache.synced).rejects.toThrow('stopped');
    await clock.sleep(100_000);
    expect(server.requests).toHaveLength(1);
  });
  await simulate(async ({ clock, server, start, stop }) => {
    const cache = start();
    await cache.synced;
    await clock.sleep(100);
    stop();
    await clock.sleep(1_000_000);
    expect(server.requests).toHaveLength(2);
  });
});

test('receives and sends nothing more once its program is killed', async () => {
  await simulate(async ({ server, target, clock, start }) => {
    const cache = start();
    const notes = noteChanges(cache);
    await cache.synced;
    await clock.sleep(100);
    target.kill();
    server.set('a', 1);
    await clock.sleep(3_600_000);
    expect(notes).toEqual([]);
    expect(server.requests).toHaveLength(2);
  });
});

test('converges to the server under any schedule of changes, breaks, 410s and errors', async () => {
  const trouble = fc.constantFrom<Trouble | undefined>(
    'break',
    'gone',
    'error',
    'break watch',
    'close watch',
    'gone watch',
    'cut line',
    'rubbish',
    undefined,
  );
  const step = fc.oneof(
    fc.record({ do: fc.constant('set' as const), name: fc.constantFrom('a', 'b', 'c', 'd') }),
    fc.record({ do: fc.constant('remove' as const), name: fc.constantFrom('a', 'b', 'c', 'd') }),
    fc.record({ do: fc.constant('sleep' as const), ms: fc.nat({ max: 4_000 }) }),
    fc.record({ do: fc.constant('close' as const) }),
    fc.record({ do: fc.constant('compact' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.array(trouble, { maxLength: 20 }), fc.nat(), async (steps, troubles, seed) => {
      await simulate(async ({ server, clock, logged, start }) => {
        server.troubles.push(...troubles);
        const cache = start();
        const copy = new Map<string, string>();
        cache.onChange((type, { metadata: { name = '', resourceVersion = '' } }) => {
          if (type === 'DELETED') expect(copy.delete(name)).toBe(true);
          else {
            expect(copy.has(name)).toBe(type === 'MODIFIED');
            expect(Number(resourceVersion)).toBeGreaterThan(Number(copy.get(name) ?? 0));
            copy.set(name, resourceVersion);
          }
        });
        for (const [index, each] of steps.entries()) {
          if (each.do === 'set') server.set(each.name, index);
          else if (each.do === 'remove') server.remove(each.name);
          else if (each.do === 'sleep') await clock.sleep(each.ms);
          else if (each.do === 'close') server.closeWatches();
          else server.compact();
        }
        await clock.sleep(30 * 60_000);
        const byName = (a: Item, b: Item): number => (a.metadata.name ?? '').localeCompare(b.metadata.name ?? '');
        expect([...cache.list()].sort(byName)).toEqual(server.objects.sort(byName));
        expect(copy.size).toBe(server.objects.length);
        // A failed expectation in the listener above is logged, not thrown.
        expect(logged.filter((message) => message.includes('a listener threw'))).toEqual([]);
      }, createRandom(seed));
    }),
    { numRuns: 150 },
  );
});
