/**
 * How much of the trials one page tells, so that it stays readable and light. Whatever is left out is counted on the page,
 * and the histories beside it have all of it.
 */
export const EVENT_BUDGET = {
  /** Rows of the log of a trial that did not pass: alike events are one row. */
  rowsFailed: 2_000,
  /** Rows of one that passed: a sample, from its beginning. */
  rowsPassed: 20,
  /** Of one scenario, those that did not pass; and one that passed. */
  trialsFailed: 6,
  /** Characters of markup of trials that did not pass, as they are in the page: what comes after is told in brief. */
  charactersFailed: 2_000_000,
  /** Of these, trials that can be read without a script; the rest is packed. */
  trialsUnpacked: 3,
} as const;

/** No trial takes fewer characters, packed. */
const LEAST_TRIAL = 2_000;

/** What is left of a page's budget. One for each page. */
export class Budget {
  private unpacked: number = EVENT_BUDGET.trialsUnpacked;
  private characters: number = EVENT_BUDGET.charactersFailed;

  /** Nothing more can be told in full: a trial takes more than what is left. */
  get isSpent(): boolean {
    return this.characters < LEAST_TRIAL;
  }

  /** Whether the next trial that did not pass stands in the page as it is. */
  takeUnpacked(): boolean {
    this.unpacked -= 1;
    return this.unpacked >= 0;
  }

  /** Whether so many characters more are within the budget; then they are taken of it. */
  take(characters: number): boolean {
    if (characters > this.characters) return false;
    this.characters -= characters;
    return true;
  }
}
