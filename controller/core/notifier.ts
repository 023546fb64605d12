import type { Clock } from '../../runtime/clock.ts';

/** Wakes one waiting loop. A notification while nothing waits is kept until the next wait. */
export class Notifier {
  #pending = false;
  #wake: (() => void) | undefined;

  notify(): void {
    this.#pending = true;
    this.#wake?.();
  }

  /** Resolves true at the next notification (or at once if one is pending), false after `timeoutMs`. Rejects when aborted. */
  async wait(clock: Clock, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    if (!this.#pending) await this.#sleepUntilNotice(clock, timeoutMs, signal);
    signal.throwIfAborted();
    const noticed = this.#pending;
    this.#pending = false;
    return noticed;
  }

  async #sleepUntilNotice(clock: Clock, timeoutMs: number, signal: AbortSignal): Promise<void> {
    const waking = new AbortController();
    const stop = (): void => waking.abort(waking);
    this.#wake = stop;
    signal.addEventListener('abort', stop, { once: true });
    await clock.sleep(timeoutMs, waking.signal).catch(() => undefined);
    signal.removeEventListener('abort', stop);
    this.#wake = undefined;
  }
}
