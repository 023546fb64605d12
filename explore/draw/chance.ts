import type { Random } from '../../runtime/random.ts';

/** Some of the items, at least one, in their order; a few are likelier than many. */
export function someOf<T>(random: Random, items: readonly T[]): T[] {
  const wanted = new Set(random.shuffle(items.map((_item, index) => index)).slice(0, few(random, items.length)));
  return items.filter((_item, index) => wanted.has(index));
}

/** A whole number from 1 to `most`, each half as likely as the one before. */
export function few(random: Random, most: number): number {
  let amount = 1;
  while (amount < most && random.chance(0.5)) amount += 1;
  return amount;
}

/** One of the items, each as likely as its weight. */
export function weighted<T>(random: Random, items: readonly (readonly [weight: number, item: T])[]): T {
  const total = items.reduce((sum, [weight]) => sum + weight, 0);
  let left = random.next() * total;
  for (const [weight, item] of items) {
    left -= weight;
    if (left < 0) return item;
  }
  return random.pick(items)[1];
}

/** A value with this chance, otherwise undefined. */
export function maybe<T>(random: Random, chance: number, make: () => T): T | undefined {
  return random.chance(chance) ? make() : undefined;
}
