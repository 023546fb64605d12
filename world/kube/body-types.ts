import { canonicalJson } from '../../model/canonical-json.ts';
import { isJsonObject, jsonType } from '../../protocols/kube/json.ts';
import type { JsonObject } from '../../protocols/kube/json.ts';
import { StatusError, badRequest, internalError, invalidObject } from '../../protocols/kube/status.ts';
import type { KubeTypes } from '../../protocols/kube/types.ts';
import { conversionError, unmarshalError } from '../../protocols/kube/unmarshal.ts';
import { checkCustomType } from './decode.ts';
import { apiVersionOf } from './resource.ts';
import type { BodyType } from './resource.ts';

/** Bytes of a body shown in a message. */
const SHOWN_BYTES = 30;
/** The Go type that type information is decoded into, as Go prints it. */
export const TYPE_META = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
/** The beginning of what Go's decoder says about a body that has no type. */
export const UNTYPED = "couldn't get version/kind; json parse error";
/** Where the real API server creates its scheme, as shown in its messages. */
const SCHEME = 'pkg/runtime/scheme.go:110';

/**
 * Checks that a body has its resource's type and that its fields have the right types, as the decoders of
 * `k8s.io/apimachinery/pkg/runtime/serializer` and `transformDecodeError` of the API server's handlers do. Bodies of built-in
 * resources may omit their type.
 * @param raw the body as sent
 * @returns the body, as an object
 * @throws StatusError 400
 */
export function checkBodyType(resource: BodyType, sent: unknown, raw: string | Uint8Array, types: KubeTypes): JsonObject {
  const unrecognized = (why: string): StatusError => unrecognizedBody(resource.kind, why, raw);
  const untyped = (why: string): StatusError => unrecognized(`${UNTYPED}: ${why}`);
  if (sent === undefined) throw untyped('unexpected end of JSON input');
  // Go ignores a null.
  const body = sent ?? {};
  if (!isJsonObject(body)) throw untyped(`json: cannot unmarshal ${jsonType(body)} into Go value of type ${TYPE_META}`);
  const mistyped = mistypedProblem(body, types);
  if (mistyped !== undefined) throw untyped(mistyped);
  const sentVersion = text(body['apiVersion']);
  const sentKind = text(body['kind']);
  const expected = apiVersionOf(resource);
  const otherVersion = (): StatusError =>
    badRequest(`the API version in the data (${sentVersion}) does not match the expected API version (${expected})`);
  if (resource.custom) {
    if (sentKind === '') throw unrecognized(missingKind(Buffer.from(raw).toString()));
    if (sentVersion !== expected) throw otherVersion();
    const problem = unmarshalError(body['metadata'], 'meta.v1.ObjectMeta', types);
    if (problem !== undefined) throw badRequest(unhandled(sentKind, expected, resource.kind, problem));
    return body;
  }
  const kind = sentKind === '' ? resource.kind : sentKind;
  const apiVersion = sentVersion === '' ? expected : sentVersion;
  const problem = typedProblem(resource, { ...body, apiVersion, kind }, types);
  if (problem !== undefined) throw badRequest(unhandled(kind, apiVersion, resource.kind, problem));
  if (apiVersion !== expected) throw otherVersion();
  return body;
}

/**
 * Checks a built-in object after a patch.
 * @param shown the object as shown in the message
 * @param isStrategic strategic merge patches are decoded by the converter of unstructured objects
 * @throws StatusError 422
 */
export function checkPatchedType(resource: BodyType, patched: unknown, shown: () => string, isStrategic: boolean, types: KubeTypes): void {
  if (resource.custom || !isJsonObject(patched)) return;
  const problem = typedProblem(resource, patched, types, isStrategic ? conversionError : unmarshalError);
  if (problem === undefined) return;
  const message = `Invalid value: ${JSON.stringify(shown())}: ${problem}`;
  throw invalidObject({ group: '', resource: '' }, '', [{ reason: 'FieldValueInvalid', field: 'patch', message }]);
}

