import type { Episode } from '../../gate/episode.ts';
import { outcomeOf } from '../../gate/episodes-of.ts';
import type { GateStop } from '../../gate/outcome.ts';
import type { Policy } from '../../gate/policy.ts';
import { settledCriteria } from '../../gate/settled.ts';
import type { EpisodeOutcome } from '../../gate/settled.ts';
import { keyOf } from '../../gate/sides.ts';
import type { CriterionName } from '../../gate/verdict.ts';
import type { Review, SideTrial } from '../compare/review.ts';

/** After each this many pairs a gate looks whether further ones can change its decision. */
const PAIRS_PER_REVIEW = 10;

/** Ends the trials of a gate when its decision is certain. */
export interface EarlyStop extends Review {
  /** The criteria that made it certain; empty as long as it is not. */
  readonly criteria: CriterionName[];
}

/**
 * @param letter the candidate's
 * @param known the candidate's episodes that exist already. A trial replaces the one of the same scenario and seed
 */
export function earlyStop(letter: string, known: ReadonlyMap<string, Episode>, policy: Policy): EarlyStop {
  let criteria: CriterionName[] = [];
  const isCandidates = (one: SideTrial): boolean => one.letter === letter;
  return {
    every: PAIRS_PER_REVIEW,
    whyOver: (ended, left) => {
      const outcomes = new Map<string, EpisodeOutcome>(known);
      const open = left.filter(isCandidates);
      for (const one of [...ended.filter(isCandidates), ...open]) outcomes.delete(trialKey(one));
      for (const one of ended.filter(isCandidates)) if (one.result !== undefined) outcomes.set(trialKey(one), outcomeOf(one.result));
      criteria = settledCriteria([...outcomes.values()], open.length, policy);
      return criteria.length === 0 ? undefined : `the gate had ended: the candidate was certain to fail ${criteria.join(', ')}`;
    },
    get criteria() {
      return criteria;
    },
  };
}

/**
 * How a gate ended early. Every trial of the decision counts, also those of earlier looks and those of the state directory.
 * @param left the trials that the review left out. Those that were known already still count
 * @param counting the episodes of the decision, by the letter of their side
 */
export function stopOf(
  criteria: readonly CriterionName[],
  left: readonly SideTrial[],
  counting: ReadonlyMap<string, readonly Episode[]>,
): GateStop {
  const known = new Set([...counting].flatMap(([letter, episodes]) => episodes.map((episode) => `${letter} ${keyOf(episode)}`)));
  const saved = left.filter((one) => !known.has(`${one.letter} ${trialKey(one)}`)).length;
  return { criteria: [...criteria], trials: { run: known.size, planned: known.size + saved } };
}

/** Scenario and seed of a trial, as {@link keyOf} an episode. */
export function trialKey({ trial: { scenario, seed } }: SideTrial): string {
  return keyOf({ scenario: scenario.id, seed });
}
