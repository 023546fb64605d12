import { judgeCriteria } from './decide.ts';
import type { GateOptions } from './decide.ts';
import type { Episode } from './episode.ts';
import type { Policy } from './policy.ts';
import { distinct } from './sides.ts';
import type { Criterion, CriterionName } from './verdict.ts';
import { counted } from './wording.ts';

/** The criteria of a canary's stage. The gate judges cost, requests and small shifts, before anything is rolled out. */
const AT_ONCE: readonly CriterionName[] = ['invariants', 'leaks', 'known-trials', 'success', 'scenarios'];
/** Also judged for the stage's own probes alone. */
const OF_A_STAGE: readonly CriterionName[] = ['success', 'scenarios'];
/** Judged only at planned looks: its error rate is split among them, and would grow with more looks. */
const AT_LOOKS: readonly CriterionName[] = ['latency-tail'];

/** `more`: undecided, more probes are needed. */
export type StageVerdict = 'advance' | 'roll-back' | 'more';

export interface StageDecision {
  readonly verdict: StageVerdict;
  /** The reason, for a platform engineer. It may contain names from a cluster: escape it. */
  readonly sentence: string;
  readonly criteria: readonly Criterion[];
}

export interface StageOptions extends GateOptions {
  /** Whether the stage has reached one of its planned sizes: only then it can advance, and the tail is judged. */
  readonly isLook: boolean;
  /** How many of the candidate's first episodes belong to earlier stages. */
  readonly earlier: number;
}

/**
 * Whether the candidate keeps its share and gets the next one. All probes so far count, in all stages, which shows rare failures.
 * The stage's own probes count separately, which shows failures that come with the larger share. Both have to be good.
 *
 * The tail can stop a canary, but does not have to be decided to advance: the 99th percentile needs 368 episodes, more than a stage
 * has. If it is slower than the limit, but perhaps by chance, more probes are needed; if it is significantly slower, it rolls back.
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
  const named = (some: readonly Criterion[]): string => [...new Set(some.map(({ criterion }) => criterion))].join(', ');
  const failed = criteria.filter(({ verdict }) => verdict === 'fail');
  if (failed.length > 0) return { verdict: 'roll-back', sentence: `The candidate fails ${named(failed)}.`, criteria };
  const open = criteria.filter((criterion) => criterion.verdict === 'inconclusive' && !isGoodSoFar(criterion));
  const seen = counted(sides.candidate.length, 'probe');
  if (open.length > 0) return { verdict: 'more', sentence: `After ${seen} there is no decision yet (${named(open)}).`, criteria };
  if (!isLook) return { verdict: 'more', sentence: `${seen} of the candidate, and no rule is broken so far.`, criteria };
  return { verdict: 'advance', sentence: `${seen} of the candidate, and no rule is broken.`, criteria };
}

/** Earlier stages must not dilute failures that come with the larger share, so success is also judged for this stage alone. */
function judgeStage(
  { baseline, candidate }: { readonly baseline: readonly Episode[]; readonly candidate: readonly Episode[] },
  policy: Policy,
  { earlier, ...options }: Omit<StageOptions, 'isLook'>,
): Criterion[] {
  if (earlier === 0) return [];
  const { criteria } = judgeCriteria(OF_A_STAGE, { baseline, candidate: candidate.slice(earlier) }, policy, options);
  // The baseline has episodes of all stages, so it is not a finding that the candidate has fewer in this one.
  const telling = criteria.filter(({ criterion, verdict }) => criterion === 'success' || verdict === 'fail');
  return telling.map((criterion) => ({ ...criterion, sentence: `In this stage alone: ${criterion.sentence}` }));
}

function isGoodSoFar({ criterion, numbers }: Criterion): boolean {
  const { estimate, limit } = numbers;
  return criterion === 'latency-tail' && estimate !== undefined && limit !== undefined && estimate <= limit;
}
