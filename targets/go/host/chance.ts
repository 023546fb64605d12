import type { Random } from '../../../runtime/random.ts';

/** Fills bytes with random values, like `crypto.getRandomValues`. */
export function fillerOf(random: Random): (bytes: Uint8Array) => void {
  return (bytes) => {
    for (let index = 0; index < bytes.length; index += 1) bytes[index] = random.int(0, 255);
  };
}
