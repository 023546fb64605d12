import { notSupported } from '../../protocols/kube/field-error.ts';
import { withoutZeros } from '../../protocols/kube/go-zeros.ts';
import { unknownFields, withoutUnknownFields } from '../../protocols/kube/unknown-fields.ts';
import type { KubeTypes } from '../../protocols/kube/types.ts';
import { apiVersionOf } from './resource.ts';
import type { ApiObject, Resource } from './resource.ts';
import { isJsonObject } from '../../protocols/kube/json.ts';
import { invalidObject } from '../../protocols/kube/status.ts';

/** What is done about fields that a type doesn't have. */
const DIRECTIVES = ['Ignore', 'Strict', 'Warn'] as const;
export type FieldValidation = (typeof DIRECTIVES)[number];

/** A body as the decoder leaves it: without the empty and unknown fields of a built-in type; the latter are named. */
export interface Checked {
  readonly body: unknown;
  /** Paths, as the strict decoder writes them. */
  readonly unknown: readonly string[];
}

/**
 * The query parameter `fieldValidation`; unknown fields are warned of where nothing is said.
 * @param options the kind of the request's options, e.g. `CreateOptions`
 * @throws StatusError 422
 */
export function readFieldValidation(value: string | undefined, options: string): FieldValidation {
  if (value === undefined || value === '') return 'Warn';
  const known = DIRECTIVES.find((one) => one === value);
  if (known !== undefined) return known;
  throw invalidObject({ group: 'meta.k8s.io', resource: options }, '', [notSupported('fieldValidation', value, ['', ...DIRECTIVES])]);
}

/** Looks for fields that the resource's type doesn't have. Duplicates of a field, which the real decoder names too, are not seen. */
export function checkFields(resource: Resource, body: unknown, types: KubeTypes): Checked {
  if (!isJsonObject(body)) return { body, unknown: [] };
  if (resource.custom) {
    // Custom resources are pruned where they are stored, by their schema.
    return { body, unknown: resource.rules.unknownFields?.({ metadata: {}, ...body } as ApiObject) ?? [] };
  }
  const type = types.nameOf(apiVersionOf(resource), resource.kind);
  const unknown = type === undefined ? [] : unknownFields(body, type, types);
  if (type === undefined) return { body, unknown };
  const known = unknown.length === 0 ? body : withoutUnknownFields(body, type, types);
  return { body: withoutZeros(known, type, types), unknown };
}

/** As the strict decoder lists them. */
export function strictDecodingError(unknown: readonly string[]): string {
  return `strict decoding error: ${unknown.map((field) => `unknown field ${JSON.stringify(field)}`).join(', ')}`;
}

/** The header by which kubectl shows warnings (RFC 7234); none for none. */
export function warningHeaders(warnings: readonly string[]): Record<string, string> {
  if (warnings.length === 0) return {};
  return { warning: warnings.map((text) => `299 - ${JSON.stringify(text)}`).join(', ') };
}
