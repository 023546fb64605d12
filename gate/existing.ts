import type { Episode, Violation } from './episode.ts';
import { trialsOf } from './sides.ts';

/** Pods of a scenario were not served. */
export const NOT_SERVED = 'not-served';
/** An instance of a scenario leaked. */
export const LEAKED = 'leaked';

/** What fails with the baseline already: kinds of failures by scenario. A kind is `CHECK/CODE`, {@link NOT_SERVED} or {@link LEAKED}. */
export type ExistingFailures = ReadonlyMap<string, ReadonlySet<string>>;

export function kindOf({ check, code }: Violation): string {
  return `${check}/${code}`;
}

/** In what ways an episode failed. One without a verdict can still have violations and leaks: they stand. */
export function kindsOf(episode: Episode): Set<string> {
  return new Set([
    ...episode.violations.map(kindOf),
    ...(episode.instances.leaked > 0 ? [LEAKED] : []),
    ...(trialsOf([episode]).failed.length > 0 ? [NOT_SERVED] : []),
  ]);
}

/** @param baseline episodes of any seeds: a failure that depends on chance need not come with the same seed */
export function existingFailures(baseline: readonly Episode[]): ExistingFailures {
  const byScenario = Map.groupBy(baseline, ({ scenario }) => scenario);
  return new Map(
    [...byScenario]
      .map(([scenario, episodes]) => [scenario, new Set(episodes.flatMap((episode) => [...kindsOf(episode)]))] as const)
      .filter(([, kinds]) => kinds.size > 0),
  );
}

/** Episodes of the candidate with only what is new in them. Pods of a scenario in which the baseline leaves some unserved don't count. */
export function withoutExisting(candidate: readonly Episode[], existing: ExistingFailures): Episode[] {
  return candidate.map((episode) => {
    const known = existing.get(episode.scenario);
    if (known === undefined) return episode;
    return {
      ...episode,
      violations: episode.violations.filter((violation) => !known.has(kindOf(violation))),
      ...(known.has(LEAKED) ? { instances: { ...episode.instances, leaked: 0 } } : {}),
      ...(known.has(NOT_SERVED) ? { success: { served: 0, asked: 0 } } : {}),
    };
  });
}
