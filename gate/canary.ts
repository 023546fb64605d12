import { judgeCriteria } from './decide.ts';
import type { GateOptions } from './decide.ts';
import type { Episode } from './episode.ts';
import type { Policy } from './policy.ts';
import { distinct } from './sides.ts';
import type { Criterion, CriterionName } from './verdict.ts';
import { counted } from './wording.ts';

/** What a stage of a canary is held to. Cost, requests and small shifts are a gate's matter, before anything is rolled out. */
const AT_ONCE: readonly CriterionName[] = ['invariants', 'leaks', 'known-trials', 'success', 'scenarios'];
/** Its error is shared out among the looks that are planned: looked at more often it would be larger. */
const AT_LOOKS: readonly CriterionName[] = ['latency-tail'];

/** `more`: neither can be told yet. */
export type StageVerdict = 'advance' | 'roll-back' | 'more';

export interface StageDecision {
  readonly verdict: StageVerdict;
  /** What it is decided by, for a platform engineer. It may hold names from a cluster: escape it. */
  readonly sentence: string;
  readonly criteria: readonly Criterion[];
}

export interface StageOptions extends GateOptions {
  /** Whether the stage has come to one of its planned sizes: only there it can be left, and the tail be told. */
  readonly isLook: boolean;
}

/**
 * Whether the candidate keeps its share and gets the next one. Everything that was probed so far counts, in all stages: what
 * is rare shows in the sum.
 *
 * The tail stops a canary, and need not be settled to go on: a statement about the 99th percentile takes 368 episodes, more than a
 * stage has. Slower than the limit, but perhaps by chance, asks for more; slower beyond chance rolls back.
 */
export function decideStage(
  baselineEpisodes: readonly Episode[],
  candidateEpisodes: readonly Episode[],
  policy: Policy,
  { isLook, ...options }: StageOptions,
): StageDecision {
  const sides = { baseline: distinct(baselineEpisodes), candidate: distinct(candidateEpisodes) };
  const { criteria } = judgeCriteria(isLook ? [...AT_ONCE, ...AT_LOOKS] : AT_ONCE, sides, policy, options);
  const named = (those: readonly Criterion[]): string => those.map(({ criterion }) => criterion).join(', ');
  const failed = criteria.filter(({ verdict }) => verdict === 'fail');
  if (failed.length > 0) return { verdict: 'roll-back', sentence: `The candidate fails ${named(failed)}.`, criteria };
  const open = criteria.filter((criterion) => criterion.verdict === 'inconclusive' && !isGoodSoFar(criterion));
  const seen = counted(sides.candidate.length, 'probe');
  if (open.length > 0) return { verdict: 'more', sentence: `After ${seen} it can't be told yet (${named(open)}).`, criteria };
  if (!isLook) return { verdict: 'more', sentence: `${seen} of the candidate, and no rule is broken so far.`, criteria };
  return { verdict: 'advance', sentence: `${seen} of the candidate, and no rule is broken.`, criteria };
}

function isGoodSoFar({ criterion, numbers }: Criterion): boolean {
  const { estimate, limit } = numbers;
  return criterion === 'latency-tail' && estimate !== undefined && limit !== undefined && estimate <= limit;
}
