import type { View } from '../history/view.ts';
import type { CheckResult } from '../history/verdict.ts';

/** A check: a pure function of one history. */
export interface Check {
  readonly name: string;
  readonly summary: string;
  /** The codes of the findings that it can make, each with what it means. */
  readonly codes: Readonly<Record<string, string>>;
  /**
   * Judges a history. A check that throws is unknown.
   * @returns undefined when the history asks for nothing that this check judges
   */
  judge(view: View): Omit<CheckResult, 'check'> | undefined;
}
