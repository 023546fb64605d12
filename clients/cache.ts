import { defined } from '../model/defined.ts';
import type { KubeObject, LabelSelector } from '../model/kube.ts';
import { logFailure } from '../runtime/log.ts';
import type { Random } from '../runtime/random.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { WireError, isStream, readText } from '../wire/wire.ts';
import type { Bytes, Line, Wire, WireRequest, WireResponse } from '../wire/wire.ts';
import { BACKOFF_MAX_MS, Backoff } from './backoff.ts';
import { exchange, withDeadline, withSignal } from './exchange.ts';
import { KubeError } from './kube-client.ts';
import type { Cache, ResourceType } from './kube-client.ts';
import { readKubeError, readWatchError } from './kube-errors.ts';
import { LineSplitter } from './lines.ts';
import { apiVersionOf, collectionPath, formatLabelSelector } from './resources.ts';
import { ObjectStore, isOlder } from './store.ts';
import type { Change } from './store.ts';
import { UnreadableError, readListPage, readWatchEvent } from './watch-protocol.ts';
import type { ListPage } from './watch-protocol.ts';

/** Objects on one page of a list, as client-go's pager asks for. */
const LIST_PAGE_SIZE = 500;
/** A list with more pages than this is taken to be endless. */
const MAX_LIST_PAGES = 1_000;
/** How long one page of a list may take, and a watch to be opened. */
export const CACHE_REQUEST_TIMEOUT_MS = 70_000;
/** A watch asks to be closed after 5 to 10 minutes, as client-go's do. */
export const WATCH_TIMEOUT_S = 300;
/** If the server has not closed a watch by this long after its time-out, the connection is taken to be dead. */
export const WATCH_GRACE_MS = 30_000;
/** A watch that ends sooner than this without news counts as a failure, as it does in client-go. */
const SHORT_WATCH_MS = 1_000;

/** What a cache needs. `signal` stops it. */
interface CacheSite extends Runtime {
  readonly wire: Wire;
}

/** Which part of the resource is copied; by default all of it, from all namespaces. */
export interface CacheOptions {
  readonly namespace?: string;
  readonly labels?: LabelSelector;
  /** e.g. `spec.nodeName=` */
  readonly fieldSelector?: string;
  readonly maxLineLength?: number;
}

/**
 * Starts a cache. It behaves as client-go's reflector does, with two differences: after a break it resumes the watch
 * from its last revision, without listing again (client-go does so for some errors only), and it refuses a list that is older
 * than what it has seen. Lists served from the watch cache come first (`resourceVersion=0`), then lists not older than
 * the last revision, and after 410 Gone consistent ones. `synced` rejects when the cache is stopped before its first
 * list. An exception of a listener is logged as a panic, and the other listeners are still called.
 */
export function createCache<T extends KubeObject>(site: CacheSite, type: ResourceType, options: CacheOptions = {}): Cache<T> {
  const cache = new Reflector<T>(site, type, options);
  void cache.run();
  return cache;
}

type Listener<T> = (type: Change<T>['type'], object: T) => void;

/** What to do next. `consistent`: list again, by a consistent read (no resourceVersion). */
type Plan = 'list' | 'consistent' | 'watch';

class Reflector<T extends KubeObject> implements Cache<T> {
  readonly synced: Promise<void>;
  readonly #site: CacheSite;
  readonly #type: ResourceType;
  readonly #options: CacheOptions;
  readonly #random: Random;
  readonly #backoff: Backoff;
  readonly #store = new ObjectStore<T>();
  readonly #listeners = new Set<Listener<T>>();
  readonly #settleSynced: { resolve: () => void; reject: (error: Error) => void };
  /** The last revision seen, in a list, an event or a bookmark. */
  #revision = '0';
  #plan: Plan = 'list';

