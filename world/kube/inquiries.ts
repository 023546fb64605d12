import { StatusError } from '../../protocols/kube/status.ts';
import type { Clock } from '../../runtime/clock.ts';

/** Longest time that a request may wait for other programs (`requestTimeoutUpperBound`). */
const MAX_WAIT_MS = 34_000;

/** Thrown where a request has to wait for other programs: it is served again, from the start, when they have answered. */
export class Waiting extends Error {
  override readonly name = 'Waiting';
  readonly answered: Promise<unknown>;
  constructor(answered: Promise<unknown>) {
    super('waiting for an answer of another program');
    this.answered = answered;
  }
}

/** A question to another program. */
export interface Question<T> {
  /** Everything that the answer depends on. */
  readonly key: string;
  /** @param timeLeftMs what is left of the time of the whole request */
  readonly ask: (timeLeftMs: number) => Promise<T>;
}

/**
 * What one request asks other programs, which answer later, while everything else in the API server happens at once. A request that
 * needs an answer is given up, and served again when the answer is there: by then other requests may have changed the objects, as
 * between the attempts of `GuaranteedUpdate`. What it must not draw or do twice, it does with `once`.
 */
export class Inquiries {
  /** When the request arrived. */
  readonly nowMs: number;
  readonly #clock: Clock;
  readonly #startMs: number;
  /** In the order in which they came. */
  readonly #answers = new Map<string, unknown>();
  readonly #done = new Map<string, unknown>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.nowMs = clock.nowMs();
    this.#startMs = clock.monotonicMs();
  }

  /**
   * The answers to questions, which are asked at the same time.
   * @returns in the order of the questions, each with its place in the order of the answers
   * @throws StatusError 504 if the request has waited too long
   */
  answers<T>(questions: readonly Question<T>[]): { readonly answer: T; readonly place: number }[] {
    const open = questions.filter(({ key }) => !this.#answers.has(key));
    if (open.length > 0) {
      const timeLeftMs = this.timeLeftMs();
      throw new Waiting(Promise.all(open.map(async ({ key, ask }) => this.#answers.set(key, await ask(timeLeftMs)))));
    }
    const places = new Map([...this.#answers.keys()].map((key, place) => [key, place]));
    return questions.map(({ key }) => ({ answer: this.#answers.get(key) as T, place: places.get(key) ?? 0 }));
  }

  /**
   * What is left of the time of the request. Conversions do not know for which request they are, so each attempt begins with this.
   * @throws StatusError 504 if the request has waited too long
   */
  timeLeftMs(): number {
    const leftMs = MAX_WAIT_MS - (this.#clock.monotonicMs() - this.#startMs);
    if (leftMs <= 0) throw new StatusError(504, 'Timeout', 'Timeout: request did not complete within requested timeout', {});
    return leftMs;
  }

  /** Does something in the first attempt that comes here, and remembers the result for the others. */
  once<T>(name: string, work: () => T): T {
    if (!this.#done.has(name)) this.#done.set(name, work());
    return this.#done.get(name) as T;
  }
}
