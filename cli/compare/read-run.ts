import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NODES_SETTING, unjudgedChecks } from '../../gate/comparison/compared-run.ts';
import type { ComparedRun, ComparedTrial, TrialSetting } from '../../gate/comparison/compared-run.ts';
import { episodeOf } from '../../gate/episodes-of.ts';
import { keyOf } from '../../gate/sides.ts';
import { readTrial } from '../../harness/judge-trial.ts';
import { measuresOf } from '../../history/measures.ts';
import { HistoryError } from '../../history/reader.ts';
import type { View } from '../../history/view.ts';
import type { TrialResult } from '../../history/verdict.ts';
import { MANIFESTS_SUITE } from '../../manifests/theme.ts';
import type { RunFacts } from '../../reports/report-input.ts';
import { isVirtual } from '../../reports/clock.ts';
import { readRunFacts, trialNameOf } from '../run-directory.ts';
import { UsageError } from '../usage-error.ts';

/** Which trials of a run are read. */
export type IsChosen = (scenario: RunFacts['scenarios'][number]) => boolean;

/** Gets each trial that was read, for callers that need more of it: a history is read once. */
type OnTrial = (result: TrialResult, view: View) => void;

/**
 * Reads a run directory for a comparison: every trial is judged again and measured, from its history alone. Crash point trials are
 * left out, since each target has different side effects.
 * @param onTrial called for every trial whose history can be read
 * @throws UsageError when the directory holds no run, or a history that can't be read
 */
export function readComparedRun(directory: string, isChosen: IsChosen, onTrial?: OnTrial): ComparedRun {
  const run = readRunFacts(directory);
  const chosen = new Set(run.scenarios.filter(isChosen).map(({ id }) => id));
  const planned = run.planned.filter(({ scenario, crash }) => crash === undefined && chosen.has(scenario));
  const isThere = ({ history }: (typeof planned)[number]): boolean => existsSync(join(directory, history));
  const measured = planned.filter(isThere).map((one) => ({ planned: one, trial: measureTrial(directory, one, { run, onTrial }) }));
  const lost = planned.filter((one) => !isThere(one));
  // A planned trial that did not start is lost. Only a trial that was never planned counts as not run.
  const wanted = new Set(planned.map(keyOf));
  const absent = run.notRun
    .filter(({ scenario }) => chosen.has(scenario))
    .map(({ scenario, seed, reason }) => ({ scenario, seed, why: reason }));
  const notStarted = new Map(absent.filter((one) => wanted.has(keyOf(one))).map((one) => [keyOf(one), one]));
  return {
    target: run.target.name,
    directory,
    version: run.versions.scaleproof,
    world: run.world.name,
    time: isVirtual(run) ? 'virtual' : 'real',
    digests: run.digests,
    trials: measured.flatMap(({ trial }) => (trial === undefined ? [] : [trial])),
    notRun: absent.filter((one) => !wanted.has(keyOf(one))),
    lost: [
      ...lost.map((one) => notStarted.get(keyOf(one)) ?? { scenario: one.scenario, seed: one.seed, why: 'its history is missing' }),
      ...measured.flatMap(({ planned: { scenario, seed }, trial }) =>
        trial === undefined ? [{ scenario, seed, why: 'its history has no first event' }] : [],
      ),
    ],
  };
}

/** @returns undefined when the history does not even say what was requested */
function measureTrial(
  directory: string,
  planned: RunFacts['planned'][number],
  { run, onTrial }: { readonly run: RunFacts; readonly onTrial: OnTrial | undefined },
): ComparedTrial | undefined {
  try {
    const { result, view } = readTrial(trialNameOf(planned, run), directory);
    onTrial?.(result, view);
    if (view.begin === undefined) return undefined;
    const measures = measuresOf(view);
    return { episode: episodeOf(result, view, measures), measures, unjudged: unjudgedChecks(result), setting: settingOf(view.begin) };
  } catch (error) {
    if (error instanceof HistoryError) throw new UsageError(error.message);
    throw error;
  }
}

/** Trials that differ in one of these are not comparable. */
function settingOf({ scenario, nodes, world }: NonNullable<View['begin']>): TrialSetting {
  const isOverManifests = scenario.suite === MANIFESTS_SUITE;
  return {
    [`the scenario's source${isOverManifests ? ' (its manifests, or whether their classes are applied)' : ''}`]: scenario.digest,
    [NODES_SETTING]: nodes,
    "the world's allowances": world.allowances,
  };
}
