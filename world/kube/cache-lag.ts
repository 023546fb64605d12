import type { Clock } from '../../runtime/clock.ts';
import type { Heal, WatchPort } from '../ports.ts';
import type { Resource } from './resource.ts';
import type { Store } from './store.ts';

/** The number of commits whose times are kept; older ones count as seen. */
const TIMES_LIMIT = 20_000;

/** How far behind the watch cache is for some resources. */
export interface Lag {
  readonly lagMs: number;
  /** Aborted when it has caught up. */
  readonly healed: AbortSignal;
  /** To be called with the span of each request that gets a stale answer because of it. */
  readonly fired: (span: number) => void;
}

/** Whether a list of plural names, or `*`, includes a resource. */
export function includesResource(resources: readonly string[], { plural }: Resource): boolean {
  return resources.includes('*') || resources.includes(plural);
}

/**
 * How far the watch cache is behind the store, as the target sees it. A real API server feeds its caches from one etcd watch per
 * resource, and a read with `resourceVersion=0` may be served from any server's cache.
 * Source: Kubernetes API concepts, "Semantics for get and list".
 */
export class CacheLag {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #armed = new Set<{ readonly resources: readonly string[]; readonly lag: Lag }>();
  /** When each commit after `#base` was made. */
  #times: number[] = [];
  #base: number;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#base = store.revision;
    store.onCommit(() => this.#note());
  }

  arm({ resources, lagMs, fired }: Parameters<WatchPort['lag']>[0]): Heal {
    const healing = new AbortController();
    const armed = { resources, lag: { lagMs, fired, healed: healing.signal } };
    this.#armed.add(armed);
    return () => {
      this.#armed.delete(armed);
      healing.abort(new Error('healed'));
    };
  }

  /** The largest lag that applies to a resource now, if any. */
  of(resource: Resource): Lag | undefined {
    const lags = [...this.#armed].filter(({ resources }) => includesResource(resources, resource)).map(({ lag }) => lag);
    return lags.reduce<Lag | undefined>((oldest, lag) => (oldest === undefined || lag.lagMs > oldest.lagMs ? lag : oldest), undefined);
  }

  /** The newest revision that the cache has seen; never a compacted one. */
  revisionOf({ lagMs }: Lag): number {
    const untilMs = this.#clock.nowMs() - lagMs;
    const later = this.#times.findIndex((atMs) => atMs > untilMs);
    const seen = this.#base + (later === -1 ? this.#times.length : later);
    return Math.max(seen, this.#store.compactedRevision);
  }

  /** When a commit was made, in ms since the epoch. */
  timeOf(revision: number): number {
    return this.#times[revision - this.#base - 1] ?? Number.NEGATIVE_INFINITY;
  }

  #note(): void {
    this.#times.push(this.#clock.nowMs());
    // Trimmed by half, so that the cost of copying is amortized.
    if (this.#times.length < 2 * TIMES_LIMIT) return;
    this.#times = this.#times.slice(TIMES_LIMIT);
    this.#base += TIMES_LIMIT;
  }
}
