import { notSupported } from '../../protocols/kube/field-error.ts';
import { withoutZeros } from '../../protocols/kube/go-zeros.ts';
import { unknownFields, withoutUnknownFields } from '../../protocols/kube/unknown-fields.ts';
import type { KubeTypes } from '../../protocols/kube/types.ts';
import { apiVersionOf } from './resource.ts';
import type { ApiObject, Resource } from './resource.ts';
import { isJsonObject } from '../../protocols/kube/json.ts';
import { invalidObject } from '../../protocols/kube/status.ts';

/** What to do about unknown fields. */
const DIRECTIVES = ['Ignore', 'Strict', 'Warn'] as const;
export type FieldValidation = (typeof DIRECTIVES)[number];

/** A decoded body: without the empty and unknown fields of a built-in type. The unknown ones are listed. */
export interface Checked {
  readonly body: unknown;
  /** Paths in the format of the strict decoder. */
  readonly unknown: readonly string[];
}

/**
 * The query parameter `fieldValidation`; by default, unknown fields cause warnings.
 * @param options the kind of the request's options, e.g. `CreateOptions`
 * @throws StatusError 422
 */
export function readFieldValidation(value: string | undefined, options: string): FieldValidation {
  if (value === undefined || value === '') return 'Warn';
  const known = DIRECTIVES.find((one) => one === value);
  if (known !== undefined) return known;
  throw invalidObject({ group: 'meta.k8s.io', resource: options }, '', [notSupported('fieldValidation', value, ['', ...DIRECTIVES])]);
}

/** Finds fields that the resource's type doesn't have. Duplicate fields, which the real decoder reports too, are not detected. */
export function checkFields(resource: Resource, body: unknown, types: KubeTypes): Checked {
  if (!isJsonObject(body)) return { body, unknown: [] };
  if (resource.custom) {
    // Custom resources are pruned by their schema when they are stored.
    return { body, unknown: resource.rules.unknownFields?.({ metadata: {}, ...body } as ApiObject) ?? [] };
  }
  const type = types.nameOf(apiVersionOf(resource), resource.kind);
  const unknown = type === undefined ? [] : unknownFields(body, type, types);
  if (type === undefined) return { body, unknown };
  const known = unknown.length === 0 ? body : withoutUnknownFields(body, type, types);
  return { body: withoutZeros(known, type, types), unknown };
}

/** The message of the strict decoder. */
export function strictDecodingError(unknown: readonly string[]): string {
  return `strict decoding error: ${unknown.map((field) => `unknown field ${JSON.stringify(field)}`).join(', ')}`;
}

/** Most characters of an answer's warnings, and of each one once there are more (`endpoints/filters/warning.go`). */
const MAX_WARNINGS_LENGTH = 4 * 1024;
const MAX_WARNING_LENGTH = 256;

/**
 * The `Warning` header, which kubectl shows (RFC 7234); empty without warnings. As in the real server, equal ones are sent once, one
 * with control characters is not sent, and long ones are cut if there are too many.
 */
export function warningHeaders(warnings: readonly string[]): Record<string, string> {
  const shown = [...new Set(warnings)].filter((text) => text !== '' && !/\p{Cc}/u.test(text)).map((text) => [...text]);
  const isLong = shown.reduce((sum, { length }) => sum + length, 0) > MAX_WARNINGS_LENGTH;
  const sent: string[] = [];
  let length = 0;
  for (const characters of shown) {
    if (length >= MAX_WARNINGS_LENGTH) break;
    const cut = isLong ? characters.slice(0, MAX_WARNING_LENGTH) : characters;
    length += cut.length;
    sent.push(`299 - "${cut.join('').replace(/["\\]/g, '\\$&')}"`);
  }
  return sent.length === 0 ? {} : { warning: sent.join(', ') };
}
