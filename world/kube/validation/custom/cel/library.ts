import { Environment } from '@marcbachmann/cel-js';
import { SYNC, fail } from './functions.ts';
import { registerMacros } from './macros.ts';
import { registerFormats } from './named-formats.ts';
import { registerAddresses, registerUrls } from './network.ts';
import { registerPatterns } from './patterns.ts';
import { registerQuantities } from './quantities.ts';
import { sameValue } from './values.ts';

/**
 * The functions of Kubernetes 1.34 that the library does not have (`apiserver/pkg/cel/environment/base.go`). Not implemented:
 * semantic versions, macros with two variables, `strings.quote`, and some functions for addresses and formats. A rule that calls one
 * does not compile.
 */
export function kubernetesEnvironment(): Environment {
  const env = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false });
  registerMacros(env);
  registerPatterns(env);
  registerConversions(env);
  registerText(env);
  registerLists(env);
  registerSets(env);
  registerQuantities(env);
  registerUrls(env);
  registerAddresses(env);
  registerFormats(env);
  return env;
}

const MAX_INT = 2n ** 63n - 1n;
const MIN_INT = -(2n ** 63n);
const TIMESTAMP = 'google.protobuf.Timestamp';

/** Conversions that the library lacks, or that accept more than Go's. */
function registerConversions(env: Environment): void {
  const fromText = (text: string): bigint => {
    const value = /^[+-]?\d+$/.test(text) ? BigInt(text.replace(/^\+/, '')) : undefined;
    return value === undefined || value > MAX_INT || value < MIN_INT ? fail("type conversion error from 'string' to 'int'") : value;
  };
  const fromDouble = (value: number): bigint => (Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : fail('integer overflow'));
  env
    .registerFunction('iNt(int): int', (value: bigint) => value, SYNC)
    .registerFunction('iNt(uint): int', (value: { valueOf(): bigint }) => value.valueOf(), SYNC)
    .registerFunction('iNt(double): int', fromDouble, SYNC)
    .registerFunction('iNt(string): int', fromText, SYNC)
    .registerFunction(`iNt(${TIMESTAMP}): int`, (time: Date) => BigInt(Math.floor(time.getTime() / 1000)), SYNC)
    .registerFunction(`string(${TIMESTAMP}): string`, (time: Date) => time.toISOString().replace(/\.?0*Z$/, 'Z'), SYNC)
    .registerFunction('string(google.protobuf.Duration): string', String, SYNC)
    .registerFunction(`timestamp(${TIMESTAMP}): ${TIMESTAMP}`, (time: Date) => time, SYNC)
    .registerFunction('duration(google.protobuf.Duration): google.protobuf.Duration', (duration: unknown) => duration, SYNC);
}

/** Functions of cel-go's strings extension that the library lacks. */
function registerText(env: Environment): void {
  const replace = (text: string, from: string, to: string, times: bigint): string => {
    if (times < 0n) return text.replaceAll(from, () => to);
    const parts = text.split(from);
    const replaced = Math.min(Number(times), parts.length - 1);
    return [parts.slice(0, replaced + 1).join(to), ...parts.slice(replaced + 1)].join(from);
  };
  const charAt = (text: string, index: bigint): string => {
    const characters = [...text];
    if (index < 0n || index > BigInt(characters.length)) return fail(`index out of range: ${index}`);
    return characters[Number(index)] ?? '';
  };
  env
    .registerFunction(
      'string.replace(string, string): string',
      (text: string, from: string, to: string) => replace(text, from, to, -1n),
      SYNC,
    )
    .registerFunction('string.replace(string, string, int): string', replace, SYNC)
    .registerFunction('string.charAt(int): string', charAt, SYNC)
    .registerFunction('string.format(list): string', format, SYNC);
}

