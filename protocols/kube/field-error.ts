/**
 * One validation error of a field, with the messages of `k8s.io/apimachinery/pkg/util/validation/field`.
 */
export interface FieldError {
  /** The cause's reason in a Status, e.g. `FieldValueInvalid`. */
  readonly reason: string;
  /** e.g. `spec.topologySpreadConstraints[0].maxSkew` */
  readonly field: string;
  /** Without the field: `Invalid value: -1: must be greater than zero`. */
  readonly message: string;
}

export function invalid(field: string, value: unknown, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${shown(value ?? null)}: ${detail}` };
}

export function required(field: string, detail = ''): FieldError {
  return { reason: 'FieldValueRequired', field, message: withDetail('Required value', detail) };
}

export function forbidden(field: string, detail: string): FieldError {
  return { reason: 'FieldValueForbidden', field, message: `Forbidden: ${detail}` };
}

export function duplicate(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueDuplicate', field, message: `Duplicate value: ${shown(value)}` };
}

export function notFound(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueNotFound', field, message: `Not found: ${JSON.stringify(value)}` };
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const values = supported.map((one) => JSON.stringify(one)).join(', ');
  return {
    reason: 'FieldValueNotSupported',
    field,
    message: `Unsupported value: ${JSON.stringify(value ?? '')}: supported values: ${values}`,
  };
}

export function tooLong(field: string, detail: string): FieldError {
  return { reason: 'FieldValueTooLong', field, message: `Too long: ${detail}` };
}

export function tooMany(field: string, actual: number, most: number): FieldError {
  const message = `Too many: ${actual}: must have at most ${most} ${most === 1 ? 'item' : 'items'}`;
  return { reason: 'FieldValueTooMany', field, message };
}

/** A value as JSON. Go escapes HTML characters in it, except in strings, which it only quotes here. */
function shown(value: unknown): string {
  const json = JSON.stringify(value);
  if (typeof value === 'string')
    return json.replaceAll(/\\(\\|u00([01][0-9a-f]))/g, (escape, _kind, code?: string) => goEscape(escape, code));
  if (typeof value !== 'object') return json;
  return json.replaceAll(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

/** Control characters, as Go quotes them. */
function goEscape(escape: string, code: string | undefined): string {
  if (code === undefined) return escape;
  return { '07': '\\a', '0b': '\\v' }[code] ?? `\\x${code}`;
}

function withDetail(type: string, detail: string): string {
  return detail === '' ? type : `${type}: ${detail}`;
}
