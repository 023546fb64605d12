import { badRequest } from '../../protocols/kube/status.ts';
import type { KubeRequest } from '../../protocols/kube/request.ts';
import type { KubeTypes } from '../../protocols/kube/types.ts';
import type { WireRequest } from '../../wire/wire.ts';
import { checkBodyType, checkPatchedType } from './body-types.ts';
import {
  checkFields,
  checkSentFields,
  patchProblems,
  problemWarnings,
  readFieldValidation,
  strictDecodingError,
} from './field-validation.ts';
import type { FieldValidation } from './field-validation.ts';
import { isStrategicPatch, shownPatch, strictPatchError } from './patching.ts';
import type { Patch } from './patching.ts';
import type { BodyType } from './resource.ts';

/** A request with a body. */
export interface Sent {
  readonly parsed: KubeRequest;
  readonly request: WireRequest;
  readonly body: unknown;
  /** For the client; added to. */
  readonly warnings: string[];
}

/**
 * An object from a body, with the right type and without unknown fields; what is wrong with its fields is refused or a warning.
 * @throws StatusError 400
 */
export function checkedBody({ parsed, request, body: sent, warnings }: Sent, type: BodyType, types: KubeTypes): unknown {
  const typed = checkBodyType(type, sent, request.body ?? '', types);
  const directive = readFieldValidation(parsed.options.fieldValidation);
  if (directive === 'Ignore') return checkFields(type, typed, types).body;
  const { body, problems } = checkSentFields(type, typed, types, request);
  if (problems.length > 0 && directive === 'Strict') {
    const { kind, version } = type;
    throw badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${strictDecodingError(problems)}`);
  }
  if (directive === 'Warn') warnings.push(...problemWarnings(problems));
  return body;
}

/** How a patch's fields are validated, and what is wrong with its text. */
export interface PatchValidation {
  readonly directive: FieldValidation;
  readonly duplicates: readonly string[];
}

export function readPatchValidation({ parsed, request, body }: Sent, types: KubeTypes): PatchValidation {
  const directive = readFieldValidation(parsed.options.fieldValidation);
  return { directive, duplicates: directive === 'Ignore' ? [] : patchProblems(request, body, types) };
}

/**
 * The same as `checkedBody` for an object after a patch; the current object itself if nothing has changed.
 * @throws StatusError 422
 */
export function patchedBody(
  { request, body, warnings }: Sent,
  type: BodyType,
  { patch, current }: { readonly patch: Patch; readonly current: object },
  { directive, duplicates }: PatchValidation,
  types: KubeTypes,
): unknown {
  const patched = patch(current);
  if (patched === current) return patched;
  const contentType = request.headers['content-type'];
  const shown = (): string => shownPatch(body, patched, contentType);
  checkPatchedType(type, patched, shown, isStrategicPatch(contentType), types);
  const { body: known, problems } = checkFields(type, patched, types);
  const all = [...duplicates, ...[...problems].sort()];
  if (all.length > 0 && directive === 'Strict') throw strictPatchError(shown(), all);
  if (directive === 'Warn') warnings.push(...problemWarnings(all));
  return known;
}
