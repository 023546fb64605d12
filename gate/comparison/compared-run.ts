import type { TrialMeasures } from '../../history/measures.ts';
import type { TrialResult } from '../../history/verdict.ts';
import type { Episode } from '../episode.ts';

/** What must be the same in trials that are compared, by what messages call it. */
export type TrialSetting = Readonly<Record<string, unknown>>;

/** What trials were asked for; its name is that of the flag. */
export const NODES_SETTING = '--nodes';

/** One trial of one side. */
export interface ComparedTrial {
  readonly episode: Episode;
  readonly measures: TrialMeasures;
  /** Names of checks that could not be judged. */
  readonly unjudged: readonly string[];
  readonly setting: TrialSetting;
}

/** One run, as its directory tells of it. */
export interface ComparedRun {
  readonly target: string;
  readonly directory: string;
  readonly version: string;
  readonly world: string;
  readonly time: 'virtual' | 'real';
  /** SHA-256 of the instance types and of the prices. */
  readonly digests: { readonly catalogue: string; readonly prices: string };
  readonly trials: readonly ComparedTrial[];
  /** Trials that the target can't be asked for: a feature or capability that is not there. */
  readonly notRun: readonly Absent[];
  /** Trials that were planned, and of which nothing is known. */
  readonly lost: readonly Absent[];
}

/** A trial of which there is nothing to compare. */
export interface Absent {
  readonly scenario: string;
  readonly seed: number;
  readonly why: string;
}

/** Which scenarios single figures are of, by their ids. */
export interface ComparedScenarios {
  /** Of the latency of a scale-out: ten nodes, without a fault. */
  readonly scaleOut: readonly string[];
  /** Of the cost of a cluster: as many nodes as were asked for. */
  readonly freeSize: readonly string[];
}

/** What is known of a trial's checks. */
export function unjudgedChecks({ checks }: Pick<TrialResult, 'checks'>): string[] {
  return checks.filter(({ verdict }) => verdict === 'unknown').map(({ check }) => check);
}
