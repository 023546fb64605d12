import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseReplayLine } from '../harness/replay-line.ts';
import { currentScenarioId } from '../model/former-names.ts';
import { runReportSchema } from '../reports/run-report.ts';
import type { RunReport } from '../reports/run-report.ts';
import type { TrialSubset } from './plan-run.ts';
import { readRunFacts } from './run-directory.ts';
import { UsageError } from './usage-error.ts';

/** The trials of a run that failed or were unknown, and what is needed to repeat them. */
export interface FailedTrials {
  /** Name or path of the target. */
  readonly target: string;
  /** As in replay lines. */
  readonly world: string;
  readonly nodes: number;
  /** The seeds lie between these two. */
  readonly seeds: { readonly first: number; readonly last: number };
  /** The scenarios as replay lines name them, in the order of the run. */
  readonly scenarios: readonly string[];
  readonly trials: TrialSubset;
}

/**
 * Reads which trials of a run failed or were unknown. If one with a crash did, its scenario counts with the seed of that trial and
 * all its crash points. Trials that were not run don't count.
 * @returns undefined if there is none
 * @throws UsageError when the directory holds no run, or no report
 */
export function readFailedTrials(directory: string): FailedTrials | undefined {
  const run = readRunFacts(directory);
  const { scenarios, notRun } = readReport(directory);
  const crashed = new Set(
    scenarios
      .filter(
        ({ crashPoints }) =>
          crashPoints !== undefined && (crashPoints.uncounted !== undefined || crashPoints.failed + crashPoints.unknown > 0),
      )
      .map(({ id }) => currentScenarioId(id)),
  );
  const keysOf = (all: readonly { readonly scenario: string; readonly seed: number }[]): Set<string> =>
    new Set(all.map(({ scenario, seed }) => keyOf(currentScenarioId(scenario), seed)));
  const left = keysOf(notRun);
  const passed = keysOf(
    scenarios.flatMap(({ id, results }) => results.filter(({ verdict }) => verdict === 'pass').map(({ seed }) => ({ scenario: id, seed }))),
  );
  // Crash points belong to the first seed of their scenario.
  const firstSeeds = new Map([...run.planned].reverse().map(({ scenario, seed }) => [scenario, seed]));
  const failed = run.planned.filter(({ scenario, seed, crash }) => {
    if (crash !== undefined || left.has(keyOf(scenario, seed))) return false;
    return !passed.has(keyOf(scenario, seed)) || (crashed.has(scenario) && firstSeeds.get(scenario) === seed);
  });
  const lines = failed.map(({ replay }) => parseReplayLine(replay));
  const [line] = lines;
  if (line === undefined) return undefined;
  const seeds = failed.map(({ seed }) => seed);
  const keys = keysOf(failed);
  return {
    target: run.target.name,
    world: line.world ?? 'embedded',
    nodes: line.nodes,
    seeds: { first: Math.min(...seeds), last: Math.max(...seeds) },
    scenarios: [...new Set(lines.map(({ scenario }) => scenario))],
    trials: { has: (scenario, seed) => keys.has(keyOf(scenario, seed)), hasCrashPoints: (scenario) => crashed.has(scenario) },
  };
}

function keyOf(scenario: string, seed: number): string {
  return `${scenario} ${seed}`;
}

function readReport(directory: string): RunReport {
  const path = join(directory, 'report.json');
  const remedy = `\`scaleproof check ${directory}\` writes it`;
  if (!existsSync(path)) throw new UsageError(`${directory} has no report.json, since its run did not end; ${remedy}`);
  try {
    return runReportSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    throw new UsageError(`${path} is not a report of this version; ${remedy}`);
  }
}
