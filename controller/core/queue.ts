import { KubeError } from '../../clients/kube-client.ts';
import { logFailure } from '../../runtime/log.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { BACKOFF_MAX_MS, RECONCILES_AT_ONCE } from '../constants.ts';
import { backoffMs } from './backoff.ts';
import { describeError, isConflict } from './errors.ts';

/**
 * Brings one object to its desired state, as far as is possible now.
 * @returns milliseconds until the object should be requeued even without changes; undefined for never.
 *   Throws to be retried after a backoff.
 */
export type Reconcile = (key: string) => Promise<number | undefined>;

export interface Queue {
  /** Enqueues the object: it is reconciled once, however often it was added, and never twice in parallel. */
  add(key: string): void;
  /** Resolves when the signal was aborted and all work in progress has ended. */
  readonly done: Promise<void>;
}

/** A work queue like client-go's: one worker per key, retried with its own exponential backoff when it throws. */
export function createQueue(runtime: Runtime, name: string, reconcile: Reconcile): Queue {
  return new KeyedQueue(runtime, name, reconcile);
}

class KeyedQueue implements Queue {
  readonly done: Promise<void>;
  readonly #runtime: Runtime;
  readonly #name: string;
  readonly #reconcile: Reconcile;
  readonly #dirty = new Set<string>();
  readonly #active = new Set<string>();
  readonly #failures = new Map<string, number>();
  /** When a key is due again; a timer with another time than this is obsolete. */
  readonly #due = new Map<string, number>();
  readonly #finish: () => void;

  constructor(runtime: Runtime, name: string, reconcile: Reconcile) {
    this.#runtime = runtime;
    this.#name = name;
    this.#reconcile = reconcile;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.done = promise;
    this.#finish = resolve;
    runtime.signal.addEventListener('abort', () => this.#finishIfIdle(), { once: true });
  }

  add(key: string): void {
    if (this.#runtime.signal.aborted) return;
    this.#dirty.add(key);
    this.#pump();
  }

  #pump(): void {
    for (const key of this.#dirty) {
      if (this.#active.size >= RECONCILES_AT_ONCE) return;
      if (this.#active.has(key)) continue;
      this.#dirty.delete(key);
      this.#due.delete(key);
      this.#active.add(key);
      void this.#work(key);
    }
  }

  async #work(key: string): Promise<void> {
    let againMs: number | undefined;
    try {
      againMs = await this.#reconcile(key);
      this.#failures.delete(key);
    } catch (error) {
      if (!this.#runtime.signal.aborted) againMs = this.#backOff(key, error);
    }
    this.#active.delete(key);
    if (this.#runtime.signal.aborted) {
      this.#finishIfIdle();
      return;
    }
    if (againMs !== undefined && !this.#dirty.has(key)) this.#addAfter(key, againMs);
    this.#pump();
  }

  #backOff(key: string, error: unknown): number {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const askedMs = error instanceof KubeError ? Math.min(error.retryAfterMs ?? 0, BACKOFF_MAX_MS) : 0;
    const waitMs = Math.max(backoffMs(failures, this.#runtime.random), askedMs);
    const fields = { object: key, retryInMs: Math.ceil(waitMs) };
    // A lost race is not an error.
    logFailure(this.#runtime.log, isConflict(error) ? 'info' : 'error', `${this.#name}: ${describeError(error)}`, error, fields);
    return waitMs;
  }

  #addAfter(key: string, waitMs: number): void {
    const { clock, signal } = this.#runtime;
    const dueMs = clock.monotonicMs() + waitMs;
    this.#due.set(key, dueMs);
    clock.sleep(waitMs, signal).then(
      () => {
        if (this.#due.get(key) === dueMs) this.add(key);
      },
      () => undefined,
    );
  }

  #finishIfIdle(): void {
    if (this.#active.size === 0) this.#finish();
  }
}
