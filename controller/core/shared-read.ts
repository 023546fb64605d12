import type { Clock } from '../../runtime/clock.ts';

/** For so long the askers of one read are gathered. */
const GATHER_MS = 50;

/** A read that several askers share; each gets an answer that was asked for after it called. */
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
