import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { WorkQueue } from '../tasks.ts';
import type { Tasks } from '../tasks.ts';

/** From a change of a workload or its pods to its controller's sync. */
export const WORKLOAD_REACTION = { minMs: 2, maxMs: 40 } as const;

/** A controller's queue of object keys, which also takes keys for a later time, like `AddAfter` of client-go's work queues. */
export class KeyQueue {
  readonly #tasks: Tasks;
  readonly #clock: Clock;
  readonly #queue: WorkQueue;
  readonly #dueMs = new Map<string, number>();

  constructor(options: { tasks: Tasks; clock: Clock; random: Random; reconcile: (key: string, queue: KeyQueue) => Promise<void> }) {
    const { tasks, clock, random, reconcile } = options;
    this.#tasks = tasks;
    this.#clock = clock;
    this.#queue = new WorkQueue({
      tasks,
      random: random.fork('queue'),
      delay: WORKLOAD_REACTION,
      reconcile: (key) => reconcile(key, this),
    });
  }

  add(key: string): void {
    this.#queue.add(key);
  }

  /** A key's earliest time wins. */
  addAfter(key: string, delayMs: number): void {
    const dueMs = this.#clock.nowMs() + delayMs;
    if ((this.#dueMs.get(key) ?? Infinity) <= dueMs) return;
    this.#dueMs.set(key, dueMs);
    this.#tasks.after(delayMs, () => {
      if (this.#dueMs.get(key) !== dueMs) return;
      this.#dueMs.delete(key);
      this.#queue.add(key);
    });
  }
}
