import type { Episode } from '../../gate/episode.ts';
import { PROBE_STEP, kindsOf, leastOf, looksAStage } from './plan.ts';
import type { CanaryPlan, ProbeKind } from './plan.ts';
import type { Probed } from './probes.ts';

/** How much of a stage was probed. */
export interface Probing {
  readonly probes: number;
  /** Probes with a verdict over the plan's `atLeast`, for the kind for which this ratio is lower. */
  readonly part: number;
  /** Summed over the clocks of all places with the candidate. */
  readonly watchedMs: number;
}

/** The results of all batches, including those of an earlier process. */
export interface Evidence {
  readonly candidate: Episode[];
  readonly baseline: Episode[];
  add(stage: number, batch: Probed): void;
  /** In all stages. */
  probes(): Probed['probes'];
  /** For a stage: with its last batch, without it, and the number of the candidate's episodes in earlier stages. */
  of(stage: number): { readonly now: Probing; readonly before: Probing; readonly earlier: number };
}

/** @param probes what the plan requires */
export function createEvidence(probes: CanaryPlan['probes']): Evidence {
  const [candidate, baseline]: [Episode[], Episode[]] = [[], []];
  const batches: { readonly stage: number; readonly episodes: number; readonly batch: Probed }[] = [];
  const sum = (some: typeof batches): Probing => {
    const known = (kind: ProbeKind): number => some.reduce((all, { batch }) => all + batch.known[kind], 0);
    return {
      probes: some.reduce((all, { batch }) => all + batch.probes.candidate, 0),
      part: Math.min(...kindsOf({ probes }).map((kind) => known(kind) / probes[kind].atLeast)),
      watchedMs: some.reduce((all, { batch }) => all + batch.watchedMs, 0),
    };
  };
  return {
    candidate,
    baseline,
    add: (stage, batch) => {
      candidate.push(...batch.candidate);
      baseline.push(...batch.baseline);
      batches.push({ stage, episodes: batch.candidate.length, batch });
    },
    probes: () => ({
      candidate: batches.reduce((all, { batch }) => all + batch.probes.candidate, 0),
      baseline: batches.reduce((all, { batch }) => all + batch.probes.baseline, 0),
    }),
    of: (stage) => {
      const own = batches.filter((one) => one.stage === stage);
      const earlier = batches.reduce((all, one) => all + (one.stage < stage ? one.episodes : 0), 0);
      return { now: sum(own), before: sum(own.slice(0, -1)), earlier };
    },
  };
}

/**
 * How many of a stage's planned sizes are reached: first `atLeast` probes of each kind, then each further step up to `most`. Every
 * batch after that counts as a look: it exists only because places have to be watched for longer.
 */
export function looksUntil(probes: CanaryPlan['probes'], { probes: seen, part }: Probing): number {
  // Probes without a verdict must not keep a stage from its last look.
  if (seen > probes.most) return looksAStage(probes) + seen - probes.most;
  if (seen === probes.most) return looksAStage(probes);
  return part < 1 ? 0 : 1 + Math.max(0, Math.floor((seen - leastOf(probes)) / PROBE_STEP));
}
