import type { View } from '../history/view.ts';
import type { CheckResult, TrialResult } from '../history/verdict.ts';

/** A check: a pure function of one history. */
export interface Check {
  readonly name: string;
  readonly summary: string;
  /** The codes of the findings that it can make, with their meanings. */
  readonly codes: Readonly<Record<string, string>>;
  /** Each object in its findings is an instance that the target lost: reports count those as leaked. */
  readonly findsLeaks?: true;
  /** Pods that were served in time out of those that had to be: reports show this beside the verdict. */
  readonly countServed?: (view: View) => TrialResult['success'];
  /**
   * Judges a history. A check that throws has the verdict unknown.
   * @returns undefined when the history has nothing for this check to judge
   */
  judge(view: View): Omit<CheckResult, 'check'> | undefined;
}
