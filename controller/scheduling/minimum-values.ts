import type { PoolRequirement } from '../api.ts';
import type { Labels } from '../../model/selector.ts';

/** By label: of how many values at least a launch must have the choice. */
export type MinimumValues = ReadonlyMap<string, number>;

/** A label of which too few values are left. */
interface Shortfall {
  readonly key: string;
  readonly least: number;
  readonly found: number;
}

/** What a pool or claim demands; the largest where a label has several. */
export function minimumsOf(requirements: readonly PoolRequirement[]): MinimumValues {
  const minimums = new Map<string, number>();
  for (const { key, minValues = 0 } of requirements) {
    if (minValues > 1) minimums.set(key, Math.max(minValues, minimums.get(key) ?? 0));
  }
  return minimums;
}

/** The first label of which the choice has too few values; undefined if it will do. */
export function findShortfall(minimums: MinimumValues, choice: Iterable<{ readonly labels: Labels }>): Shortfall | undefined {
  if (minimums.size === 0) return undefined;
  const all = [...choice];
  for (const [key, least] of minimums) {
    const found = new Set(all.flatMap(({ labels }) => labels[key] ?? [])).size;
    if (found < least) return { key, least, found };
  }
  return undefined;
}

/** As messages have it. */
export function describeShortfall({ key, least, found }: Shortfall): string {
  return `minValues: ${least} values of ${key} are demanded, ${found} would be left`;
}

/**
 * As many of some things, in the order in which they come, as there is room for: those first without which a minimum would not
 * be kept.
 * @param labelsOf the labels of what comes with it
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
