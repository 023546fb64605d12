import { defined } from '../../model/defined.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { StatusError, expired } from '../../protocols/kube/status.ts';
import type { Status } from '../../protocols/kube/status.ts';
import type { Heal, WatchPort } from '../ports.ts';
import { includesResource } from './cache-lag.ts';
import type { CacheLag, Lag } from './cache-lag.ts';
import { Waiting } from './inquiries.ts';
import { tooLarge, tooOld } from './lists.ts';
import type { Resource } from './resource.ts';
import { isRedefinition } from './resource-table.ts';
import { apiVersionOf } from './resource.ts';
import type { Selection } from './selection.ts';
import { inVersion, stamp } from './store.ts';
import type { Commit, Store, Version } from './store.ts';

/** Delay of one watch event from the commit to its watcher, drawn for each. */
export const WATCH_DELAY = { minMs: 1, maxMs: 8 } as const;
/** How often a watcher that requested bookmarks gets one. The real watch cache aims at a minute. */
export const BOOKMARK_PERIOD_MS = 60_000;
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** Most events of one watch that nobody has read, or that wait for a webhook to convert them. */
export const MAX_WAITING_EVENTS = 50_000;

/** How long a server waits until its cache has seen what a watch must show (`blockTimeout`, `k8s.io/apiserver/pkg/storage/cacher`). */
const BLOCK_TIMEOUT_MS = 3_000;

type Deliver = (event: WatchEvent) => void;

/** The delay of an event by a lag. */
interface Lateness {
  readonly untilMs: number;
  /** Aborted when the lag is healed. */
  readonly healed: AbortSignal;
}

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly version: Version }
  | { readonly type: 'BOOKMARK'; readonly object: object }
  | { readonly type: 'ERROR'; readonly status: Status };

/** What a watch requests. */
interface WatchRequest {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly selection: Selection;
  /**
   * Commits after this revision; undefined for the present objects as ADDED first. A future revision is not refused: the
   * watch delivers nothing until the store has passed it, as with the real watch cache, which holds back a watch from the future
   * (504 "Too large resource version" after 3 s) only if it asks for initial events.
   */
  readonly from: number | undefined;
  readonly bookmarks: boolean;
  /** Marks the end of the present objects with a bookmark. */
  readonly initialEventsEnd: boolean;
  /** For a watch with initial events: they must not be older than this revision. */
  readonly notOlderThan?: number | undefined;
  /** Set for the target's watches: faults make them stale, or end them. */
  readonly target?: { readonly span: number };
  /** Ends the watch without an error, as a server may do at any time: a real one does it if a watcher is too slow. */
  readonly end: () => void;
}

/** A watch that is about to begin. */
interface Opening {
  readonly delivery: Delivery;
  /** Aborted when it is closed. */
  readonly signal: AbortSignal;
  readonly deliver: Deliver;
}

/** An open watch of the target. */
interface TargetWatch {
  readonly resource: Resource;
  readonly span: number;
  /** Ends it, as a server may do at any time. */
  readonly close: () => void;
  /** Ends it with 410: the revision to resume from is compacted. */
  readonly expire: () => void;
}

/** From the change of a definition until its storage is torn down (`tearDown` in `customresource_handler.go`). */
const TEAR_DOWN_MS = 1_000;

/** The message of the watch cache (`k8s.io/apiserver/pkg/storage/cacher`). */
const EXPIRED = 'The resourceVersion for the provided watch is too old.';

/** Feeds watches from the store. Each watch has a delay of its own; events of one watch are never reordered. */
export class Watches {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #cache: CacheLag;
  readonly #open = new Map<string, Set<(commit: Commit) => void>>();
  readonly #targets = new Set<TargetWatch>();
  readonly #unsubscribe: () => void;
  readonly #stopping = new AbortController();
  #count = 0;

