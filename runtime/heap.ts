/** A binary heap: what comes first, by a given order, is at the front. */
export class Heap<T> {
  readonly #isBefore: (a: T, b: T) => boolean;
  #items: T[] = [];

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  first(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let index = items.length;
    items.push(item);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(item, items[parent] as T)) break;
      items[index] = items[parent] as T;
      index = parent;
    }
    items[index] = item;
  }

  /** Removes and returns the first item. */
  pop(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop() as T;
    if (items.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.#isBefore(items[child + 1] as T, items[child] as T)) child += 1;
      if (!this.#isBefore(items[child] as T, last)) break;
      items[index] = items[child] as T;
      index = child;
    }
    items[index] = last;
    return first;
  }

  /** Drops all others, in linear time if few are kept. */
  keep(isKept: (item: T) => boolean): void {
    const kept = this.#items.filter(isKept);
    this.#items = [];
    for (const item of kept) this.push(item);
  }
}
