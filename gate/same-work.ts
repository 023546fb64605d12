import type { Episode } from './episode.ts';
import { kindsOf } from './existing.ts';
import type { Comparison } from './sides.ts';

/**
 * Only the episodes that did comparable work: a failed trial may have done less, or more. Of pairs, those whose sides failed in the
 * same ways, or not at all. If unpaired, for each scenario the episodes with the outcome that most episodes of both sides share, so
 * that the sides still cover the same scenarios.
 */
export function sameWork(comparison: Comparison): Comparison {
  const { isPaired, baseline, candidate } = comparison;
  if (isPaired) {
    const isAlike = (_: unknown, index: number): boolean => {
      const [before, after] = [baseline[index], candidate[index]];
      return before !== undefined && after !== undefined && outcomeOf(before) === outcomeOf(after);
    };
    return { ...comparison, baseline: baseline.filter(isAlike), candidate: candidate.filter(isAlike) };
  }
  const shared = sharedOutcomes(baseline, candidate);
  const isShared = (episode: Episode): boolean => shared.get(episode.scenario) === outcomeOf(episode);
  return { ...comparison, baseline: baseline.filter(isShared), candidate: candidate.filter(isShared) };
}

/** For each scenario the outcome that most episodes of both sides have. A scenario without a common one is absent. */
function sharedOutcomes(baseline: readonly Episode[], candidate: readonly Episode[]): Map<string, string> {
  const theirs = Map.groupBy(candidate, ({ scenario }) => scenario);
  const shared = new Map<string, string>();
  for (const [scenario, episodes] of Map.groupBy(baseline, (episode) => episode.scenario)) {
    const [before, after] = [countOutcomes(episodes), countOutcomes(theirs.get(scenario) ?? [])];
    const [best] = [...before.keys()]
      .map((outcome) => ({ outcome, count: Math.min(before.get(outcome) ?? 0, after.get(outcome) ?? 0) }))
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count || (a.outcome < b.outcome ? -1 : 1));
    if (best !== undefined) shared.set(scenario, best.outcome);
  }
  return shared;
}

function countOutcomes(episodes: readonly Episode[]): Map<string, number> {
  return new Map([...Map.groupBy(episodes, outcomeOf)].map(([outcome, of]) => [outcome, of.length]));
}

/** The ways in which an episode failed; empty if it did not. */
function outcomeOf(episode: Episode): string {
  return [...kindsOf(episode)].sort().join(' ');
}
