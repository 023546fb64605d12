import { createHash } from 'node:crypto';
import type { Random } from '../../runtime/random.ts';

/** A random UUID. */
export function drawUuid(random: Random): string {
  return [random.hex(8), random.hex(4), `4${random.hex(3)}`, `a${random.hex(3)}`, random.hex(12)].join('-');
}

/** `r-0123456789abcdef0`: a prefix and 17 digits. */
export function drawId(random: Random, prefix: string): string {
  return `${prefix}-0${random.hex(16)}`;
}

/** Digits of a long id after its prefix. Source: "Resource IDs" of the EC2 user guide. */
const ID_LENGTH = 17;

/** The same form of id, for something that belongs to another resource: it follows from that one's id, and is not drawn. */
export function derivedId(prefix: string, from: string): string {
  return `${prefix}-0${digestOf(`${prefix} ${from}`).slice(0, ID_LENGTH - 1)}`;
}

/** 64 hexadecimal digits that follow from a text. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
