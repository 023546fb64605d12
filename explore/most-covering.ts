/** What one trial reached, and what it cost. */
interface Reached {
  readonly coverage: ReadonlySet<string>;
  /** Events in its history. */
  readonly events: number;
}

/** What every trial costs, however short it is: the time in which a trial of the reference has so many events. */
const START_EVENTS = 500;

/**
 * At most `most` of these that together reach many places in little time: always the one next that reaches the most new places for its
 * cost. This is the usual approximation of a smallest set, which can't be computed in reasonable time.
 * @returns all places are reached if `most` allows it; nothing that reaches nothing new
 */
export function mostCovering<T extends Reached>(all: readonly T[], most: number): T[] {
  const reached = new Set<string>();
  const chosen: T[] = [];
  const newsOf = ({ coverage }: T): number => [...coverage].filter((place) => !reached.has(place)).length;
  let left = [...all];
  while (chosen.length < most) {
    left = left.filter((one) => newsOf(one) > 0);
    const [first, ...rest] = left;
    if (first === undefined) break;
    const worthOf = (one: T): number => newsOf(one) / (START_EVENTS + one.events);
    const best = rest.reduce((winner, one) => (worthOf(one) > worthOf(winner) ? one : winner), first);
    chosen.push(best);
    for (const place of best.coverage) reached.add(place);
  }
  return chosen;
}
