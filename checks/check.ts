import type { View } from '../history/view.ts';
import type { CheckResult, TrialResult } from '../history/verdict.ts';

/** A check: a pure function of one history. */
export interface Check {
  readonly name: string;
  readonly summary: string;
  /** The codes of the findings that it can make, each with what it means. */
  readonly codes: Readonly<Record<string, string>>;
  /** Each object that it makes findings of is an instance that the target lost: reports count those as leaked. */
  readonly findsLeaks?: true;
  /** Pods that were served in time over those that had to be: what reports count beside the verdict. */
  readonly countServed?: (view: View) => TrialResult['success'];
  /**
   * Judges a history. A check that throws is unknown.
   * @returns undefined when the history asks for nothing that this check judges
   */
  judge(view: View): Omit<CheckResult, 'check'> | undefined;
}
