import type { PlannedTrial, TrialEnd } from '../../harness/run.ts';
import type { TrialResult } from '../../history/verdict.ts';

/** A trial with the letter of its side. */
export interface SideTrial {
  readonly letter: string;
  readonly trial: PlannedTrial;
}

/** A trial that is over. Without a result if its process could not start it. */
export interface EndedTrial extends SideTrial {
  readonly result?: TrialResult;
}

/** Looks at a run while it goes on, and may end it. */
export interface Review {
  /** Rounds between two looks: one trial of each side, with the same scenario and seed. */
  readonly every: number;
  /**
   * @param ended the trials of the first rounds
   * @param left the trials of all other rounds
   * @returns why no further trial is needed; undefined if they are
   */
  readonly whyOver: (ended: readonly EndedTrial[], left: readonly SideTrial[]) => string | undefined;
}

/** A run that a review has ended. */
export interface ReviewedEnd {
  readonly why: string;
  /** The trials that count, and those that don't, in the order of the plan. */
  readonly kept: readonly SideTrial[];
  readonly left: readonly SideTrial[];
}

/**
 * Carries out a review. Only the first rounds of the plan are looked at, at fixed numbers of them, once all of their trials are over.
 * So neither the number of workers nor their speed has an influence: trials of later rounds that have begun do not count.
 */
export class Reviewer {
  readonly #review: Review;
  readonly #rounds: readonly (readonly SideTrial[])[];
  readonly #results = new Map<PlannedTrial, TrialResult | undefined>();
  /** Rounds at the start of the plan that are over. */
  #over = 0;
  #end: ReviewedEnd | undefined;

  constructor(review: Review, rounds: readonly (readonly SideTrial[])[]) {
    this.#review = review;
    this.#rounds = rounds;
  }

  /** Undefined as long as further trials are needed. */
  get end(): ReviewedEnd | undefined {
    return this.#end;
  }

  ended(trial: PlannedTrial, end: TrialEnd): void {
    if (end.kind === 'not-begun') return;
    this.#results.set(trial, end.kind === 'judged' ? end.result : undefined);
    while (this.#end === undefined && this.#rounds[this.#over]?.every((one) => this.#results.has(one.trial)) === true) {
      this.#over += 1;
      if (this.#over % this.#review.every === 0 && this.#over < this.#rounds.length) this.#look();
    }
  }

  #look(): void {
    const [kept, left] = [this.#rounds.slice(0, this.#over).flat(), this.#rounds.slice(this.#over).flat()];
    const ended = kept.map((one): EndedTrial => {
      const result = this.#results.get(one.trial);
      return result === undefined ? one : { ...one, result };
    });
    const why = this.#review.whyOver(ended, left);
    if (why !== undefined) this.#end = { why, kept, left };
  }
}
