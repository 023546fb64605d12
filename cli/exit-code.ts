import { combine } from '../history/verdict.ts';
import type { Verdict } from '../history/verdict.ts';
import type { RunReport } from '../reports/run-report.ts';
import { EXIT } from './usage-error.ts';

/** Fail is 1; a run that is not whole can't be a pass; and nothing run at all proves nothing. */
export function exitCodeOf(verdicts: readonly Verdict[], isPartial = false): number {
  const verdict = combine(verdicts);
  if (verdict === 'fail') return EXIT.fail;
  return verdict === 'pass' && !isPartial ? EXIT.pass : EXIT.unknown;
}

/** Whether a crash point was asked for that nothing is known of: a verdict of its own, since it may have no trial. */
export function hasUnknownCrashes({ scenarios }: RunReport): boolean {
  return scenarios.some(({ crashPoints }) => crashPoints !== undefined && (crashPoints.uncounted !== undefined || crashPoints.unknown > 0));
}
