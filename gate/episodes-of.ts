import { measuresOf } from '../history/measures.ts';
import type { TrialMeasures } from '../history/measures.ts';
import type { TrialResult } from '../history/verdict.ts';
import type { View } from '../history/view.ts';
import { defined } from '../model/defined.ts';
import type { Absent, ComparedRun } from './comparison/compared-run.ts';
import type { Episode, Violation } from './episode.ts';
import type { EpisodeOutcome } from './settled.ts';

/** Checks whose subject a gate measures itself: pods served in time, and latency. */
const MEASURED: ReadonlySet<string> = new Set(['success-rate', 'latency']);
/**
 * A judged trial as an episode.
 * @param measures of the same trial, if known already
 */
export function episodeOf(result: TrialResult, view: View, measures: TrialMeasures = measuresOf(view)): Episode {
  const { scenario, seed, replay } = result;
  const { waits, usd, requests, launches, full } = measures;
  return {
    scenario,
    seed,
    replay,
    ...outcomeOf(result),
    latencies: waits,
    usd,
    ...defined({ requests }),
    failedLaunches: launches.failed,
    ...defined({ utilisation: full?.utilisation }),
  };
}

/** What a trial's judgement says by itself, without its history. */
export function outcomeOf(result: TrialResult): EpisodeOutcome {
  const { verdict, success, instances } = result;
  return { verdict, violations: violationsOf(result), success, instances: { created: instances.created, leaked: instances.leaked } };
}

/** Violations of invariants. A pod that still waits when the world should have settled counts as not served instead. */
function violationsOf({ checks }: TrialResult): Violation[] {
  return checks
    .filter(({ check }) => !MEASURED.has(check))
    .flatMap(({ check, findings }) => findings.map(({ code, object, message }) => ({ check, code, object, message })))
    .filter(({ code, object }) => !(code === 'not-settled' && object.startsWith('pods/')));
}

/**
 * All episodes of a run. Planned trials without a result are unknown, for any reason: otherwise, losing failures would help.
 */
export function episodesOf({ trials, notRun, lost }: ComparedRun): Episode[] {
  return [...trials.map(({ episode }) => episode), ...[...notRun, ...lost].map(absentEpisode)];
}

function absentEpisode({ scenario, seed, why }: Absent): Episode {
  return {
    scenario,
    seed,
    replay: '',
    verdict: 'unknown',
    why,
    violations: [],
    success: { served: 0, asked: 0 },
    instances: { created: 0, leaked: 0 },
    latencies: [],
    usd: 0,
    failedLaunches: 0,
  };
}
