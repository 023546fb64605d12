import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { Semaphore } from '../../runtime/semaphore.ts';
import { LAUNCHES_PER_S_FREE, LAUNCHES_PER_S_MIN, LAUNCHES_PER_S_STEP, THROTTLED_LAUNCHES_PER_S } from '../constants.ts';

/**
 * Limits the number of parallel requests of one kind and, once one was throttled, their shared rate: halved by each throttling,
 * raised by each success, until there is no limit again. So many waiting claims send as many requests as one would.
 */
export class Pacer {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #slots: Semaphore;
  /** Requests per second; undefined while nothing was throttled. */
  #rate: number | undefined;
  #nextMs = 0;
  #slowedMs = 0;

  constructor(clock: Clock, random: Random, limit: number) {
    this.#clock = clock;
    this.#random = random;
    this.#slots = new Semaphore(limit);
  }

  /** @param isThrottled whether an error means that too many requests were sent */
  run<T>(work: () => Promise<T>, isThrottled: (error: unknown) => boolean): Promise<T> {
    return this.#slots.run(async () => {
      await this.#turn();
      const startedMs = this.#clock.monotonicMs();
      try {
        const result = await work();
        this.#speedUp();
        return result;
      } catch (error) {
        if (isThrottled(error)) this.#slowDown(startedMs);
        throw error;
      }
    });
  }

  async #turn(): Promise<void> {
    if (this.#rate === undefined) return;
    const startMs = Math.max(this.#clock.monotonicMs(), this.#nextMs);
    this.#nextMs = startMs + 1_000 / this.#rate;
    await this.#clock.sleep(startMs - this.#clock.monotonicMs() + (this.#random.next() * 500) / this.#rate);
  }

  #speedUp(): void {
    if (this.#rate === undefined) return;
    this.#rate += LAUNCHES_PER_S_STEP;
    if (this.#rate > LAUNCHES_PER_S_FREE) this.#rate = undefined;
  }

  /** Throttled requests that were sent before the rate was lowered say nothing about the new rate. */
  #slowDown(startedMs: number): void {
    if (this.#rate !== undefined && startedMs < this.#slowedMs) return;
    this.#slowedMs = this.#clock.monotonicMs();
    this.#rate = this.#rate === undefined ? THROTTLED_LAUNCHES_PER_S : Math.max(LAUNCHES_PER_S_MIN, this.#rate / 2);
    this.#nextMs = Math.max(this.#nextMs, this.#clock.monotonicMs() + 1_000 / this.#rate);
  }
}
