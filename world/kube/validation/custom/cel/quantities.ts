import type { Environment } from '@marcbachmann/cel-js';
import { QuantityError, parseQuantity } from '../../../../../model/quantity.ts';
import { SYNC, fail } from './functions.ts';

const NANOS = 1_000_000_000n;
const MAX_INT = 2n ** 63n;

class Quantity {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** `apiserver/pkg/cel/library/quantity.go` */
export function registerQuantities(env: Environment): void {
  const compare = (a: Quantity, b: Quantity): bigint => (a.nanos === b.nanos ? 0n : a.nanos < b.nanos ? -1n : 1n);
  const isInteger = ({ nanos }: Quantity): boolean => nanos % NANOS === 0n && nanos / NANOS < MAX_INT && nanos / NANOS >= -MAX_INT;
  const asInteger = (one: Quantity): bigint => (isInteger(one) ? one.nanos / NANOS : fail('cannot convert value to integer'));
  env
    .registerType('Quantity', Quantity)
    .registerOperator('Quantity == Quantity', (a: Quantity, b: Quantity) => a.nanos === b.nanos)
    .registerFunction('quantity(string): Quantity', (text: string) => new Quantity(read(text) ?? unreadable()), SYNC)
    .registerFunction('isQuantity(string): bool', (text: string) => read(text) !== undefined, SYNC)
    .registerFunction('Quantity.isLessThan(Quantity): bool', (a: Quantity, b: Quantity) => a.nanos < b.nanos, SYNC)
    .registerFunction('Quantity.isGreaterThan(Quantity): bool', (a: Quantity, b: Quantity) => a.nanos > b.nanos, SYNC)
    .registerFunction('Quantity.compareTo(Quantity): int', compare, SYNC)
    .registerFunction('Quantity.sign(): int', (one: Quantity) => compare(one, new Quantity(0n)), SYNC)
    .registerFunction('Quantity.isInteger(): bool', isInteger, SYNC)
    .registerFunction('Quantity.asInteger(): int', asInteger, SYNC)
    .registerFunction('Quantity.asApproximateFloat(): double', ({ nanos }: Quantity) => Number(nanos) / Number(NANOS), SYNC)
    .registerFunction('Quantity.add(Quantity): Quantity', (a: Quantity, b: Quantity) => new Quantity(a.nanos + b.nanos), SYNC)
    .registerFunction('Quantity.add(int): Quantity', (a: Quantity, b: bigint) => new Quantity(a.nanos + b * NANOS), SYNC)
    .registerFunction('Quantity.sub(Quantity): Quantity', (a: Quantity, b: Quantity) => new Quantity(a.nanos - b.nanos), SYNC)
    .registerFunction('Quantity.sub(int): Quantity', (a: Quantity, b: bigint) => new Quantity(a.nanos - b * NANOS), SYNC);
}

function read(text: string): bigint | undefined {
  try {
    return parseQuantity(text).nanos;
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

function unreadable(): never {
  return fail("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}
