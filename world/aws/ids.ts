import type { Random } from '../../runtime/random.ts';

/** A random UUID. */
export function drawUuid(random: Random): string {
  return [random.hex(8), random.hex(4), `4${random.hex(3)}`, `a${random.hex(3)}`, random.hex(12)].join('-');
}

/** `r-0123456789abcdef0`: a prefix and 17 digits. */
export function drawId(random: Random, prefix: string): string {
  return `${prefix}-0${random.hex(16)}`;
}
