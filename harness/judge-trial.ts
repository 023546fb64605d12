import { join } from 'node:path';
import { checkCatalogue } from '../checks/catalogue.ts';
import type { Check } from '../checks/check.ts';
import { judgeView } from '../checks/judge.ts';
import { readHistory } from '../history/reader.ts';
import { seenIn } from '../history/seen.ts';
import type { TrialSeen } from '../history/seen.ts';
import { crashPointSchema } from '../history/verdict.ts';
import type { CrashPoint, TrialResult } from '../history/verdict.ts';
import { createView } from '../history/view.ts';
import type { View } from '../history/view.ts';

/** What is known of a trial once its history has been read. */
export interface JudgedTrial {
  readonly result: TrialResult;
  readonly seen: TrialSeen;
}

/** What of a trial a run directory knows besides its history. */
export interface TrialName {
  readonly scenario: { readonly id: string; readonly title: string };
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
 * Judges a trial from its history alone.
 * @param checks by default those of the catalogue
 */
export function judgeTrial(trial: TrialName, directory: string, checks: readonly Check[] = checkCatalogue): JudgedTrial {
  const { result, view } = readTrial(trial, directory, checks);
  return { result, seen: seenIn(view) };
}

/** {@link judgeTrial} for who measures it as well: the view is as large as the history. */
export function readTrial(
  trial: TrialName,
  directory: string,
  checks: readonly Check[] = checkCatalogue,
): { readonly result: TrialResult; readonly view: View } {
  const { events, truncated } = readHistory(join(directory, trial.history));
  const view = createView(events, { truncated });
  const result = {
    scenario: trial.scenario.id,
    title: trial.scenario.title,
    suite: trial.suite,
    target: trial.targetLabel,
    seed: trial.seed,
    ...(trial.crash === undefined ? {} : { crash: crashPointSchema.parse(trial.crash) }),
    replay: trial.replay,
    history: trial.history,
    ...judgeView(view, checks),
  };
  return { result, view };
}
