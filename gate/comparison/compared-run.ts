import type { TrialMeasures } from '../../history/measures.ts';
import type { TrialResult } from '../../history/verdict.ts';
import type { Episode } from '../episode.ts';

/** Settings that must be the same in compared trials, by their names in messages. */
export type TrialSetting = Readonly<Record<string, unknown>>;

/** The size of a trial, named like the flag. */
export const NODES_SETTING = '--nodes';

/** One trial of one side. */
export interface ComparedTrial {
  readonly episode: Episode;
  readonly measures: TrialMeasures;
  /** Names of checks that could not be judged. */
  readonly unjudged: readonly string[];
  readonly setting: TrialSetting;
}

/** One run, as read from its directory. */
export interface ComparedRun {
  readonly target: string;
  readonly directory: string;
  readonly version: string;
  readonly world: string;
  readonly time: 'virtual' | 'real';
  /** SHA-256 of the instance types and of the prices. */
  readonly digests: { readonly catalogue: string; readonly prices: string };
  readonly trials: readonly ComparedTrial[];
  /** Trials that the target can't run, because a feature or capability is missing. */
  readonly notRun: readonly Absent[];
  /** Planned trials without a result. */
  readonly lost: readonly Absent[];
}

/** A trial without a result. */
export interface Absent {
  readonly scenario: string;
  readonly seed: number;
  readonly why: string;
}

/** The scenarios that single figures are measured in, by their ids, with the titles of these figures. */
export interface ComparedScenarios {
  /** For the latency of a scale-out without a fault. */
  readonly scaleOut: { readonly title: string; readonly scenarios: readonly string[] };
  /** For the cost of a cluster. */
  readonly cost: {
    readonly title: string;
    readonly scenarios: readonly string[];
    /** Only trials with this number of nodes; any by default. */
    readonly nodes?: number;
  };
}

/** The checks of a trial that could not be judged. */
export function unjudgedChecks({ checks }: Pick<TrialResult, 'checks'>): string[] {
  return checks.filter(({ verdict }) => verdict === 'unknown').map(({ check }) => check);
}
