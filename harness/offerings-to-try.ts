import type { InstanceType, Pool } from '../model/catalogue.ts';
import { countOfferings } from '../model/offerings.ts';
import type { Target } from '../targets/target.ts';

/**
 * How many offerings a target may have to try for these pools, at most; where its pools are groups, how many groups.
 * @throws Error when the target counts no whole number of groups
 */
export function offeringsToTry(
  { name, countGroups }: Pick<Target, 'name' | 'countGroups'>,
  pools: readonly Pool[],
  types: Iterable<InstanceType>,
): number {
  if (countGroups === undefined) return countOfferings(pools, types);
  const groups: unknown = countGroups(pools);
  if (typeof groups === 'number' && Number.isSafeInteger(groups) && groups >= 0) return groups;
  throw new Error(`target ${name}: countGroups must return a whole number, 0 or more, and returned ${String(groups)}`);
}
