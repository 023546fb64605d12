/** The notation of a quantity, which is kept when it is formatted. */
type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/** A Kubernetes quantity, exact. */
export interface Quantity {
  /** The value in billionths of its unit: the smallest that the API keeps. */
  readonly nanos: bigint;
  readonly format: QuantityFormat;
}

/** A text that is not a quantity. */
export class QuantityError extends Error {
  constructor(text: string) {
    super(
      `${JSON.stringify(text)} is not a quantity: it must be a number with an optional suffix (n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei, or an exponent such as e3)`,
    );
    this.name = 'QuantityError';
  }
}

const QUANTITY = /^([+-]?)(\d+\.?\d*|\.\d+)(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,2}))?$/;
const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const NANOS = 1_000_000_000n;
const NANO_EXPONENT = -9;
/** Quantities are capped at 64 bits, as in the API. */
const LARGEST_NANOS = (2n ** 63n - 1n) * NANOS;

/** Quantities that were read before: a cluster has few, and reads them for each change of a pod or node. */
const KNOWN = new Map<string, Quantity>();
const MOST_KNOWN = 1_000;

/**
 * Parses a quantity like `k8s.io/apimachinery/pkg/api/resource`: fractions of a nano are rounded away from zero, and values
 * that don't fit into 64 bits are capped.
 * @throws QuantityError
 */
export function parseQuantity(text: string): Quantity {
  const known = KNOWN.get(text);
  if (known !== undefined) return known;
  const quantity = readQuantity(text);
  if (KNOWN.size >= MOST_KNOWN) KNOWN.clear();
  KNOWN.set(text, quantity);
  return quantity;
}

function readQuantity(text: string): Quantity {
  const match = QUANTITY.exec(text);
  if (match === null) throw new QuantityError(text);
  const [, sign, digits = '', suffix = '', exponent] = match;
  const binary = suffix.endsWith('i');
  const [whole = '', fraction = ''] = digits.split('.');
  // value = mantissa x scale x 10 ^ power
  const mantissa = BigInt(whole + fraction);
  const scale = binary ? 1024n ** BigInt(BINARY_SUFFIXES.indexOf(suffix)) : 1n;
  const power = (binary ? 0 : exponent === undefined ? exponentOf(suffix) : Number(exponent)) - fraction.length - NANO_EXPONENT;
  const magnitude = power >= 0 ? mantissa * scale * 10n ** BigInt(power) : divideUp(mantissa * scale, 10n ** BigInt(-power));
  const capped = magnitude > LARGEST_NANOS ? LARGEST_NANOS : magnitude;
  return {
    nanos: sign === '-' ? -capped : capped,
    format: binary ? 'BinarySI' : exponent === undefined ? 'DecimalSI' : 'DecimalExponent',
  };
}

/** Whether a text is a quantity. */
export function isQuantity(text: string): boolean {
  return QUANTITY.test(text);
}

function exponentOf(suffix: string): number {
  return 3 * DECIMAL_SUFFIXES.indexOf(suffix) + NANO_EXPONENT;
}

/** Formats a quantity canonically: with the largest suffix that leaves a whole number. */
export function formatQuantity({ nanos, format }: Quantity): string {
  if (format === 'BinarySI' && nanos % NANOS === 0n && abs(nanos) >= 1024n * NANOS) return formatBinary(nanos / NANOS);
  let mantissa = nanos;
  let step = 0;
  while (mantissa !== 0n && mantissa % 1000n === 0n && step < DECIMAL_SUFFIXES.length - 1) {
    mantissa /= 1000n;
    step += 1;
  }
  if (mantissa === 0n) return '0';
  const exponent = 3 * step + NANO_EXPONENT;
  if (format !== 'DecimalExponent') return `${mantissa}${DECIMAL_SUFFIXES[step] ?? ''}`;
  return exponent === 0 ? String(mantissa) : `${mantissa}e${exponent}`;
}

function formatBinary(value: bigint): string {
  let mantissa = value;
  let step = 0;
  while (mantissa % 1024n === 0n && step < BINARY_SUFFIXES.length - 1) {
    mantissa /= 1024n;
    step += 1;
  }
  return `${mantissa}${BINARY_SUFFIXES[step] ?? ''}`;
}

/** A quantity in thousandths of its unit (CPU: millicores), rounded up. @throws QuantityError */
export function toMilli(text: string): number {
  return Number(roundUp(parseQuantity(text).nanos, NANOS / 1000n));
}

/** A quantity in its unit (memory: bytes), rounded up. Exact up to 2^53. @throws QuantityError */
export function toWhole(text: string): number {
  return Number(roundUp(parseQuantity(text).nanos, NANOS));
}

/** Millicores as a quantity, e.g. `1930m`, `2`. @param milli a whole number */
export function formatMilli(milli: number): string {
  return formatQuantity({ nanos: BigInt(milli) * (NANOS / 1000n), format: 'DecimalSI' });
}

/** Bytes as a quantity, e.g. `7Gi`. @param bytes a whole number */
export function formatBytes(bytes: number): string {
  return formatQuantity({ nanos: BigInt(bytes) * NANOS, format: 'BinarySI' });
}

/** Away from zero, as the API's own conversions round. */
function roundUp(nanos: bigint, unit: bigint): bigint {
  return nanos < 0n ? -divideUp(-nanos, unit) : divideUp(nanos, unit);
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}
