import { setMaxListeners } from 'node:events';
import type { Clock } from '../runtime/clock.ts';
import type { Random } from '../runtime/random.ts';
import { ClusterError } from './ports.ts';

/** One of the world's own parts. */
export interface WorldPart {
  /**
   * Starts at once and works until `signal` is aborted; resolves when none of its work is running any more. Rejects, and
   * stops, on an error that no real part would meet: a bug in the harness.
   */
  run(signal: AbortSignal): Promise<void>;
}

/** The range of a drawn delay: uniform between two whole numbers of milliseconds, both inclusive. */
export interface DelayRange {
  readonly minMs: number;
  readonly maxMs: number;
}

export function drawMs(random: Random, { minMs, maxMs }: DelayRange): number {
  return random.int(minMs, maxMs);
}

/** The running work of a part: all of it ends with the signal, and the first error in any of it ends the part. */
export class Tasks {
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  readonly #open = new Set<Promise<void>>();
  #failure: Error | undefined;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    // Every sleep listens for the abort.
    setMaxListeners(0, this.#stopping.signal);
    if (signal.aborted) this.#stopping.abort(signal.reason);
    else signal.addEventListener('abort', () => this.#stopping.abort(signal.reason), { once: true });
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Runs work concurrently. */
  start(work: () => Promise<void>): void {
    if (this.signal.aborted) return;
    const task = work()
      .catch((error: unknown) => {
        if (this.signal.aborted) return;
        this.#failure = error instanceof Error ? error : new Error(String(error));
        this.#stopping.abort(this.#failure);
      })
      .finally(() => this.#open.delete(task));
    this.#open.add(task);
  }

  /** Runs work once, after a delay. */
  after(delayMs: number, work: () => Promise<void> | void): void {
    this.start(async () => {
      await this.#clock.sleep(delayMs, this.signal);
      await work();
    });
  }

  /** Runs work repeatedly, one period after it last finished. A refusal by the cluster is left to the next round. */
  every(periodMs: number, work: () => Promise<void> | void): void {
    this.start(async () => {
      for (;;) {
        await this.#clock.sleep(periodMs, this.signal);
        try {
          await work();
        } catch (error) {
          if (!(error instanceof ClusterError)) throw error;
        }
      }
    });
  }

  /** Resolves when the signal was aborted and all work has finished; rejects with the first error. */
  async done(): Promise<void> {
    if (!this.signal.aborted) {
      await new Promise<void>((resolve) => this.signal.addEventListener('abort', () => resolve(), { once: true }));
    }
    while (this.#open.size > 0) await Promise.all(this.#open);
    if (this.#failure !== undefined) throw this.#failure;
  }
}

const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 10_000;

/**
 * A controller's queue of keys: each is reconciled a drawn delay after it was added, once however often it was added
 * meanwhile, never twice at the same time, and again with growing delays while the cluster refuses.
 */
export class WorkQueue {
  readonly #tasks: Tasks;
  readonly #random: Random;
  readonly #delay: DelayRange;
  readonly #reconcile: (key: string) => Promise<void>;
  readonly #waiting = new Set<string>();
  readonly #busy = new Set<string>();
  readonly #refusals = new Map<string, number>();

  constructor(options: { tasks: Tasks; random: Random; delay: DelayRange; reconcile: (key: string) => Promise<void> }) {
    this.#tasks = options.tasks;
    this.#random = options.random;
    this.#delay = options.delay;
    this.#reconcile = options.reconcile;
  }

  add(key: string): void {
    if (this.#waiting.has(key)) return;
    this.#waiting.add(key);
    if (!this.#busy.has(key)) this.#schedule(key, drawMs(this.#random, this.#delay));
  }

  /** Retries a key later, as if it had been refused. */
  retry(key: string): void {
    const refusals = (this.#refusals.get(key) ?? 0) + 1;
    this.#refusals.set(key, refusals);
    this.#tasks.after(Math.min(FIRST_RETRY_MS * 2 ** refusals, LONGEST_RETRY_MS), () => this.add(key));
  }

  #schedule(key: string, delayMs: number): void {
    this.#tasks.after(delayMs, async () => {
      this.#waiting.delete(key);
      this.#busy.add(key);
      try {
        await this.#reconcile(key);
        this.#refusals.delete(key);
      } catch (error) {
        if (!(error instanceof ClusterError)) throw error;
        this.retry(key);
      } finally {
        this.#busy.delete(key);
      }
      if (this.#waiting.has(key)) this.#schedule(key, drawMs(this.#random, this.#delay));
    });
  }
}