/** The refusal of a body whose type can't be determined. */
export function unrecognizedBody(kind: string, why: string, raw: string | Uint8Array): StatusError {
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(raw)})`);
}

/** Why a typed object is not valid for a built-in resource. */
function typedProblem(
  resource: BodyType,
  object: JsonObject,
  types: KubeTypes,
  problemOf: typeof conversionError = unmarshalError,
): string | undefined {
  const [apiVersion, kind] = [text(object['apiVersion']), text(object['kind'])];
  const type = types.nameOf(apiVersion, kind);
  if (type === undefined) {
    // An object without a known type is accepted unchecked.
    const isResourceType = kind === resource.kind && apiVersion === apiVersionOf(resource);
    return isResourceType
      ? undefined
      : `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "${SCHEME}"`;
  }
  return problemOf(object, type, types) ?? inconvertible(resource, apiVersion, kind);
}

/** Why an object of a built-in type is not one of a resource; undefined if it is. */
function inconvertible(resource: BodyType, apiVersion: string, kind: string): string | undefined {
  if (kind === resource.kind) return undefined;
  return `converting (${versionOf(apiVersion)}.${kind}) to (${internalPackage(resource.group)}.${resource.kind}): unknown conversion`;
}

/** Why the type in an object is none. */
function mistypedProblem(body: JsonObject, types: KubeTypes): string | undefined {
  const mistyped = (['apiVersion', 'kind'] as const).find((field) => typeof (body[field] ?? '') !== 'string');
  if (mistyped === undefined) return undefined;
  const problem = unmarshalError({ [mistyped]: body[mistyped] }, 'core.v1.ObjectReference', types) ?? '';
  return problem.replace('ObjectReference', '');
}

/**
 * An object that a webhook has patched, with a type that its resource can have: as `callAttrMutatingHook` decodes it, and as it is
 * converted after the last webhook. Here each webhook's answer is converted at once, so that one that gives the object another type is
 * refused, even if the next one would give it back.
 * @param convert an object in another version of the same resource; undefined if there is no such version
 * @throws StatusError 422 for a custom object of another kind, 500 for any other object that is not of the resource
 */
export function checkRetyped(
  resource: BodyType,
  patched: JsonObject,
  types: KubeTypes,
  convert: (object: JsonObject, version: string) => JsonObject | undefined,
): JsonObject {
  const mistyped = mistypedProblem(patched, types);
  if (mistyped !== undefined) throw internalError(`${UNTYPED}: ${mistyped}`);
  const expected = apiVersionOf(resource);
  const [apiVersion, kind] = [text(patched['apiVersion']), text(patched['kind'])];
  if (!resource.custom) {
    const typed = { ...patched, apiVersion: apiVersion === '' ? expected : apiVersion, kind: kind === '' ? resource.kind : kind };
    const foreign =
      types.nameOf(typed.apiVersion, typed.kind) === undefined ? undefined : inconvertible(resource, typed.apiVersion, typed.kind);
    if (foreign !== undefined) throw new StatusError(500, '', foreign);
    const problem = typedProblem(resource, typed, types);
    if (problem !== undefined) throw internalError(problem);
    return typed;
  }
  if (kind === '') throw internalError(missingKind(canonicalJson(patched)));
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  if (group !== resource.group) {
    throw new StatusError(500, '', `${group}/${version}, Kind=${kind} is unstructured and is not suitable for converting to "${expected}"`);
  }
  const converted = apiVersion === expected ? patched : convert(patched, version);
  if (converted === undefined) throw new StatusError(500, '', `request to convert CR from an invalid group/version: ${apiVersion}`);
  checkCustomType(converted, { kind: resource.kind, apiVersion: expected });
  return converted;
}

function missingKind(shown: string): string {
  return `Object 'Kind' is missing in '${shown}'`;
}

/** What the real server says of a Go type that it has not registered. */
export function unregisteredType(type: string): string {
  return `no kind is registered for the type ${type} in scheme "${SCHEME}"`;
}

function unhandled(sentKind: string, apiVersion: string, kind: string, problem: string): string {
  return `${sentKind} in version ${JSON.stringify(versionOf(apiVersion))} cannot be handled as a ${kind}: ${problem}`;
}

function versionOf(apiVersion: string): string {
  return apiVersion.split('/').at(-1) ?? '';
}

/** The real API server's package with the internal types of a group. */
export function internalPackage(group: string): string {
  return group === '' ? 'core' : (group.split('.')[0] ?? '');
}

/** The beginning of a body: as text if it may be JSON, else in hexadecimal. */
function summary(raw: string | Uint8Array): string {
  const bytes = Buffer.from(raw);
  if (bytes.length === 0) return '<empty>';
  const begin = bytes.subarray(0, SHOWN_BYTES).toString(bytes.toString('latin1', 0, 1) === '{' ? 'utf8' : 'hex');
  return bytes.length > SHOWN_BYTES ? `${begin} ...` : begin;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
