import type { InstanceType, Pool } from './catalogue.ts';
import { typeLabels } from './instance-labels.ts';
import { parseRequirements, permits } from './requirements.ts';

/** One or two types of every kind. Some are cheaper than those that most pools allow, so buying one shows that a pool was ignored. */
const ALWAYS_INCLUDED: ReadonlySet<string> = new Set([
  ...['m6i', 'm7i', 'm6a', 'c6i', 'm6g'].flatMap((family) => ['large', 'xlarge', '2xlarge'].map((size) => `${family}.${size}`)),
  ...['t3.medium', 'r5.large', 'm7g.large', 'g4dn.xlarge', 'c5.metal'],
]);

/** What a pool gets that allows more than MAX_TYPES_OF_POOL types: families and sizes that most clusters use. */
const COMMON: ReadonlySet<string> = new Set([
  ...['m5', 'm5a', 'm5n', 'm6a', 'm6g', 'm6i', 'm7a', 'm7g', 'm7i', 'c5', 'c6g', 'c6i', 'c7g', 'c7i', 'r5', 'r6a', 'r6i', 'r7a'].flatMap(
    (family) => ['large', 'xlarge', '2xlarge', '4xlarge'].map((size) => `${family}.${size}`),
  ),
]);

/** A pool that allows at most this many types gets all of them. */
const MAX_TYPES_OF_POOL = 64;

/**
 * The types of a small region: those that pools allow, and some of each kind. For targets that spend much time on every type,
 * whatever their pools allow. For a pool that allows more than 64 types only the common ones are taken.
 */
export function typesOfRegion(types: Iterable<InstanceType>, pools: readonly Pick<Pool, 'requirements'>[]): InstanceType[] {
  const all = [...types].map((type) => ({ type, labels: typeLabels(type) }));
  const names = new Set(ALWAYS_INCLUDED);
  for (const { requirements } of pools) {
    const required = parseRequirements(requirements);
    const allowed = all
      // Pools also select by other labels, such as zones and their own: types don't have those.
      .filter(({ labels }) => Object.entries(labels).every(([key, value]) => permits(required, key, value)))
      .map(({ type }) => type.type);
    const common = allowed.filter((name) => COMMON.has(name));
    for (const name of allowed.length > MAX_TYPES_OF_POOL && common.length > 0 ? common : allowed) names.add(name);
  }
  return all.filter(({ type }) => names.has(type.type)).map(({ type }) => type);
}
