import { CRASH_MOMENTS, combine } from '../history/verdict.ts';
import type { TrialResult, Verdict } from '../history/verdict.ts';
import { defined } from '../model/defined.ts';
import { causesFirst } from './causes.ts';
import { formatCount } from './format.ts';
import type { RunFacts } from './report-input.ts';
import type { CrashPointReport, CrashPointsReport, CrashTrialReport } from './run-report.ts';

/** A trial in which the target is killed at a side effect. */
export type CrashTrial = RunFacts['planned'][number] & { readonly crash: NonNullable<RunFacts['planned'][number]['crash']> };

/** Whether a trial kills the target at a crash point. */
export function isCrashTrial(trial: RunFacts['planned'][number]): trial is CrashTrial {
  return trial.crash !== undefined;
}

/**
 * The crash points of one scenario; undefined if none were requested.
 * @param planned crash trials of the scenario
 * @param results of crash trials of the scenario, in any order
 */
export function reportCrashPoints(
  asked: RunFacts['scenarios'][number]['crashPoints'],
  planned: readonly CrashTrial[],
  results: readonly TrialResult[],
): CrashPointsReport | undefined {
  if (asked === undefined) return undefined;
  const points = new Map<string, CrashPointReport>();
  const byHistory = new Map(results.map((result) => [result.history, result]));
  for (const trial of planned) {
    const { seed } = trial;
    const { moment, ...effect } = trial.crash;
    const key = `${seed} ${effect.nth}`;
    points.set(key, { ...(points.get(key) ?? { seed, ...effect }), [moment]: reportTrial(trial, byHistory.get(trial.history)) });
  }
  const rows = [...points.values()].sort((a, b) => a.seed - b.seed || a.nth - b.nth);
  const verdicts = rows.flatMap((point) => crashTrialsOf(point).map(({ verdict }) => verdict));
  // The run was killed before it could count them.
  const uncounted = asked.uncounted ?? (asked.leftOut === undefined && rows.length === 0 ? 'the side effects were not counted' : undefined);
  return {
    ...asked,
    ...defined({ uncounted }),
    passed: countOf(verdicts, 'pass'),
    failed: countOf(verdicts, 'fail'),
    unknown: countOf(verdicts, 'unknown'),
    points: rows,
  };
}

/** The verdicts that crash points add to their scenario; none if there is nothing to judge. */
export function crashVerdicts({ leftOut, uncounted, points }: CrashPointsReport): Verdict[] {
  if (uncounted !== undefined) return ['unknown'];
  return leftOut === undefined ? [combine(points.flatMap((point) => crashTrialsOf(point).map(({ verdict }) => verdict)))] : [];
}

/** The trials of one side effect, as far as they exist. */
export function crashTrialsOf(point: CrashPointReport): CrashTrialReport[] {
  return CRASH_MOMENTS.flatMap((moment) => point[moment] ?? []);
}

/** Whether the target was upgraded at these side effects, and not killed. */
export function isUpgraded(points: readonly CrashPointReport[]): boolean {
  return points.some(({ upgrade }) => upgrade !== undefined);
}

/** `54 side effects, 108 crash points: 107 passed, 1 failed` */
export function countsOf({ leftOut, uncounted, points, passed, failed, unknown }: CrashPointsReport): string {
  if (uncounted !== undefined) return `unknown: ${uncounted}`;
  if (leftOut !== undefined) return `left out: ${leftOut}`;
  const counts = [`${passed} passed`, ...(failed > 0 ? [`${failed} failed`] : []), ...(unknown > 0 ? [`${unknown} unknown`] : [])];
  return `${formatCount(points.length, 'side effect')}, ${formatCount(passed + failed + unknown, 'crash point')}: ${counts.join(', ')}`;
}

function reportTrial({ replay, history }: CrashTrial, result: TrialResult | undefined): CrashTrialReport {
  if (result === undefined) return { verdict: 'unknown', why: 'it never started', findings: 0, replay, history };
  const { verdict, checks } = result;
  const found = causesFirst(checks).flatMap(({ check, findings }) => findings.map(({ code, message }) => ({ check, code, why: message })));
  const unknown = checks.filter((check) => check.verdict === 'unknown').map(({ check, summary }) => ({ check, why: summary }));
  return { verdict, ...(found[0] ?? unknown[0]), findings: found.length, replay, history };
}

function countOf(verdicts: readonly Verdict[], verdict: Verdict): number {
  return verdicts.filter((one) => one === verdict).length;
}
