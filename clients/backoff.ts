import type { Clock } from '../runtime/clock.ts';
import type { Random } from '../runtime/random.ts';

/** As in client-go's reflector: 800 ms doubling to 30 s, with jitter of up to 100 %, reset after two minutes without failures. */
export const BACKOFF_BASE_MS = 800;
export const BACKOFF_MAX_MS = 30_000;
const BACKOFF_RESET_MS = 120_000;

/** Pauses that grow with each failure. */
export class Backoff {
  readonly #clock: Clock;
  readonly #random: Random;
  #nextMs = BACKOFF_BASE_MS;
  #lastFailureMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Draws the pause after a failure that happened now, in milliseconds. */
  nextMs(): number {
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#lastFailureMs >= BACKOFF_RESET_MS) this.#nextMs = BACKOFF_BASE_MS;
    this.#lastFailureMs = nowMs;
    const pauseMs = this.#nextMs * (1 + this.#random.next());
    this.#nextMs = Math.min(this.#nextMs * 2, BACKOFF_MAX_MS);
    return pauseMs;
  }
}
