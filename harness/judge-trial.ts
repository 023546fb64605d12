import { join } from 'node:path';
import { checkCatalogue } from '../checks/catalogue.ts';
import type { Check } from '../checks/check.ts';
import { judgeView } from '../checks/judge.ts';
import { HistoryError, readHistory } from '../history/reader.ts';
import { seenIn } from '../history/seen.ts';
import type { TrialSeen } from '../history/seen.ts';
import { readUsage } from '../history/usage.ts';
import { crashPointSchema } from '../history/verdict.ts';
import type { CrashPoint, TrialResult } from '../history/verdict.ts';
import { createView } from '../history/view.ts';
import type { View } from '../history/view.ts';
import { defined } from '../model/defined.ts';
import { isPath } from '../model/paths.ts';

/** A trial whose history has been read and judged. */
export interface JudgedTrial {
  readonly result: TrialResult;
  readonly seen: TrialSeen;
}

/** What a run directory records about a trial besides its history. */
export interface TrialName {
  readonly scenario: {
    readonly id: string;
    readonly title: string;
    /** SHA-256 of its source, if known. */
    readonly digest?: string | undefined;
  };
  readonly suite: string;
  /** The target's name, or its path as the user gave it. */
  readonly targetLabel: string;
  readonly seed: number;
  readonly replay: string;
  /** Name of its history within the run directory. */
  readonly history: string;
  readonly crash?: CrashPoint | undefined;
}

/**
 * Judges a trial from its history, and from what was measured beside it.
 * @param checks by default those of the catalogue
 * @throws HistoryError when the history can't be read, or is another trial's
 */
export function judgeTrial(trial: TrialName, directory: string, checks: readonly Check[] = checkCatalogue): JudgedTrial {
  const { result, view } = readTrial(trial, directory, checks);
  return { result, seen: seenIn(view) };
}

/** {@link judgeTrial} for callers that also need the view, which is as large as the history. */
export function readTrial(
  trial: TrialName,
  directory: string,
  checks: readonly Check[] = checkCatalogue,
): { readonly result: TrialResult; readonly view: View } {
  const path = join(directory, trial.history);
  const { events, truncated } = readHistory(path);
  const view = createView(events, { truncated, usage: readUsage(path) });
  refuseOtherTrial(view, trial, path);
  const result = {
    scenario: trial.scenario.id,
    title: trial.scenario.title,
    suite: trial.suite,
    target: trial.targetLabel,
    seed: trial.seed,
    ...defined({ crash: trial.crash && crashPointSchema.parse(trial.crash) }),
    replay: trial.replay,
    history: trial.history,
    ...judgeView(view, checks),
  };
  return { result, view };
}

/** Enough of a digest to distinguish two. */
const shorten = (digest: string): string => digest.slice(0, 12);

/** A misplaced file would give one trial the verdict of another. A history without a beginning identifies no trial. */
function refuseOtherTrial({ begin }: View, { scenario, seed, targetLabel }: TrialName, path: string): void {
  if (begin === undefined) return;
  const differing = [
    { what: 'scenario', is: begin.scenario.id, planned: scenario.id },
    { what: 'source of the scenario', is: shorten(begin.scenario.digest), planned: scenario.digest && shorten(scenario.digest) },
    { what: 'seed', is: begin.seed, planned: seed },
    // The name of a target from a file does not follow from its path.
    { what: 'target', is: begin.target.name, planned: isPath(targetLabel) ? undefined : targetLabel },
  ].find(({ is, planned }) => planned !== undefined && is !== planned);
  if (differing === undefined) return;
  const { what, is, planned } = differing;
  throw new HistoryError(
    `${path} is the history of another trial: its ${what} is ${is}, and run.json has ${planned} there; put back the file that was written with this run.json, or run it again`,
  );
}
