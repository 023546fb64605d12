import type { Clock } from '../../runtime/clock.ts';

/** How long callers of one read are batched. */
const GATHER_MS = 50;

/** A read that several callers share; each gets a result that was read after its call. */
export class SharedRead<T> {
  readonly #clock: Clock;
  readonly #fetch: () => Promise<T>;
  #gathering: Promise<T> | undefined;

  constructor(clock: Clock, fetch: () => Promise<T>) {
    this.#clock = clock;
    this.#fetch = fetch;
  }

  read(): Promise<T> {
    this.#gathering ??= this.#clock.sleep(GATHER_MS).then(() => {
      this.#gathering = undefined;
      return this.#fetch();
    });
    return this.#gathering;
  }
}
