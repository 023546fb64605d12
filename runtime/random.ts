import { createHash } from 'node:crypto';

/**
 * A seeded stream of random numbers. Streams are forked by name, so that a new consumer never shifts the numbers of an old one.
 * The generator (sfc32) is our own ten lines because its bytes are part of every seed's meaning.
 */
export interface Random {
  /** The path of names from the seed, for messages. */
  readonly name: string;
  /** An independent stream: the same name gives the same stream, whatever was drawn before. */
  fork(name: string): Random;
  /** Uniform in [0, 1). */
  next(): number;
  /** Uniform whole number in [min, max], both included. */
  int(min: number, max: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  /** One of the items. @throws RangeError if there are none */
  pick<T>(items: readonly T[]): T;
  /** A shuffled copy. */
  shuffle<T>(items: readonly T[]): T[];
  /** Lower-case hexadecimal digits. */
  hex(digits: number): string;
}

/** The stream of a seed. @param seed any whole number or text */
export function createRandom(seed: number | string): Random {
  return new Sfc32Random(String(seed));
}

class Sfc32Random implements Random {
  readonly name: string;
  #a: number;
  #b: number;
  #c: number;
  #counter: number;

  constructor(name: string) {
    this.name = name;
    const digest = createHash('sha256').update(name).digest();
    this.#a = digest.readInt32LE(0);
    this.#b = digest.readInt32LE(4);
    this.#c = digest.readInt32LE(8);
    this.#counter = digest.readInt32LE(12);
  }

  fork(name: string): Random {
    return new Sfc32Random(`${this.name}/${name}`);
  }

  next(): number {
    return this.#uint32() / 0x1_0000_0000;
  }

  int(min: number, max: number): number {
    if (!(max >= min)) throw new RangeError(`no whole number in [${min}, ${max}]`);
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('nothing to pick from');
    return items[this.int(0, items.length - 1)] as T;
  }

  shuffle<T>(items: readonly T[]): T[] {
    const result = [...items];
    for (let last = result.length - 1; last > 0; last -= 1) {
      const other = this.int(0, last);
      [result[last], result[other]] = [result[other] as T, result[last] as T];
    }
    return result;
  }

  hex(digits: number): string {
    let text = '';
    while (text.length < digits) text += (this.#uint32() >>> 0).toString(16).padStart(8, '0');
    return text.slice(0, digits);
  }

  #uint32(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (this.#c << 21) | (this.#c >>> 11);
    this.#c = (this.#c + sum) | 0;
    return sum >>> 0;
  }
}
