/** A map that keeps its keys in order, for lists in etcd's order and for ranges by prefix. */
export class SortedMap<V> {
  readonly #values = new Map<string, V>();
  readonly #keys: string[] = [];

  get isEmpty(): boolean {
    return this.#keys.length === 0;
  }

  get(key: string): V | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: V): void {
    if (!this.#values.has(key)) this.#keys.splice(this.#lowerBound(key), 0, key);
    this.#values.set(key, value);
  }

  delete(key: string): void {
    if (this.#values.delete(key)) this.#keys.splice(this.#lowerBound(key), 1);
  }

  /** The entries whose key begins with `prefix`, sorted by key. */
  entries(prefix: string): [string, V][] {
    const found: [string, V][] = [];
    for (let at = this.#lowerBound(prefix); at < this.#keys.length; at += 1) {
      const key = this.#keys[at] as string;
      if (!key.startsWith(prefix)) break;
      found.push([key, this.#values.get(key) as V]);
    }
    return found;
  }

  values(prefix: string): V[] {
    return this.entries(prefix).map(([, value]) => value);
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
