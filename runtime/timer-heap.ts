import { Heap } from './heap.ts';

/** A timer of the virtual clock. */
export interface Timer {
  readonly dueMs: number;
  /** Seeded order among timers of the same instant. */
  readonly rank: number;
  readonly owner: string;
  readonly fire: () => void;
  cancelled: boolean;
}

/** Timers, earliest first, then by rank. Cancelled ones are dropped when they reach the front. */
export class TimerHeap {
  readonly #timers = new Heap<Timer>((a, b) => a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.rank < b.rank));

  push(timer: Timer): void {
    this.#timers.push(timer);
  }

  /** Removes and returns the next timer that was not cancelled. */
  pop(): Timer | undefined {
    for (;;) {
      const first = this.#timers.pop();
      if (first?.cancelled !== true) return first;
    }
  }
}
