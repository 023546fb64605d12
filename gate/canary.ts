import { judgeCriteria } from './decide.ts';
import type { GateOptions } from './decide.ts';
import type { Episode } from './episode.ts';
import type { Policy } from './policy.ts';
import { distinct } from './sides.ts';
import type { Criterion, CriterionName } from './verdict.ts';
import { counted } from './wording.ts';

/** What a stage of a canary is held to. Cost, requests and small shifts are a gate's matter, before anything is rolled out. */
const AT_ONCE: readonly CriterionName[] = ['invariants', 'leaks', 'known-trials', 'success', 'scenarios'];
/** Of the stage's own probes, beside all of them. */
const OF_A_STAGE: readonly CriterionName[] = ['success', 'scenarios'];
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
  /** How many of the candidate's episodes, the first, are of earlier stages. */
  readonly earlier: number;
}

/**
 * Whether the candidate keeps its share and gets the next one. Everything that was probed so far counts, in all stages: what
 * is rare shows in the sum. What comes with the share shows in the stage's own probes: both have to be good.
 *
 * The tail stops a canary, and need not be settled to go on: a statement about the 99th percentile takes 368 episodes, more than a
 * stage has. Slower than the limit, but perhaps by chance, asks for more; slower beyond chance rolls back.
 */
export function decideStage(
  baselineEpisodes: readonly Episode[],
  candidateEpisodes: readonly Episode[],
  policy: Policy,
  { isLook, earlier, ...options }: StageOptions,
): StageDecision {
  const sides = { baseline: distinct(baselineEpisodes), candidate: distinct(candidateEpisodes) };
  const all = judgeCriteria(isLook ? [...AT_ONCE, ...AT_LOOKS] : AT_ONCE, sides, policy, options).criteria;
  const criteria = [...all, ...judgeStage(sides, policy, { ...options, earlier })];
  const named = (those: readonly Criterion[]): string => [...new Set(those.map(({ criterion }) => criterion))].join(', ');
  const failed = criteria.filter(({ verdict }) => verdict === 'fail');
  if (failed.length > 0) return { verdict: 'roll-back', sentence: `The candidate fails ${named(failed)}.`, criteria };
  const open = criteria.filter((criterion) => criterion.verdict === 'inconclusive' && !isGoodSoFar(criterion));
  const seen = counted(sides.candidate.length, 'probe');
  if (open.length > 0) return { verdict: 'more', sentence: `After ${seen} it can't be told yet (${named(open)}).`, criteria };
  if (!isLook) return { verdict: 'more', sentence: `${seen} of the candidate, and no rule is broken so far.`, criteria };
  return { verdict: 'advance', sentence: `${seen} of the candidate, and no rule is broken.`, criteria };
}

/** What came with the share must not be thinned by what came before: success is judged of this stage by itself, too. */
function judgeStage(
  { baseline, candidate }: { readonly baseline: readonly Episode[]; readonly candidate: readonly Episode[] },
  policy: Policy,
  { earlier, ...options }: Omit<StageOptions, 'isLook'>,
): Criterion[] {
  if (earlier === 0) return [];
  const { criteria } = judgeCriteria(OF_A_STAGE, { baseline, candidate: candidate.slice(earlier) }, policy, options);
  // The baseline has episodes of all stages: that this one has fewer says nothing.
  const telling = criteria.filter(({ criterion, verdict }) => criterion === 'success' || verdict === 'fail');
  return telling.map((criterion) => ({ ...criterion, sentence: `In this stage alone: ${criterion.sentence}` }));
}

function isGoodSoFar({ criterion, numbers }: Criterion): boolean {
  const { estimate, limit } = numbers;
  return criterion === 'latency-tail' && estimate !== undefined && limit !== undefined && estimate <= limit;
}