  constructor(site: CacheSite, type: ResourceType, options: CacheOptions) {
    this.#site = site;
    this.#type = type;
    this.#options = options;
    this.#random = site.random.fork(`cache of ${type.plural}`);
    this.#backoff = new Backoff(site.clock, this.#random);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.synced = promise;
    this.#settleSynced = { resolve, reject };
    // Not every caller waits for `synced`: its rejection must not count as unhandled.
    promise.catch(() => undefined);
  }

  list(): readonly T[] {
    return this.#store.list();
  }

  get(name: string, namespace?: string): T | undefined {
    return this.#store.get(name, namespace);
  }

  onChange(listener: Listener<T>): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Lists and watches until the signal is aborted. */
  async run(): Promise<void> {
    const { signal, clock } = this.#site;
    while (!signal.aborted) {
      let requestedMs = 0;
      try {
        if (this.#plan !== 'watch') await this.#list();
        if (await this.#watch()) continue;
      } catch (error) {
        if (signal.aborted) break;
        this.#plan = this.#planAfter(error);
        if (error instanceof KubeError) requestedMs = Math.min(error.retryAfterMs ?? 0, BACKOFF_MAX_MS);
        logFailure(this.#site.log, 'warn', `cache of ${this.#type.plural}: ${messageOf(error)}`, error, { next: this.#plan });
      }
      await clock.sleep(Math.max(this.#backoff.nextMs(), requestedMs), signal).catch(() => undefined);
    }
    this.#settleSynced.reject(signal.reason as Error);
  }

  #planAfter(error: unknown): Plan {
    const isExpired = error instanceof KubeError && error.status === 410;
    if (this.#plan === 'watch') return isExpired || isUnreadable(error) ? 'list' : 'watch';
    // A watch cache answers 504 when it has not caught up with the requested revision.
    const isBehind = error instanceof KubeError && error.status === 504;
    return isExpired || isBehind || isUnreadable(error) ? 'consistent' : this.#plan;
  }

  async #list(): Promise<void> {
    const isConsistent = this.#plan === 'consistent';
    const objects: T[] = [];
    let next: string | undefined;
    let revision = '';
    for (let page = 0; page === 0 || next !== undefined; page += 1) {
      if (page >= MAX_LIST_PAGES) throw new UnreadableError(`the list has more than ${MAX_LIST_PAGES} pages`);
      const { metadata, items } = await this.#listPage(isConsistent ? undefined : this.#revision, next);
      // The server omits kind and version from a list's items.
      for (const item of items ?? []) {
        objects.push(asObject<T>({ apiVersion: apiVersionOf(this.#type), kind: this.#type.kind, ...item }));
      }
      next = metadata.continue === '' ? undefined : metadata.continue;
      revision = metadata.resourceVersion;
    }
    if (isOlder(revision, this.#revision)) {
      throw new UnreadableError(`the list has revision ${revision}, older than ${this.#revision}, which was seen before`);
    }
    this.#revision = revision;
    this.#plan = 'watch';
    for (const change of this.#store.replace(objects)) this.#notify(change);
    this.#settleSynced.resolve();
  }

  async #listPage(notOlderThan: string | undefined, next: string | undefined): Promise<ListPage> {
    const { clock, wire, signal } = this.#site;
    // A limit together with any revision but 0 would make the server bypass its watch cache.
    const isPaged = next !== undefined || notOlderThan === undefined || notOlderThan === '0';
    const request = this.#request(signal, {
      ...(isPaged ? { limit: String(LIST_PAGE_SIZE) } : {}),
      ...defined({ continue: next }),
      ...(next === undefined && notOlderThan !== undefined ? { resourceVersion: notOlderThan } : {}),
    });
    const response = await clock.call(`kube: list ${this.#type.plural}`, () => exchange(wire, clock, request, CACHE_REQUEST_TIMEOUT_MS));
    if (response.status !== 200) throw readKubeError(response, `list ${this.#type.plural}`);
    return readListPage(response);
  }

  /** Watches until the server closes the watch. Returns false if that was so soon that the next watch needs a pause. */
  async #watch(): Promise<boolean> {
    const { clock, signal } = this.#site;
    const startedMs = clock.nowMs();
    const startedAt = this.#revision;
    const timeoutS = this.#random.int(WATCH_TIMEOUT_S, 2 * WATCH_TIMEOUT_S);
    const closing = new AbortController();
    const cancel = clock.after(timeoutS * 1_000 + WATCH_GRACE_MS, () => {
      closing.abort(new WireError('ETIMEDOUT', `the watch did not end after ${timeoutS} s`));
    });
    try {
      const splitter = new LineSplitter(this.#options.maxLineLength);
      for await (const part of this.#openWatch(timeoutS, AbortSignal.any([signal, closing.signal]))) {
        const lines = typeof part === 'string' || part instanceof Uint8Array ? splitter.push(part) : [part];
        for (const line of lines) this.#receive(line);
      }
    } finally {
      cancel();
      closing.abort(new Error('the watch is over'));
    }
    return this.#revision !== startedAt || clock.nowMs() - startedMs >= SHORT_WATCH_MS;
  }

  /**
   * The lines of a new watch, or chunks of them. Each wait is a parked call of its own: a dead program then receives nothing more, and the
   * clock knows which owner runs next.
   */
  async *#openWatch(timeoutS: number, signal: AbortSignal): AsyncGenerator<Bytes | Line, void, undefined> {
    const { clock } = this.#site;
    const label = `kube: watch ${this.#type.plural}`;
    const query = { watch: 'true', allowWatchBookmarks: 'true', resourceVersion: this.#revision, timeoutSeconds: String(timeoutS) };
    const request = this.#request(signal, query);
    const { status, headers, body, lines } = await clock.call(label, () => clock.park(this.#open(request, label)));
    if (status !== 200) {
      const text = await clock.call(label, () => clock.park(readText(body)));
      throw readKubeError({ status, headers, text }, `watch ${this.#type.plural}`);
    }
    if (!isStream(body)) {
      yield body;
      return;
    }
    const parts: AsyncIterator<Bytes | Line> = (lines ?? body)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await clock.call(label, () => clock.park(parts.next()));
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      parts.return?.().catch(() => undefined);
    }
  }

  #open(request: WireRequest, label: string): Promise<WireResponse> {
    const { clock, wire } = this.#site;
    return withDeadline(clock, CACHE_REQUEST_TIMEOUT_MS, label, (late) => wire(withSignal(request, late)));
  }

  /** Handles one line of a watch. */
  #receive(line: string | Line): void {
    const event = readWatchEvent(line);
    if (event.type === 'ERROR') throw readWatchError(event.object, `watch ${this.#type.plural}`);
    const revision = event.object.metadata.resourceVersion;
    if (revision !== undefined && !isOlder(revision, this.#revision)) this.#revision = revision;
    if (event.type === 'BOOKMARK') return;
    const change = this.#store.apply(event.type, asObject<T>(event.object));
    if (change !== undefined) this.#notify(change);
  }

  #notify({ type, object }: Change<T>): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(type, object);
      } catch (error) {
        const what = `cache of ${this.#type.plural}: a listener threw at ${type}: ${messageOf(error)}`;
        logFailure(this.#site.log, 'panic', what, error, { object: object.metadata.name });
      }
    }
  }

  #request(signal: AbortSignal, query: Record<string, string>): WireRequest {
    const { namespace, labels, fieldSelector } = this.#options;
    const labelSelector = labels === undefined ? '' : formatLabelSelector(labels);
    const parameters = new URLSearchParams({
      ...(labelSelector === '' ? {} : { labelSelector }),
      ...defined({ fieldSelector }),
      ...query,
    });
    return {
      method: 'GET',
      path: `${collectionPath(this.#type, namespace)}?${parameters.toString()}`,
      headers: { accept: 'application/json' },
      signal,
    };
  }
}

/** The caller decides the type of a resource's objects: only their metadata has been checked. */
function asObject<T extends KubeObject>(object: KubeObject): T {
  return object as T;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isUnreadable(error: unknown): boolean {
  return error instanceof UnreadableError;
}
