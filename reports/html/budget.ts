/**
 * Limits for the trials on one page, so that it stays readable and small. The page counts what is left out, and the histories beside it
 * have everything.
 */
export const EVENT_BUDGET = {
  /** Log rows of a trial that did not pass: similar events share a row. */
  rowsFailed: 2_000,
  /** Log rows of a trial that passed: a sample, from its start. */
  rowsPassed: 20,
  /** Trials of one scenario that did not pass; in addition, one that passed. */
  trialsFailed: 6,
  /** Characters of markup of all scenarios, as they are in the page: the rest is shown in brief. */
  charactersScenarios: 2_640_000,
  /** Of these, for trials that did not pass, which come first. */
  charactersFailed: 1_800_000,
  /** Trials among these that can be read without a script; the rest is packed. */
  trialsUnpacked: 3,
} as const;

/** The fewest characters of a packed trial. */
const LEAST_TRIAL = 2_000;
/** The most characters of a packed scenario in brief: measured values with 20 trials were 2,300 to 5,000. */
const BRIEF_SCENARIO = 5_500;
/** Enough for the conformance suite: with more scenarios the page grows. */
const MAX_RESERVED = 900_000;

/** The remaining budget of one page. */
export class Budget {
  private unpacked: number = EVENT_BUDGET.trialsUnpacked;
  private ofScenarios: number = EVENT_BUDGET.charactersScenarios;
  private ofFailed: number = EVENT_BUDGET.charactersFailed;
  /** Scenarios that passed and are still to be shown, at least in brief. */
  private awaited: number;

  constructor(passing: number) {
    this.awaited = passing;
  }

  /** Starts the next scenario that passed: nothing is reserved for it any more. */
  beginPassed(): void {
    this.awaited -= 1;
  }

  /** No further trial can be shown in full: any trial needs more than what is left. */
  isSpent(kind: TrialKind): boolean {
    return this.left(kind) < LEAST_TRIAL;
  }

  /** Whether the next trial that did not pass can be shown unpacked. */
  takeUnpacked(): boolean {
    this.unpacked -= 1;
    return this.unpacked >= 0;
  }

  /** Takes characters from the budget, unless they exceed it or the reserved part. @returns whether they were taken */
  take(characters: number, kind: TrialKind): boolean {
    const reserved = Math.min(this.awaited * BRIEF_SCENARIO, MAX_RESERVED);
    if (characters > this.left(kind) - reserved) return false;
    this.spend(characters, kind);
    return true;
  }

  /** Takes characters that are shown in any case. */
  spend(characters: number, kind: TrialKind): void {
    this.ofScenarios -= characters;
    if (kind === 'failed') this.ofFailed -= characters;
  }

  private left(kind: TrialKind): number {
    return kind === 'failed' ? Math.min(this.ofFailed, this.ofScenarios) : this.ofScenarios;
  }
}

type TrialKind = 'passed' | 'failed';
