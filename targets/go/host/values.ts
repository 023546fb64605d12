import type { GoMemory } from './memory.ts';

/** The upper half of a NaN: such floats carry the number of a value in their lower half. */
const NAN_HEAD = 0x7ff8_0000;
/** The kind of value, in the lowest bits of the upper half: Go gets the type without calling the host. */
const TYPE_FLAG = { object: 1, string: 2, symbol: 3, function: 4 } as const;
/** A table as data: `named` describes each value. */
export interface ValueTableImage<T> {
  readonly values: readonly { readonly number: number; readonly references: number; readonly named: T }[];
  readonly free: readonly number[];
}

/** The values with fixed numbers: NaN, 0, null, true, false, the global object, the host's own. */
const FIXED_VALUES = 7;

/**
 * The JavaScript values that a Go program holds, by their numbers, with reference counts.
 * Source of the numbers and the encoding: `syscall/js` of Go's standard library (js.go).
 */
export class ValueTable {
  readonly #values: unknown[];
  readonly #references: number[];
  readonly #numbers: Map<unknown, number>;
  readonly #free: number[] = [];

  constructor(globalObject: object, host: object) {
    this.#values = [NaN, 0, null, true, false, globalObject, host];
    this.#references = this.#values.map(() => Infinity);
    this.#numbers = new Map(this.#values.map((value, number) => [value, number]));
  }

  /** @param nameOf describes a value so that `valueOf` of `restore` finds it */
  image<T>(nameOf: (value: unknown) => T): ValueTableImage<T> {
    const numbers = [...this.#numbers.values()].filter((number) => number >= FIXED_VALUES).sort((a, b) => a - b);
    return {
      values: numbers.map((number) => ({ number, references: this.#references[number] ?? 0, named: nameOf(this.#values[number]) })),
      free: [...this.#free],
    };
  }

  /** Fills a new table like another one. */
  restore<T>({ values, free }: ValueTableImage<T>, valueOf: (named: T) => unknown): void {
    for (const { number, references, named } of values) {
      const value = valueOf(named);
      this.#values[number] = value;
      this.#references[number] = references;
      this.#numbers.set(value, number);
    }
    for (const number of free) this.#values[number] = null;
    this.#free.push(...free);
  }

  load(memory: GoMemory, address: number): unknown {
    const float = memory.getFloat64(address);
    if (float === 0) return undefined;
    return Number.isNaN(float) ? this.#values[memory.getUint32(address)] : float;
  }

  /** Counts as a reference of the program. */
  store(memory: GoMemory, address: number, value: unknown): void {
    if (value === undefined) {
      memory.setFloat64(address, 0);
      return;
    }
    if (typeof value === 'number' && value !== 0 && !Number.isNaN(value)) {
      memory.setFloat64(address, value);
      return;
    }
    const number = this.#numberOf(value);
    this.#references[number] = (this.#references[number] ?? 0) + 1;
    memory.setUint32(address, number);
    memory.setUint32(address + 4, NAN_HEAD + flagOf(value));
  }

  /** The program has dropped a reference. */
  release(number: number): void {
    const left = (this.#references[number] ?? 0) - 1;
    this.#references[number] = left;
    if (left > 0) return;
    this.#numbers.delete(this.#values[number]);
    this.#values[number] = null;
    this.#free.push(number);
  }

  #numberOf(value: unknown): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    const number = this.#free.pop() ?? this.#values.length;
    this.#values[number] = value;
    this.#references[number] = 0;
    this.#numbers.set(value, number);
    return number;
  }
}

function flagOf(value: unknown): number {
  switch (typeof value) {
    case 'object':
      return value === null ? 0 : TYPE_FLAG.object;
    case 'string':
      return TYPE_FLAG.string;
    case 'symbol':
      return TYPE_FLAG.symbol;
    case 'function':
      return TYPE_FLAG.function;
    default:
      return 0;
  }
}
