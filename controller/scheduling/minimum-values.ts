import type { PoolRequirement } from '../api.ts';
import type { Labels } from '../../model/selector.ts';

/** By label: the minimum number of values that a launch must offer. */
export type MinimumValues = ReadonlyMap<string, number>;

/** A label with too few values left. */
interface Shortfall {
  readonly key: string;
  readonly least: number;
  readonly found: number;
}

/** The minimum values of a pool or claim; the largest if a label has several. */
export function minimumsOf(requirements: readonly PoolRequirement[]): MinimumValues {
  const minimums = new Map<string, number>();
  for (const { key, minValues = 0 } of requirements) {
    if (minValues > 1) minimums.set(key, Math.max(minValues, minimums.get(key) ?? 0));
  }
  return minimums;
}

/** The first label with too few values; undefined if all have enough. */
export function findShortfall(minimums: MinimumValues, choice: Iterable<{ readonly labels: Labels }>): Shortfall | undefined {
  if (minimums.size === 0) return undefined;
  const all = [...choice];
  for (const [key, least] of minimums) {
    const found = new Set(all.flatMap(({ labels }) => labels[key] ?? [])).size;
    if (found < least) return { key, least, found };
  }
  return undefined;
}

/** The text for messages. */
export function describeShortfall({ key, least, found }: Shortfall): string {
  return `minValues: ${least} values of ${key} are demanded, ${found} would be left`;
}

/**
 * As many of the items as there is room for, in order, but those that a minimum needs first.
 * @param labelsOf the labels of an item
 */
export function chooseKeeping<T>(
  minimums: MinimumValues,
  things: readonly T[],
  room: number,
  labelsOf: (thing: T) => readonly Labels[],
): readonly T[] {
  if (things.length <= room) return things;
  const needed = new Set<T>();
  for (const [key, least] of minimums) {
    const values = new Set([...needed].flatMap((thing) => labelsOf(thing).flatMap((labels) => labels[key] ?? [])));
    for (const thing of things) {
      if (values.size >= least) break;
      const added = labelsOf(thing).flatMap((labels) => labels[key] ?? []);
      if (added.every((value) => values.has(value))) continue;
      for (const value of added) values.add(value);
      needed.add(thing);
    }
  }
  for (const thing of things) if (needed.size < room) needed.add(thing);
  return things.filter((thing) => needed.has(thing)).slice(0, room);
}
