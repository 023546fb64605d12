/** Keys that are put in their places one by one. */
const FEW = 8;
/** Deleted keys that are remembered in any case, and beyond that as many as there are others. */
const MOST_DELETED = 1_000;

/** A map that keeps its keys in order, for lists in etcd's order and for ranges by prefix. */
export class SortedMap<V> {
  readonly #values = new Map<string, V>();
  /** Sorted, with some that were deleted. */
  #keys: string[] = [];
  /** Not sorted yet: what is never listed is never sorted. */
  #added: string[] = [];
  #hasDeleted = false;

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  get(key: string): V | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: V): void {
    if (!this.#values.has(key)) this.#added.push(key);
    this.#values.set(key, value);
  }

  delete(key: string): void {
    if (!this.#values.delete(key)) return;
    this.#hasDeleted = true;
    if (this.#keys.length + this.#added.length > 2 * this.#values.size + MOST_DELETED) this.#dropDeleted();
  }

  /** The entries whose key begins with `prefix`, sorted by key. */
  entries(prefix: string): [string, V][] {
    return this.#keysOf(prefix).map((key) => [key, this.#values.get(key) as V]);
  }

  values(prefix: string): V[] {
    return this.#keysOf(prefix).map((key) => this.#values.get(key) as V);
  }

  /** The entries whose key begins with `prefix` and is greater than `after`, one by one: nothing may be set or deleted meanwhile. */
  *entriesAfter(prefix: string, after: string): Generator<[string, V], void, undefined> {
    const { first, end } = this.#rangeAfter(prefix, after);
    for (let at = first; at < end; at += 1) {
      const key = this.#keys[at] as string;
      yield [key, this.#values.get(key) as V];
    }
  }

  /** How many they are. */
  countAfter(prefix: string, after: string): number {
    const { first, end } = this.#rangeAfter(prefix, after);
    return Math.max(0, end - first);
  }

  #keysOf(prefix: string): readonly string[] {
    const { first, end } = this.#rangeAfter(prefix, '');
    return this.#keys.slice(first, end);
  }

  /** Indexes of keys. */
  #rangeAfter(prefix: string, after: string): { readonly first: number; readonly end: number } {
    this.#sort();
    const first = Math.max(this.#lowerBound(prefix), this.#lowerBound(`${after}\0`));
    const last = prefix.length - 1;
    // The least text that is greater than all that begin with the prefix.
    const beyond = prefix.slice(0, last) + String.fromCharCode(prefix.charCodeAt(last) + 1);
    return { first, end: prefix === '' ? this.#keys.length : this.#lowerBound(beyond) };
  }

  #sort(): void {
    if (this.#hasDeleted) this.#dropDeleted();
    // Runs that are sorted already are merged in linear time.
    if (this.#added.length > FEW) this.#keys = [...this.#keys, ...this.#added.sort()].sort();
    else for (const key of this.#added) this.#keys.splice(this.#lowerBound(key), 0, key);
    this.#added = [];
  }

  /** One of them may have been added again. */
  #dropDeleted(): void {
    const again = new Set(this.#added);
    this.#keys = this.#keys.filter((key) => this.#values.has(key) && !again.has(key));
    this.#added = [...again].filter((key) => this.#values.has(key));
    this.#hasDeleted = false;
  }

  /** Index of the first key that is not less than `key`. */
  #lowerBound(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] as string) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
