import { QuantityError, parseQuantity } from '../../model/quantity.ts';
import { jsonType } from './json.ts';

/** Elements of Go's time layouts, each with the pattern that it matches. */
const CLOCK: readonly (readonly [string, RegExp])[] = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^(0[1-9]|1[0-2])/],
  ['-', /^-/],
  ['02', /^(0[1-9]|[12]\d|3[01])/],
  ['T', /^T/],
  ['15', /^([01]\d|2[0-3])/],
  [':', /^:/],
  ['04', /^[0-5]\d/],
  [':', /^:/],
  ['05', /^[0-5]\d/],
];
const ZONE = ['Z07:00', /^(Z|[+-]\d\d:\d\d)/] as const;
const LAYOUTS: Readonly<Record<string, { readonly text: string; readonly elements: readonly (readonly [string, RegExp])[] }>> = {
  Time: { text: '2006-01-02T15:04:05Z07:00', elements: [...CLOCK, ['', /^([.,]\d+)?/], ZONE] },
  MicroTime: { text: '2006-01-02T15:04:05.000000Z07:00', elements: [...CLOCK, ['.000000', /^\.\d{6}/], ZONE] },
};
const QUANTITY_PATTERN = '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$';
const NO_BASE64 = /[^A-Za-z0-9+/=\r\n]/;
/** Base64 characters per three bytes. */
const QUANTUM = 4;

/** API types with their own JSON decoder in Go. */
export const SELF_DECODED = ['Quantity', 'IntOrString', 'Time', 'MicroTime', 'FieldsV1', 'RawExtension', 'Any'];

/**
 * The error of such a type's decoder for a value; undefined if it accepts the value. Sources: `api/resource/quantity.go` and
 * `apis/meta/v1/time.go` of `k8s.io/apimachinery`, `time/format.go` of Go. Types that accept any value have no errors.
 */
export function selfDecodedError(value: unknown, type: string): string | undefined {
  if (type === 'Quantity') return isQuantity(value) ? undefined : `quantities must match the regular expression '${QUANTITY_PATTERN}'`;
  const layout = LAYOUTS[type];
  if (layout === undefined) return undefined;
  if (typeof value !== 'string') return `json: cannot unmarshal ${jsonType(value)} into Go value of type string`;
  let rest = value;
  for (const [element, pattern] of layout.elements) {
    const found = pattern.exec(rest)?.[0];
    if (found === undefined) return timeError(value, layout.text, `cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(element)}`);
    rest = rest.slice(found.length);
  }
  return rest === '' ? undefined : timeError(value, layout.text, `extra text: ${JSON.stringify(rest)}`);
}

/** Go's error for invalid base64 (`encoding/base64`); undefined if it is valid. */
export function base64Error(text: string): string | undefined {
  const illegal = text.search(NO_BASE64);
  if (illegal >= 0) return `illegal base64 data at input byte ${illegal}`;
  const { length } = text.replaceAll(/[\r\n]/g, '');
  return length % QUANTUM === 0 ? undefined : `illegal base64 data at input byte ${length - (length % QUANTUM)}`;
}

function timeError(value: string, layout: string, why: string): string {
  const shown = JSON.stringify(value);
  return why.startsWith('extra') ? `parsing time ${shown}: ${why}` : `parsing time ${shown} as ${JSON.stringify(layout)}: ${why}`;
}

function isQuantity(value: unknown): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  try {
    parseQuantity(String(value).trim());
    return true;
  } catch (error) {
    if (error instanceof QuantityError) return false;
    throw error;
  }
}
