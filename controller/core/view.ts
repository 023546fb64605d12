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
  readonly #valueOf: (object: T) => string | undefined;
  /** Names by value, of objects that had it when they were last seen. */
  readonly #names = new Map<string, Set<string>>();
  /** The last list, until anything changes. */
  #listed: { readonly cached: readonly T[]; readonly objects: readonly T[] } | undefined;

  /** @param valueOf what `listBy` finds objects by; undefined for one without it. It does not change once it is set. */
  constructor(cache: Cache<T>, clock: Clock, valueOf: (object: T) => string | undefined = () => undefined) {
    this.#cache = cache;
    this.#clock = clock;
    this.#valueOf = valueOf;
    cache.onChange((type, object) => this.#catchUp(type, object));
  }

  list(): readonly T[] {
    const cached = this.#cache.list();
    if (this.#written.size === 0 && this.#gone.size === 0) return cached;
    if (this.#listed?.cached !== cached) {
      const objects = cached.filter((object) => !this.#gone.has(uidOf(object)) && !this.#written.has(nameOf(object)));
      for (const { object } of this.#written.values()) objects.push(object);
      this.#listed = { cached, objects };
    }
    return this.#listed.objects;
  }

  /** The objects with this value, sorted by name. */
  listBy(value: string): T[] {
    return [...(this.#names.get(value) ?? [])].sort().flatMap((name) => {
      const object = this.get(name);
      return object !== undefined && this.#valueOf(object) === value ? [object] : [];
    });
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
    this.#written.set(nameOf(object), { object, atMs: this.#clock.monotonicMs() });
    this.#changed(object);
  }

  /** The server reported that this object no longer exists. */
  forget(object: T): void {
    if (this.#written.get(nameOf(object))?.object.metadata.uid === object.metadata.uid) {
      this.#written.delete(nameOf(object));
    }
    const cached = this.#cache.get(nameOf(object));
    if (cached !== undefined && uidOf(cached) === uidOf(object)) this.#gone.add(uidOf(object));
    this.#changed(object);
  }

  /** Takes a complete list from the server that was requested at `askedAtMs`. */
  observe(objects: readonly T[], askedAtMs: number): void {
    const uids = new Set(objects.map(uidOf));
    for (const { object, atMs } of [...this.#written.values()]) {
      if (uids.has(uidOf(object)) || atMs >= askedAtMs) continue;
      this.#written.delete(nameOf(object));
      this.#changed(object);
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
    this.#replaceWritten(type, object);
    this.#changed(object);
  }

  #replaceWritten(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): void {
    const written = this.#written.get(nameOf(object))?.object;
    if (written === undefined) return;
    const isSame = uidOf(written) === uidOf(object);
    // A deletion event removes the object at any revision; between different objects of one name the newer one counts.
    if (isSame ? type === 'DELETED' || !isNewer(written, object) : isNewer(object, written)) {
      this.#written.delete(nameOf(object));
    }
  }

  #changed(object: T): void {
    this.#listed = undefined;
    const value = this.#valueOf(object);
    if (value === undefined) return;
    const name = nameOf(object);
    const names = this.#names.get(value) ?? new Set();
    if (this.get(name) === undefined) names.delete(name);
    else names.add(name);
    if (names.size === 0) this.#names.delete(value);
    else this.#names.set(value, names);
  }
}

function isNewer(a: KubeObject, b: KubeObject): boolean {
  return isOlder(b.metadata.resourceVersion, a.metadata.resourceVersion);
}
