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
  /** Characters of markup of all scenarios, as they are in the page: what comes after is told in brief. */
  charactersScenarios: 2_700_000,
  /** Of these, for trials that did not pass, which come first. */
  charactersFailed: 1_800_000,
  /** Of these, trials that can be read without a script; the rest is packed. */
  trialsUnpacked: 3,
} as const;

/** No trial takes fewer characters, packed. */
const LEAST_TRIAL = 2_000;
/** What a scenario takes at most that is told in brief, packed: a hundred of them were measured at 2,500 to 3,500. */
const BRIEF_SCENARIO = 4_000;
/** Nobody waits for more than the conformance suite has: with more scenarios the page grows. */
const MAX_RESERVED = 700_000;

/** What is left of a page's budget. One for each page. */
export class Budget {
  private unpacked: number = EVENT_BUDGET.trialsUnpacked;
  private ofScenarios: number = EVENT_BUDGET.charactersScenarios;
  private ofFailed: number = EVENT_BUDGET.charactersFailed;
  /** Scenarios that passed and are yet to be told: in brief at least. */
  private awaited: number;

  constructor(passing: number) {
    this.awaited = passing;
  }

  /** The next scenario that passed is told now: nothing is reserved for it any more. */
  beginPassed(): void {
    this.awaited -= 1;
  }

  /** Nothing more can be told in full: a trial takes more than what is left. */
  isSpent(kind: TrialKind): boolean {
    return this.left(kind) < LEAST_TRIAL;
  }

  /** Whether the next trial that did not pass stands in the page as it is. */
  takeUnpacked(): boolean {
    this.unpacked -= 1;
    return this.unpacked >= 0;
  }

  /** Whether so many characters more are within the budget, and leave what is reserved; then they are taken of it. */
  take(characters: number, kind: TrialKind): boolean {
    const reserved = Math.min(this.awaited * BRIEF_SCENARIO, MAX_RESERVED);
    if (characters > this.left(kind) - reserved) return false;
    this.spend(characters, kind);
    return true;
  }

  /** Takes what is told in any case. */
  spend(characters: number, kind: TrialKind): void {
    this.ofScenarios -= characters;
    if (kind === 'failed') this.ofFailed -= characters;
  }

  private left(kind: TrialKind): number {
    return kind === 'failed' ? Math.min(this.ofFailed, this.ofScenarios) : this.ofScenarios;
  }
}

type TrialKind = 'passed' | 'failed';
