import type { Episode, Violation } from './episode.ts';
import { isKnown, trialsOf } from './sides.ts';

/** Pods of a scenario were not served. */
export const NOT_SERVED = 'not-served';

/** How a scenario fails with the baseline already. Leaks are not included, since none is accepted. */
interface ExistingInScenario {
  /** `CHECK/CODE`, and {@link NOT_SERVED}. */
  readonly kinds: ReadonlySet<string>;
  /** The largest share of pods that an episode left unserved, 0 to 1. */
  readonly unservedShare: number;
}

/** Failures of the baseline, by scenario. */
export type ExistingFailures = ReadonlyMap<string, ExistingInScenario>;

export function kindOf({ check, code }: Violation): string {
  return `${check}/${code}`;
}

/** The kinds of failure in an episode. Even one without a verdict can have violations, which count. */
export function kindsOf(episode: Episode): Set<string> {
  return new Set([...episode.violations.map(kindOf), ...(leavesPodsUnserved(episode) ? [NOT_SERVED] : [])]);
}

export function leavesPodsUnserved(episode: Episode): boolean {
  return trialsOf([episode]).failed.length > 0;
}

/**
 * The failures in a baseline's episodes with a verdict.
 * @param baseline episodes of any seeds: a failure that depends on chance may occur with another seed
 */
export function existingFailures(baseline: readonly Episode[]): ExistingFailures {
  const byScenario = Map.groupBy(baseline.filter(isKnown), ({ scenario }) => scenario);
  return new Map(
    [...byScenario].map(([scenario, episodes]) => [
      scenario,
      {
        kinds: new Set(episodes.flatMap((episode) => [...kindsOf(episode)])),
        unservedShare: Math.max(...episodes.map(unservedShareOf)),
      },
    ]),
  );
}

/** Episodes with only their new failures. Leaving more pods unserved than any episode of the baseline is still a failure. */
export function withoutExisting(episodes: readonly Episode[], existing: ExistingFailures): Episode[] {
  return episodes.map((episode) => {
    const known = existing.get(episode.scenario);
    if (known === undefined) return episode;
    const isAsUnserved = leavesPodsUnserved(episode) && unservedShareOf(episode) <= known.unservedShare;
    return {
      ...episode,
      violations: episode.violations.filter((violation) => !known.kinds.has(kindOf(violation))),
      // Does not count for the success rate.
      ...(isAsUnserved && { success: { served: 0, asked: 0 } }),
    };
  });
}

function unservedShareOf({ success: { served, asked } }: Episode): number {
  return asked === 0 ? 0 : 1 - served / asked;
}
