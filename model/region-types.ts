import type { InstanceType, Pool } from './catalogue.ts';
import { typeLabels } from './instance-labels.ts';
import { allows, parseRequirements } from './requirements.ts';
import type { Requirements } from './requirements.ts';

/** One or two types of every kind. Some are cheaper than those that most pools allow: who buys one of them has not heeded its pool. */
const SOME_OF_EACH: ReadonlySet<string> = new Set([
  ...['m6i', 'm7i', 'm6a', 'c6i', 'm6g'].flatMap((family) => ['large', 'xlarge', '2xlarge'].map((size) => `${family}.${size}`)),
  ...['t3.medium', 'r5.large', 'm7g.large', 'g4dn.xlarge', 'c5.metal'],
]);

/** What a pool is offered that allows so many types that it doesn't matter which: families and sizes that most clusters are made of. */
const COMMON: ReadonlySet<string> = new Set([
  ...['m5', 'm5a', 'm5n', 'm6a', 'm6g', 'm6i', 'm7a', 'm7g', 'm7i', 'c5', 'c6g', 'c6i', 'c7g', 'c7i', 'r5', 'r6a', 'r6i', 'r7a'].flatMap(
    (family) => ['large', 'xlarge', '2xlarge', '4xlarge'].map((size) => `${family}.${size}`),
  ),
]);

/** A pool that allows no more types than this finds all of them. */
const MOST_OF_A_POOL = 64;

function isAllowed(required: Requirements, key: string, value: string): boolean {
  const set = required.get(key);
  return set === undefined || allows(set, value);
}

/**
 * The types of a small region: those that pools allow, and some of each kind. For targets that compute long on every type, whatever
 * their pools allow. Of a pool that allows more than 64 types the common ones are taken.
 */
export function typesOfRegion(types: Iterable<InstanceType>, pools: readonly Pick<Pool, 'requirements'>[]): InstanceType[] {
  const all = [...types].map((type) => ({ type, labels: typeLabels(type) }));
  const names = new Set(SOME_OF_EACH);
  for (const { requirements } of pools) {
    const required = parseRequirements(requirements);
    const allowed = all
      // Pools ask for other labels, too, such as zones and their own: types say nothing of those.
      .filter(({ labels }) => Object.entries(labels).every(([key, value]) => isAllowed(required, key, value)))
      .map(({ type }) => type.type);
    const common = allowed.filter((name) => COMMON.has(name));
    for (const name of allowed.length > MOST_OF_A_POOL && common.length > 0 ? common : allowed) names.add(name);
  }
  return all.filter(({ type }) => names.has(type.type)).map(({ type }) => type);
}