  constructor(options: { store: Store; clock: Clock; random: Random; cache: CacheLag }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#random = options.random;
    this.#cache = options.cache;
    this.#unsubscribe = options.store.onCommit((commit) => {
      for (const offer of this.#open.get(commit.resource.id) ?? []) offer(commit);
      if (isRedefinition(commit)) void this.#endRedefined(commit.version.object.metadata.name);
    });
  }

  /** Aborted when the server stops. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Calls `deliver` with each event in order, until `closed` is aborted or the server stops. */
  open(request: WatchRequest, closed: AbortSignal, deliver: Deliver): void {
    const signal = AbortSignal.any([closed, this.#stopping.signal]);
    if (signal.aborted) return;
    this.#count += 1;
    const random = this.#random.fork(String(this.#count));
    const { resource, end } = request;
    const delivery = new Delivery({ clock: this.#clock, random, signal, deliver, resource, end });
    const opening = { delivery, signal, deliver };
    if (request.notOlderThan === undefined || request.notOlderThan <= this.#newestFor(request)) this.#begin(request, opening);
    else void this.#beginWhenFresh(request, request.notOlderThan, opening);
  }

  /** The lag of the cache that serves a watch. */
  #lagOf({ resource, target }: WatchRequest): Lag | undefined {
    return target === undefined ? undefined : this.#cache.of(resource);
  }

  /** The newest revision that the cache has seen which serves a watch. */
  #newestFor(request: WatchRequest): number {
    const lag = this.#lagOf(request);
    return lag === undefined ? this.#store.revision : this.#cache.revisionOf(lag);
  }

  /**
   * Begins once the cache has seen a revision. If it takes too long, the watch ends with an error, as in a real server.
   * Source: `waitUntilFreshAndBlock` (`k8s.io/apiserver/pkg/storage/cacher/watch_cache.go`), v0.35.
   */
  async #beginWhenFresh(request: WatchRequest, revision: number, opening: Opening): Promise<void> {
    const { delivery, signal } = opening;
    const lag = this.#lagOf(request);
    const freshInMs = lag === undefined ? Infinity : this.#cache.timeOf(revision) + lag.lagMs - this.#clock.nowMs();
    if (lag !== undefined && request.target !== undefined) lag.fired(request.target.span);
    const until = AbortSignal.any([signal, ...(lag === undefined ? [] : [lag.healed])]);
    try {
      await this.#clock.sleep(Math.min(BLOCK_TIMEOUT_MS, freshInMs), until);
    } catch {
      // Healed, or the watch was closed.
    }
    if (signal.aborted) return;
    const newest = this.#newestFor(request);
    if (revision > newest) delivery.push({ type: 'ERROR', status: tooLarge(revision, newest).status });
    else this.#begin(request, opening);
  }

  #begin(request: WatchRequest, { delivery, signal, deliver }: Opening): void {
    const { resource, from, target, end } = request;
    const offer = (commit: Commit): void => {
      if (from !== undefined && commit.revision <= from) return;
      const event = eventFor(request, commit);
      if (event !== undefined) delivery.push(event, this.#lateness(this.#lagOf(request), commit, target?.span));
    };
    const newest = this.#newestFor(request);
    if (from === undefined) {
      delivery.pushAll(
        (this.#store.listAt(resource, request.namespace, newest) ?? [])
          .filter((version) => request.selection(version.object))
          .map((version) => ({ type: 'ADDED', version })),
      );
      if (request.initialEventsEnd) delivery.push(bookmark(resource, newest, { [INITIAL_EVENTS_END]: 'true' }));
    }
    const missed = this.#store.since(from ?? newest);
    if (missed === undefined) {
      delivery.push({ type: 'ERROR', status: expired(tooOld(from ?? newest, this.#store)).status });
      return;
    }
    for (const commit of missed) if (commit.resource.id === resource.id) offer(commit);
    // Too many wait for a webhook.
    if (signal.aborted) return;
    const watchers = this.#watchersOf(resource);
    watchers.add(offer);
    signal.addEventListener('abort', () => watchers.delete(offer), { once: true });
    if (target !== undefined) this.#keep({ resource, end, ...target }, signal, deliver);
    if (request.bookmarks) void this.#sendBookmarks(request, delivery, signal);
  }

  /** Closes the target's watches. */
  close({ resources, expired: forgets, periodMs, fired }: Parameters<WatchPort['close']>[0]): Heal {
    const healing = new AbortController();
    const closeAll = (): void => {
      const meant = [...this.#targets].filter(({ resource }) => includesResource(resources, resource));
      if (forgets) this.#store.compact();
      for (const { span, close, expire } of meant) {
        fired(span);
        if (forgets) expire();
        else close();
      }
    };
    closeAll();
    if (periodMs !== undefined) void this.#repeat(periodMs, closeAll, healing.signal);
    return () => healing.abort(new Error('healed'));
  }

  #keep({ resource, span, end }: { resource: Resource; span: number; end: () => void }, signal: AbortSignal, deliver: Deliver): void {
    const expire = (): void => deliver({ type: 'ERROR', status: expired(EXPIRED).status });
    const watch: TargetWatch = { resource, span, close: end, expire };
    this.#targets.add(watch);
    signal.addEventListener('abort', () => this.#targets.delete(watch), { once: true });
  }

  /** Ends the target's watches of a resource whose definition has changed: what they read from is torn down. */
  async #endRedefined(id: string | undefined): Promise<void> {
    const open = [...this.#targets].filter(({ resource }) => resource.id === id);
    try {
      await this.#clock.sleep(TEAR_DOWN_MS, this.#stopping.signal);
    } catch {
      return; // The server was stopped.
    }
    for (const { close } of open) close();
  }

  /** How much a commit is delayed because the cache lags. */
  #lateness(lag: Lag | undefined, { revision }: Commit, span: number | undefined): Lateness | undefined {
    if (lag === undefined || span === undefined) return undefined;
    const untilMs = this.#cache.timeOf(revision) + lag.lagMs;
    if (untilMs <= this.#clock.nowMs()) return undefined;
    lag.fired(span);
    return { untilMs, healed: lag.healed };
  }

  async #repeat(periodMs: number, round: () => void, healed: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([healed, this.#stopping.signal]);
    for (;;) {
      try {
        await this.#clock.sleep(periodMs, signal);
      } catch {
        return; // Healed, or the server was stopped.
      }
      round();
    }
  }

  stop(): void {
    this.#unsubscribe();
    this.#stopping.abort(new Error('the API server was stopped'));
  }

  async #sendBookmarks({ resource, from = 0, target }: WatchRequest, delivery: Delivery, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        await this.#clock.sleep(BOOKMARK_PERIOD_MS, signal);
      } catch {
        return; // The watch was closed.
      }
      // A bookmark never goes back, and never past an event that is not delivered yet.
      const { revision } = this.#store;
      const lag = target === undefined ? undefined : this.#cache.of(resource);
      const late = lag === undefined ? undefined : { untilMs: this.#clock.nowMs() + lag.lagMs, healed: lag.healed };
      if (revision >= from) delivery.push(bookmark(resource, revision, undefined), late);
    }
  }

  #watchersOf(resource: Resource): Set<(commit: Commit) => void> {
    let watchers = this.#open.get(resource.id);
    if (watchers === undefined) {
      watchers = new Set();
      this.#open.set(resource.id, watchers);
    }
    return watchers;
  }
}

/** A commit as an event of a watch: an object that starts to match is ADDED, one that stops matching is DELETED. */
function eventFor(request: WatchRequest, { type, version, previous, key, revision }: Commit): WatchEvent | undefined {
  if (request.namespace !== undefined && !key.startsWith(`${request.namespace}/`)) return undefined;
  const before = previous !== undefined && request.selection(previous.object);
  const after = type !== 'DELETED' && request.selection(version.object);
  // A webhook converts it when it is delivered.
  const isLate = request.resource.conversion?.remember !== undefined;
  const shown = (one: Version): Version => (isLate ? one : inVersion(one, request.resource));
  if (!before) return after ? { type: 'ADDED', version: shown(version) } : undefined;
  if (after) return { type: 'MODIFIED', version: shown(version) };
  return { type: 'DELETED', version: shown(type === 'DELETED' ? version : stamp(previous.object, revision)) };
}

function bookmark(resource: Resource, revision: number, annotations: Readonly<Record<string, string>> | undefined): WatchEvent {
  const metadata = { resourceVersion: String(revision), ...defined({ annotations }) };
  return { type: 'BOOKMARK', object: { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata } };
}

/** One watch's queue of events, each due after a drawn delay and never before its predecessor. */
class Delivery {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #signal: AbortSignal;
  readonly #deliver: (event: WatchEvent) => void;
  readonly #line: { readonly dueMs: number; readonly event: WatchEvent; readonly late: Lateness | undefined }[] = [];
  readonly #resource: Resource;
  readonly #end: () => void;
  #lastDueMs = 0;
  #running = false;

  constructor(options: {
    clock: Clock;
    random: Random;
    signal: AbortSignal;
    deliver: (event: WatchEvent) => void;
    resource: Resource;
    end: () => void;
  }) {
    this.#resource = options.resource;
    this.#end = options.end;
    this.#clock = options.clock;
    this.#random = options.random;
    this.#signal = options.signal;
    this.#deliver = options.deliver;
  }

  push(event: WatchEvent, late?: Lateness): void {
    // Only a webhook can hold up the others for longer than a known time.
    if (this.#isConverted && this.#line.length >= MAX_WAITING_EVENTS) {
      this.#line.length = 0;
      this.#end();
    } else {
      this.pushAll([event], late);
    }
  }

  /** Adds events that happened together: one delay for all of them. */
  pushAll(events: readonly WatchEvent[], late?: Lateness): void {
    const dueMs = this.#clock.nowMs() + this.#random.int(WATCH_DELAY.minMs, WATCH_DELAY.maxMs);
    this.#lastDueMs = Math.max(this.#lastDueMs, dueMs);
    for (const event of events) this.#line.push({ dueMs: this.#lastDueMs, event, late });
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    for (let next = this.#line[0]; next !== undefined; next = this.#line[0]) {
      try {
        await this.#clock.sleep(next.dueMs - this.#clock.nowMs(), this.#signal);
        await this.#waitOut(next.late);
      } catch {
        return; // The watch was closed: nothing more is delivered.
      }
      const nowMs = this.#clock.nowMs();
      const due = this.#line.findIndex(({ dueMs, late }) => dueMs > nowMs || isHeldBack(late, nowMs));
      for (const { event } of this.#line.splice(0, due === -1 ? this.#line.length : due)) {
        const shown = this.#isConverted ? await this.#converted(event) : event;
        if (this.#signal.aborted) return;
        this.#deliver(shown);
      }
    }
    this.#running = false;
  }

  /** Whether a webhook may have to convert the objects. */
  get #isConverted(): boolean {
    return this.#resource.conversion?.remember !== undefined;
  }

  async #converted(event: WatchEvent): Promise<WatchEvent> {
    if (!('version' in event)) return event;
    for (;;) {
      try {
        return { ...event, version: inVersion(event.version, this.#resource) };
      } catch (error) {
        if (error instanceof StatusError) return { type: 'ERROR', status: error.status };
        if (!(error instanceof Waiting)) throw error;
        await error.answered;
      }
    }
  }

  /** Rejects when the watch is closed meanwhile. */
  async #waitOut(late: Lateness | undefined): Promise<void> {
    if (!isHeldBack(late, this.#clock.nowMs())) return;
    const either = AbortSignal.any([this.#signal, late.healed]);
    await this.#clock.sleep(late.untilMs - this.#clock.nowMs(), either).catch(() => this.#signal.throwIfAborted());
  }
}

function isHeldBack(late: Lateness | undefined, nowMs: number): late is Lateness {
  return late !== undefined && !late.healed.aborted && late.untilMs > nowMs;
}
