import type { Episode } from './episode.ts';
import type { Policy } from './policy.ts';
import { trialsOf } from './sides.ts';
import { sequentialTest } from './statistics/sequential.ts';
import type { CriterionName } from './verdict.ts';

/** What a trial's judgement says at once. The rest of an episode is measured later. */
export type EpisodeOutcome = Pick<Episode, 'verdict' | 'violations' | 'success' | 'instances'>;

/** What the criteria that can settle a gate know. */
interface Seen {
  /** The candidate's episodes so far. */
  readonly candidate: readonly EpisodeOutcome[];
  /** How many of its trials are still to come until the next look. */
  readonly left: number;
  readonly policy: Policy;
}

/**
 * Whether a criterion fails now and at the next look, whatever the trials in between show. Each entry needs a proof: a test
 * continues gates at random. Criteria without one can still change, mostly because they compare the candidate with a baseline whose
 * trials go on, too.
 */
const SETTLED: Readonly<Partial<Record<CriterionName, (seen: Seen) => boolean>>> = {
  // One violation is enough, unless the baseline may show the same later and the policy then accepts it.
  invariants: ({ candidate, policy }) => policy.existing.failures === 'reject' && candidate.some(({ violations }) => violations.length > 0),
  // One leak is enough, and leaks are never accepted.
  leaks: ({ candidate }) => candidate.some(({ instances }) => instances.leaked > 0),
  // Successes count against a rejection and failures for it, so the best that can happen is that all trials that are left succeed.
  success: ({ candidate, left, policy }) => {
    if (policy.existing.failures === 'accept') return false;
    const { trials, failed } = trialsOf(candidate);
    return sequentialTest(policy.success, trials.length - failed.length + left, failed.length).verdict === 'reject';
  },
};

/**
 * The criteria by which a gate is certain to reject at its next look, whatever the trials until then show. If there is one, no
 * further trial is needed: the decision stays the same.
 * @param candidate its distinct episodes so far
 * @param left how many of the candidate's trials are still to come until the next look
 */
export function settledCriteria(candidate: readonly EpisodeOutcome[], left: number, policy: Policy): CriterionName[] {
  const seen = { candidate, left, policy };
  return (Object.keys(SETTLED) as CriterionName[]).filter((criterion) => SETTLED[criterion]?.(seen) === true);
}
