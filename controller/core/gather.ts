import type { Clock } from '../../runtime/clock.ts';

/** When a batch is closed. */
interface GatherWindow {
  /** No other item came for this long, in ms ... */
  readonly idleMs: number;
  /** ... or its first item came this long ago, in ms. By default the same, so that further items don't prolong it. */
  readonly maxMs?: number;
  /** An item after so many begins another batch. By default there is no limit. */
  readonly maxItems?: number;
}

interface OpenBatch<Item, Result> {
  readonly items: Item[];
  readonly result: Promise<Result>;
  lastMs: number;
}

/** Gathers what comes at about the same moment, so that all of it is done at once. */
export class Gather<Item, Result> {
  readonly #clock: Clock;
  readonly #window: GatherWindow;
  readonly #work: (items: readonly Item[], openMs: number) => Result | Promise<Result>;
  #open: OpenBatch<Item, Result> | undefined;

  /** @param work is called after the window with all its items, in the order in which they came, and how long it was open */
  constructor(clock: Clock, window: GatherWindow, work: (items: readonly Item[], openMs: number) => Result | Promise<Result>) {
    this.#clock = clock;
    this.#window = window;
    this.#work = work;
  }

  /** @returns what `work` makes of this item's batch */
  add(item: Item): Promise<Result> {
    const { maxItems = Infinity } = this.#window;
    const batch = this.#open === undefined || this.#open.items.length >= maxItems ? this.#begin() : this.#open;
    batch.items.push(item);
    batch.lastMs = this.#clock.monotonicMs();
    return batch.result;
  }

  #begin(): OpenBatch<Item, Result> {
    const startedMs = this.#clock.monotonicMs();
    const { promise, resolve } = Promise.withResolvers<Result>();
    const batch: OpenBatch<Item, Result> = { items: [], result: promise, lastMs: startedMs };
    this.#open = batch;
    resolve(
      this.#close(batch, startedMs).then((openMs) => {
        if (this.#open === batch) this.#open = undefined;
        return this.#work(batch.items, openMs);
      }),
    );
    return batch;
  }

  /** @returns after how long it is closed, in ms */
  async #close(batch: OpenBatch<Item, Result>, startedMs: number): Promise<number> {
    const { idleMs, maxMs = idleMs } = this.#window;
    for (;;) {
      const nowMs = this.#clock.monotonicMs();
      const waitMs = Math.min(batch.lastMs + idleMs, startedMs + maxMs) - nowMs;
      if (waitMs <= 0) return nowMs - startedMs;
      await this.#clock.sleep(waitMs);
    }
  }
}
