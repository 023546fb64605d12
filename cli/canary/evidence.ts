import type { Episode } from '../../gate/episode.ts';
import { PROBE_STEP, leastOf, looksAStage } from './plan.ts';
import type { CanaryPlan } from './plan.ts';
import { PROBE_KINDS } from './probes.ts';
import type { Probed } from './probes.ts';

/** What a stage was probed by. */
export interface Probing {
  readonly probes: number;
  /** With a verdict, of the kind that there are fewer of, in parts of what the plan asks for at least. */
  readonly part: number;
  /** On the clocks of all places with the candidate together. */
  readonly watchedMs: number;
}

/** What all batches came to, with those that an earlier process ran. */
export interface Evidence {
  readonly candidate: Episode[];
  readonly baseline: Episode[];
  add(stage: number, batch: Probed): void;
  /** Of all stages. */
  probes(): Probed['probes'];
  /** Of a stage, with its last batch and without it, and how many episodes of the candidate are of stages before. */
  of(stage: number): { readonly now: Probing; readonly before: Probing; readonly earlier: number };
}

/** @param probes what the plan asks for */
export function createEvidence(probes: CanaryPlan['probes']): Evidence {
  const [candidate, baseline]: [Episode[], Episode[]] = [[], []];
  const batches: { readonly stage: number; readonly episodes: number; readonly batch: Probed }[] = [];
  const sum = (those: typeof batches): Probing => {
    const known = (kind: (typeof PROBE_KINDS)[number]): number => those.reduce((all, { batch }) => all + batch.known[kind], 0);
    return {
      probes: those.reduce((all, { batch }) => all + batch.probes.candidate, 0),
      part: Math.min(...PROBE_KINDS.map((kind) => known(kind) / probes[kind].atLeast)),
      watchedMs: those.reduce((all, { batch }) => all + batch.watchedMs, 0),
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
 * How many of a stage's planned sizes are reached: as many probes of each kind as the plan asks for at least, and each step more up
 * to most. What comes after that is looked at each time: it is there because places have to be watched for longer.
 */
export function looksUntil(probes: CanaryPlan['probes'], { probes: seen, part }: Probing): number {
  // What has no verdict must not keep a stage from its last look.
  if (seen > probes.most) return looksAStage(probes) + seen - probes.most;
  if (seen === probes.most) return looksAStage(probes);
  return part < 1 ? 0 : 1 + Math.max(0, Math.floor((seen - leastOf(probes)) / PROBE_STEP));
}
