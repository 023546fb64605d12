/** A timer of the virtual clock. */
export interface Timer {
  readonly dueMs: number;
  /** Seeded order among timers of the same instant. */
  readonly rank: number;
  readonly owner: string;
  readonly fire: () => void;
  cancelled: boolean;
}

/** A binary heap: earliest first, then by rank. Cancelled timers are dropped when they reach the front. */
export class TimerHeap {
  readonly #items: Timer[] = [];

  push(timer: Timer): void {
    const items = this.#items;
    let index = items.length;
    items.push(timer);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(timer, items[parent] as Timer)) break;
      items[index] = items[parent] as Timer;
      index = parent;
    }
    items[index] = timer;
  }

  /** Removes and returns the next timer that was not cancelled. */
  pop(): Timer | undefined {
    for (;;) {
      const first = this.#items[0];
      if (first === undefined) return undefined;
      this.#removeFirst();
      if (!first.cancelled) return first;
    }
  }

  #removeFirst(): void {
    const items = this.#items;
    const last = items.pop() as Timer;
    if (items.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && isBefore(items[child + 1] as Timer, items[child] as Timer)) child += 1;
      if (!isBefore(items[child] as Timer, last)) break;
      items[index] = items[child] as Timer;
      index = child;
    }
    items[index] = last;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.rank < b.rank);
}
