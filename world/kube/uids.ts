import type { Random } from '../../runtime/random.ts';

/** A UUID of version 4, from the seed. */
export function newUid(random: Random): string {
  const digits = random.hex(32);
  const variant = '89ab'[Number.parseInt(digits.charAt(16), 16) % 4];
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`, `${variant}${digits.slice(17, 20)}`];
  return [...parts, digits.slice(20)].join('-');
}
