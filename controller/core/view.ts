import type { Cache } from '../../clients/kube-client.ts';
import { isOlder } from '../../clients/store.ts';
import type { KubeObject } from '../../model/kube.ts';
import type { Clock } from '../../runtime/clock.ts';
import { nameOf, uidOf } from '../api.ts';

/** Most deleted objects that are remembered: a response after the deletion event is not much later. */
const ENDED_MAX = 1_000;

interface Written<T> {
  readonly object: T;
  readonly atMs: number;
}

/**
 * A cache of a cluster-scoped resource, overlaid with this program's own writes until the cache has caught up: a NodeClaim counts
 * from the response to its creation, however far the watch lags behind.
 */
export class View<T extends KubeObject> {
  readonly #cache: Cache<T>;
  readonly #clock: Clock;
  /** By name: written or read by us, and newer than the cache's copy. */
  readonly #written = new Map<string, Written<T>>();
  /** Uids of objects that are known to be gone although the cache still has them. */
  readonly #gone = new Set<string>();
  /** Uids of objects whose deletion the cache has seen: the last of them. */
  readonly #ended = new Set<string>();

  constructor(cache: Cache<T>, clock: Clock) {
    this.#cache = cache;
    this.#clock = clock;
    cache.onChange((type, object) => this.#catchUp(type, object));
  }

  list(): readonly T[] {
    if (this.#written.size === 0 && this.#gone.size === 0) return this.#cache.list();
    const objects = this.#cache.list().filter((object) => !this.#gone.has(uidOf(object)) && !this.#written.has(nameOf(object)));
    return [...objects, ...[...this.#written.values()].map((written) => written.object)];
  }

  get(name: string): T | undefined {
    const written = this.#written.get(name);
    if (written !== undefined) return written.object;
    const cached = this.#cache.get(name);
    return cached === undefined || this.#gone.has(uidOf(cached)) ? undefined : cached;
  }

  /** Called after each change that the cache reports. */
  onChange(listener: (type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T) => void): () => void {
    return this.#cache.onChange(listener);
  }

  /** Takes the response of a write, or of a read from the server. */
  remember(object: T): void {
    if (this.#ended.has(uidOf(object))) return;
    const cached = this.#cache.get(nameOf(object));
    if (cached !== undefined && uidOf(cached) === uidOf(object) && !isNewer(object, cached)) return;
    const known = this.#written.get(nameOf(object))?.object;
    if (known !== undefined && uidOf(known) === uidOf(object) && isNewer(known, object)) return;
    this.#written.set(nameOf(object), { object, atMs: this.#clock.nowMs() });
  }

  /** The server reported that this object no longer exists. */
  forget(object: T): void {
    if (this.#written.get(nameOf(object))?.object.metadata.uid === object.metadata.uid) {
      this.#written.delete(nameOf(object));
    }
    const cached = this.#cache.get(nameOf(object));
    if (cached !== undefined && uidOf(cached) === uidOf(object)) this.#gone.add(uidOf(object));
  }

  /** Takes a complete list from the server that was requested at `askedAtMs`. */
  observe(objects: readonly T[], askedAtMs: number): void {
    const uids = new Set(objects.map(uidOf));
    for (const { object, atMs } of [...this.#written.values()]) {
      if (!uids.has(uidOf(object)) && atMs < askedAtMs) this.#written.delete(nameOf(object));
    }
    for (const object of objects) this.remember(object);
  }

  #catchUp(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): void {
    if (type === 'DELETED') {
      this.#gone.delete(uidOf(object));
      this.#ended.add(uidOf(object));
      const [oldest] = this.#ended;
      if (this.#ended.size > ENDED_MAX && oldest !== undefined) this.#ended.delete(oldest);
    }
    const written = this.#written.get(nameOf(object))?.object;
    if (written === undefined) return;
    const isSame = uidOf(written) === uidOf(object);
    // A deletion event removes the object at any revision; between different objects of one name the newer one counts.
    if (isSame ? type === 'DELETED' || !isNewer(written, object) : isNewer(object, written)) {
      this.#written.delete(nameOf(object));
    }
  }
}

function isNewer(a: KubeObject, b: KubeObject): boolean {
  return isOlder(b.metadata.resourceVersion, a.metadata.resourceVersion);
}
