import { combine } from '../history/verdict.ts';
import type { Verdict } from '../history/verdict.ts';
import type { RunReport } from '../reports/run-report.ts';
import { EXIT } from './usage-error.ts';

/** Fail is 1. A partial run, or one without trials, can't pass: it is unknown. */
export function exitCodeOf(verdicts: readonly Verdict[], isPartial = false): number {
  const verdict = combine(verdicts);
  if (verdict === 'fail') return EXIT.fail;
  return verdict === 'pass' && !isPartial ? EXIT.pass : EXIT.unknown;
}

/** Whether a requested crash point has no verdict. Verdicts of trials don't show that, since it may have no trial. */
export function hasUnknownCrashes({ scenarios }: RunReport): boolean {
  return scenarios.some(({ crashPoints }) => crashPoints !== undefined && (crashPoints.uncounted !== undefined || crashPoints.unknown > 0));
}
