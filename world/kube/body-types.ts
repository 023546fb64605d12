import { isJsonObject, jsonType } from '../../protocols/kube/json.ts';
import type { JsonObject } from '../../protocols/kube/json.ts';
import { badRequest, invalidObject } from '../../protocols/kube/status.ts';
import type { StatusError } from '../../protocols/kube/status.ts';
import type { KubeTypes } from '../../protocols/kube/types.ts';
import { conversionError, unmarshalError } from '../../protocols/kube/unmarshal.ts';
import { apiVersionOf } from './resource.ts';
import type { Resource } from './resource.ts';

/** What of a resource says which type its bodies are of. */
type Typed = Pick<Resource, 'group' | 'version' | 'kind' | 'custom'>;

/** Bytes of a body that a message shows. */
const SHOWN_BYTES = 30;
/** How Go prints what it reads a type from. */
const TYPE_META = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
/** Where the real API server makes its table of types, which its messages tell. */
const SCHEME = 'pkg/runtime/scheme.go:110';

/**
 * Checks that a body is of its resource's type, and that what it holds fits that type, as the decoders of
 * `k8s.io/apimachinery/pkg/runtime/serializer` and `transformDecodeError` of the API server's handlers do. Built-in types
 * may be left out of a body.
 * @param raw the body as it was sent
 * @returns the body, as an object
 * @throws StatusError 400
 */
export function checkBodyType(resource: Typed, sent: unknown, raw: string | Uint8Array, types: KubeTypes): JsonObject {
  const unrecognized = (why: string): StatusError => unrecognizedBody(resource.kind, why, raw);
  const untyped = (why: string): StatusError => unrecognized(`couldn't get version/kind; json parse error: ${why}`);
  if (sent === undefined) throw untyped('unexpected end of JSON input');
  // A null changes nothing of what Go decodes into.
  const body = sent ?? {};
  if (!isJsonObject(body)) throw untyped(`json: cannot unmarshal ${jsonType(body)} into Go value of type ${TYPE_META}`);
  const mistyped = (['apiVersion', 'kind'] as const).find((field) => typeof (body[field] ?? '') !== 'string');
  if (mistyped !== undefined) {
    const problem = unmarshalError({ [mistyped]: body[mistyped] }, 'core.v1.ObjectReference', types) ?? '';
    throw untyped(problem.replace('ObjectReference', ''));
  }
  const sentVersion = text(body['apiVersion']);
  const sentKind = text(body['kind']);
  const expected = apiVersionOf(resource);
  const otherVersion = (): StatusError =>
    badRequest(`the API version in the data (${sentVersion}) does not match the expected API version (${expected})`);
  if (resource.custom) {
    if (sentKind === '') throw unrecognized(`Object 'Kind' is missing in '${Buffer.from(raw).toString()}'`);
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
 * Checks a built-in object that a patch made.
 * @param shown what the message shows of it
 * @param isStrategic strategic merge patches are decoded by the converter of unstructured objects
 * @throws StatusError 422
 */
export function checkPatchedType(resource: Typed, patched: unknown, shown: () => string, isStrategic: boolean, types: KubeTypes): void {
  if (resource.custom || !isJsonObject(patched)) return;
  const problem = typedProblem(resource, patched, types, isStrategic ? conversionError : unmarshalError);
  if (problem === undefined) return;
  const message = `Invalid value: ${JSON.stringify(shown())}: ${problem}`;
  throw invalidObject({ group: '', resource: '' }, '', [{ reason: 'FieldValueInvalid', field: 'patch', message }]);
}

/** The refusal of a body whose type can't be told. */
export function unrecognizedBody(kind: string, why: string, raw: string | Uint8Array): StatusError {
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(raw)})`);
}

/** Why an object with its type can't be one of a built-in resource. */
function typedProblem(
  resource: Typed,
  object: JsonObject,
  types: KubeTypes,
  problemOf: typeof conversionError = unmarshalError,
): string | undefined {
  const [apiVersion, kind] = [text(object['apiVersion']), text(object['kind'])];
  const type = types.nameOf(apiVersion, kind);
  if (type === undefined) {
    // What this world has no types of is taken as it is.
    const isResourceType = kind === resource.kind && apiVersion === apiVersionOf(resource);
    return isResourceType
      ? undefined
      : `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "${SCHEME}"`;
  }
  const problem = problemOf(object, type, types);
  if (problem !== undefined || kind === resource.kind) return problem;
  return `converting (${versionOf(apiVersion)}.${kind}) to (${internalPackage(resource.group)}.${resource.kind}): unknown conversion`;
}

function unhandled(sentKind: string, apiVersion: string, kind: string, problem: string): string {
  return `${sentKind} in version ${JSON.stringify(versionOf(apiVersion))} cannot be handled as a ${kind}: ${problem}`;
}

function versionOf(apiVersion: string): string {
  return apiVersion.split('/').at(-1) ?? '';
}

/** Where the real API server has the internal types of a group. */
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
