import { readMediaType } from '../../protocols/kube/accept.ts';
import { APPLY_TYPE, JSON_PATCH, YAML_TYPE } from '../../protocols/kube/body.ts';
import { notSupported } from '../../protocols/kube/field-error.ts';
import type { FieldError } from '../../protocols/kube/field-error.ts';
import { withoutZeros } from '../../protocols/kube/go-zeros.ts';
import { PROTOBUF_TYPE } from '../../protocols/kube/protobuf.ts';
import { jsonPatchProblems, jsonProblems, mayHaveDuplicates, yamlDuplicates } from '../../protocols/kube/strict-decoding.ts';
import { unknownFields, withoutUnknownFields } from '../../protocols/kube/unknown-fields.ts';
import type { KubeTypes } from '../../protocols/kube/types.ts';
import { apiVersionOf } from './resource.ts';
import type { ApiObject, BodyType } from './resource.ts';
import { isJsonObject } from '../../protocols/kube/json.ts';
import type { WireRequest } from '../../wire/wire.ts';

/** What to do about unknown and duplicate fields. */
const DIRECTIVES = ['Ignore', 'Strict', 'Warn'] as const;
export type FieldValidation = (typeof DIRECTIVES)[number];

/** A decoded body: without the empty and unknown fields of a built-in type. */
export interface Checked {
  readonly body: unknown;
  /** What the strict decoder reports: `unknown field "spec.containers[0].foo"`. */
  readonly problems: readonly string[];
}

/** The query parameter `fieldValidation`; by default, unknown and duplicate fields cause warnings. */
export function readFieldValidation(value: string | undefined): FieldValidation {
  return DIRECTIVES.find((one) => one === value) ?? 'Warn';
}

export function validateFieldValidation(value = ''): FieldError[] {
  const directives = ['', ...DIRECTIVES];
  return directives.includes(value) ? [] : [notSupported('fieldValidation', value, directives)];
}

/** Finds fields that the resource's type doesn't have. */
export function checkFields(resource: BodyType, body: unknown, types: KubeTypes): Checked {
  if (!isJsonObject(body)) return { body, problems: [] };
  if (resource.custom) {
    // Custom resources are pruned by their schema when they are stored.
    const unknown = resource.rules.unknownFields?.({ metadata: {}, ...body } as ApiObject) ?? [];
    return { body, problems: unknown.map(unknownField) };
  }
  const type = types.nameOf(apiVersionOf(resource), resource.kind);
  const unknown = type === undefined ? [] : unknownFields(body, type, types);
  if (type === undefined) return { body, problems: [] };
  const known = unknown.length === 0 ? body : withoutUnknownFields(body, type, types);
  return { body: withoutZeros(known, type, types), problems: unknown.map(unknownField) };
}

function unknownField(path: string): string {
  return `unknown field ${JSON.stringify(path)}`;
}

/** The same for an object as it was sent, with the fields that its text has twice. */
export function checkSentFields(resource: BodyType, body: unknown, types: KubeTypes, request: WireRequest): Checked {
  const checked = checkFields(resource, body, types);
  const { type, text } = sentText(request);
  if (text === undefined || !mayHaveDuplicates(text, body)) return checked;
  if (type === YAML_TYPE) return { ...checked, problems: [...yamlProblems(text), ...[...checked.problems].sort()] };
  const typeName = resource.custom ? undefined : types.nameOf(apiVersionOf(resource), resource.kind);
  const found = jsonProblems(text, typeName, types);
  return { ...checked, problems: typeName === undefined ? [...found, ...checked.problems] : found };
}

/** The fields that a patch's text has twice; for a server-side apply, which is YAML, one error about all of them. */
export function patchProblems(request: WireRequest, patch: unknown, types: KubeTypes): readonly string[] {
  const { type, text } = sentText(request);
  if (text === undefined || !mayHaveDuplicates(text, patch)) return [];
  if (type === APPLY_TYPE) return yamlProblems(text).map((error) => `${YAML_TO_JSON}${error}`);
  return type === JSON_PATCH ? jsonPatchProblems(text) : jsonProblems(text, undefined, types);
}

/** What Go adds if the YAML is decoded into maps. */
const YAML_TO_JSON = 'error converting YAML to JSON: ';
const YAML_ERROR = 'yaml: unmarshal errors:';

function yamlProblems(text: string): string[] {
  const duplicates = yamlDuplicates(text);
  return duplicates.length === 0 ? [] : [[YAML_ERROR, ...duplicates].join('\n  ')];
}

function sentText({ headers, body }: WireRequest): { readonly type: string; readonly text: string | undefined } {
  const { type } = readMediaType(headers['content-type'] ?? '');
  if (body === undefined || type === PROTOBUF_TYPE) return { type, text: undefined };
  return { type, text: typeof body === 'string' ? body : Buffer.from(body).toString() };
}

/** The message of the strict decoder. */
export function strictDecodingError(problems: readonly string[]): string {
  return `strict decoding error: ${problems.join(', ')}`;
}

/** The problems as warnings: each line of an error about YAML is one (`addStrictDecodingWarnings`). */
export function problemWarnings(problems: readonly string[]): string[] {
  return problems.flatMap((problem) => {
    const lines = problem.split('\n').map((line) => line.trim());
    return lines[0]?.endsWith(YAML_ERROR) === true ? lines.slice(1) : [problem];
  });
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