/** As cel-go's `format`. @throws EvaluationError for an unknown clause or a missing argument */
function format(template: string, values: readonly unknown[]): string {
  let next = 0;
  return template.replaceAll(/%(?:\.(\d+))?(.)?/g, (clause, precision: string | undefined, kind: string | undefined) => {
    if (kind === '%') return '%';
    const value = next < values.length ? values[next] : fail(`index ${next} out of range`);
    next += 1;
    const number = Number(value);
    const digits = precision === undefined ? 6 : Number(precision);
    switch (kind) {
      case 's':
        return shown(value);
      case 'd':
        return typeof value === 'bigint' ? String(value) : fail(`decimal clause can only be used on integers`);
      case 'f':
        return number.toFixed(digits);
      case 'e':
        return number.toExponential(digits).replace(/e([+-])(\d)$/, 'e$10$2');
      case 'b':
        return typeof value === 'bigint' || typeof value === 'boolean' ? BigInt(value).toString(2) : fail('binary clause needs an integer');
      case 'o':
        return typeof value === 'bigint' ? value.toString(8) : fail('octal clause can only be used on integers');
      case 'x':
      case 'X': {
        const hex = typeof value === 'bigint' ? value.toString(16) : Buffer.from(String(value)).toString('hex');
        return kind === 'X' ? hex.toUpperCase() : hex;
      }
      default:
        return fail(`could not parse formatting clause: unrecognized formatting clause "${kind ?? clause}"`);
    }
  });
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`;
  if (value instanceof Map) {
    const entries = [...value.entries()].map(([key, one]) => `${shown(key)}: ${shown(one)}`);
    return `{${entries.sort().join(', ')}}`;
  }
  return value instanceof Date ? value.toISOString().replace(/\.?0*Z$/, 'Z') : String(value);
}

type Ordered = bigint | number | string | boolean;

/** `apiserver/pkg/cel/library/lists.go` */
function registerLists(env: Environment): void {
  const sum = (values: readonly (bigint | number)[], zero: bigint | number): bigint | number =>
    values.reduce<bigint | number>((total, value) => (typeof total === 'bigint' ? total + BigInt(value) : total + Number(value)), zero);
  const extreme =
    (name: string, better: (a: Ordered, b: Ordered) => boolean) =>
    (values: readonly Ordered[]): Ordered =>
      values.length === 0 ? fail(`${name} called on empty list`) : values.reduce((best, value) => (better(value, best) ? value : best));
  const index = (position: number): bigint => BigInt(position);
  env
    .registerFunction(
      'list<T>.isSorted(): bool',
      (values: readonly Ordered[]) => values.every((value, at) => at === 0 || (values[at - 1] ?? value) <= value),
      SYNC,
    )
    .registerFunction('list<int>.sum(): int', (values: readonly bigint[]) => sum(values, 0n), SYNC)
    .registerFunction('list<double>.sum(): double', (values: readonly number[]) => sum(values, 0), SYNC)
    .registerFunction(
      'list<T>.min(): T',
      extreme('min', (a, b) => a < b),
      SYNC,
    )
    .registerFunction(
      'list<T>.max(): T',
      extreme('max', (a, b) => a > b),
      SYNC,
    )
    .registerFunction(
      'list<T>.indexOf(T): int',
      (values: readonly unknown[], value: unknown) => index(values.findIndex((one) => sameValue(one, value))),
      SYNC,
    )
    .registerFunction(
      'list<T>.lastIndexOf(T): int',
      (values: readonly unknown[], value: unknown) => index(values.findLastIndex((one) => sameValue(one, value))),
      SYNC,
    );
}

class Sets {}

/** cel-go's `ext.Sets` */
function registerSets(env: Environment): void {
  type List = readonly unknown[];
  const contains = (list: List, part: List): boolean => part.every((item) => list.some((other) => sameValue(item, other)));
  env
    .registerType('Sets', Sets)
    .registerConstant('sets', 'Sets', new Sets())
    .registerFunction('Sets.contains(list, list): bool', (_: Sets, a: List, b: List) => contains(a, b), SYNC)
    .registerFunction('Sets.equivalent(list, list): bool', (_: Sets, a: List, b: List) => contains(a, b) && contains(b, a), SYNC)
    .registerFunction('Sets.intersects(list, list): bool', (_: Sets, a: List, b: List) => a.some((item) => contains(b, [item])), SYNC);
}
