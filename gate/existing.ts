import type { Episode, Violation } from './episode.ts';
import { isKnown, trialsOf } from './sides.ts';

/** Pods of a scenario were not served. */
export const NOT_SERVED = 'not-served';

/** How one scenario fails with the baseline already. Leaks are not among it: no leak is accepted. */
interface ExistingInScenario {
  /** `CHECK/CODE`, and {@link NOT_SERVED}. */
  readonly kinds: ReadonlySet<string>;
  /** The largest share of pods that an episode left unserved, 0 to 1. */
  readonly unservedShare: number;
}

/** What fails with the baseline already, by scenario. */
export type ExistingFailures = ReadonlyMap<string, ExistingInScenario>;

export function kindOf({ check, code }: Violation): string {
  return `${check}/${code}`;
}

/** In what ways an episode failed. One without a verdict can still have violations: they stand. */
export function kindsOf(episode: Episode): Set<string> {
  return new Set([...episode.violations.map(kindOf), ...(leavesPodsUnserved(episode) ? [NOT_SERVED] : [])]);
}

export function leavesPodsUnserved(episode: Episode): boolean {
  return trialsOf([episode]).failed.length > 0;
}

/**
 * What the episodes of a baseline with a verdict failed by.
 * @param baseline episodes of any seeds: a failure that depends on chance need not come with the same seed
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

/** Episodes with only what is new in them. One that leaves more pods unserved than any of the baseline's is a failure as before. */
export function withoutExisting(episodes: readonly Episode[], existing: ExistingFailures): Episode[] {
  return episodes.map((episode) => {
    const known = existing.get(episode.scenario);
    if (known === undefined) return episode;
    const isAsUnserved = leavesPodsUnserved(episode) && unservedShareOf(episode) <= known.unservedShare;
    return {
      ...episode,
      violations: episode.violations.filter((violation) => !known.kinds.has(kindOf(violation))),
      // No trial of the success rate.
      ...(isAsUnserved ? { success: { served: 0, asked: 0 } } : {}),
    };
  });
}

function unservedShareOf({ success: { served, asked } }: Episode): number {
  return asked === 0 ? 0 : 1 - served / asked;
}
