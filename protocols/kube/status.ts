import { parse } from 'yaml';
import { defined } from '../../model/defined.ts';
import type { FieldError } from './field-error.ts';
import { decodeProtobuf, isProtobuf } from './protobuf.ts';
import type { KubeTypes } from './types.ts';

/** A resource, as named in error messages. */
export interface GroupResource {
  /** Empty for the core group. */
  readonly group: string;
  /** Plural name, e.g. `pods`, or a kind where the API server uses the kind. */
  readonly resource: string;
}

interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** meta/v1 Status, with the fields in the order in which the API server writes them. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly causes?: readonly StatusCause[];
    readonly retryAfterSeconds?: number;
  };
  readonly code?: number;
}

/** A refusal of the API server. Messages are those of `k8s.io/apimachinery/pkg/api/errors`. */
export class StatusError extends Error {
  readonly status: Status;
  readonly code: number;

  /** @param metadata of the Status, if not empty */
  constructor(code: number, reason: string, message: string, details?: Status['details'], metadata: Status['metadata'] = {}) {
    super(message);
    this.name = 'StatusError';
    this.code = code;
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata,
      status: 'Failure',
      message,
      ...(reason === '' ? {} : { reason }),
      ...defined({ details }),
      code,
    };
  }

  get reason(): string {
    return this.status.reason ?? 'Unknown';
  }
}

/** `pods`, `nodeclaims.karpenter.sh`: a resource with its group, as in messages. */
function qualify({ group, resource }: GroupResource): string {
  return group === '' ? resource : `${resource}.${group}`;
}

function details({ group, resource }: GroupResource, name: string): NonNullable<Status['details']> {
  return { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), ...(resource === '' ? {} : { kind: resource }) };
}

export function notFound(resource: GroupResource, name: string): StatusError {
  return new StatusError(404, 'NotFound', `${qualify(resource)} "${name}" not found`, details(resource, name));
}

export function alreadyExists(resource: GroupResource, name: string): StatusError {
  const message = `${qualify(resource)} "${name}" already exists`;
  return new StatusError(409, 'AlreadyExists', message, details(resource, name));
}

/** No unused name could be generated. */
export function nameNotGenerated(resource: GroupResource, name: string): StatusError {
  const message = `${qualify(resource)} "${name}" already exists, the server was not able to generate a unique name for the object`;
  return new StatusError(409, 'AlreadyExists', message, { ...details(resource, name), retryAfterSeconds: 1 });
}

/** A creation in a namespace that is being terminated. */
export function namespaceTerminating(resource: GroupResource, name: string, namespace: string): StatusError {
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const message = `${qualify(resource)} "${name}" is forbidden: ${why}`;
  const cause = { reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' };
  return new StatusError(403, 'Forbidden', message, { ...details(resource, name), causes: [cause] });
}

export function conflict(resource: GroupResource, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${qualify(resource)} "${name}": ${why}`;
  return new StatusError(409, 'Conflict', message, details(resource, name));
}

/** The object was written since the caller read it. */
export function modified(resource: GroupResource, name: string): StatusError {
  const why = 'the object has been modified; please apply your changes to the latest version and try again';
  return conflict(resource, name, why);
}

/** @param kind group and kind: `{ group: 'apps', resource: 'ReplicaSet' }` */
export function invalidObject(kind: GroupResource, name: string, errors: readonly FieldError[]): StatusError {
  const text = aggregateText(errors.map((error) => `${error.field}: ${error.message}`));
  const causes = errors.map(({ reason, message, field }) => ({ reason, message, field }));
  const message = `${qualify(kind)} "${name}" is invalid: ${text}`;
  return new StatusError(422, 'Invalid', message, { ...details(kind, name), causes });
}

/** A failure of the server itself. */
export function internalError(why: string): StatusError {
  return new StatusError(500, 'InternalError', `Internal error occurred: ${why}`, { causes: [{ message: why }] });
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message);
}

export function refused(resource: GroupResource, name: string, why: string): StatusError {
  const message = `${qualify(resource)} "${name}" is forbidden: ${why}`;
  return new StatusError(403, 'Forbidden', message, details(resource, name));
}

/** Nothing is served at this path. */
export function noSuchResource(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function methodNotAllowed(): StatusError {
  return new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return new StatusError(415, 'UnsupportedMediaType', message);
}

/** No route accepts this type of body. */
export function unroutedMediaType(): StatusError {
  return new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
}

/**
 * The requested revision has been compacted: list again.
 * @param token with which a list can continue, at the newest revision
 */
export function expired(message: string, token?: string): StatusError {
  return new StatusError(410, 'Expired', message, undefined, token === undefined ? {} : { continue: token });
}

/** A patch that can't be applied to the object. The real server does not say why either. */
export function patchFailed(): StatusError {
  return new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}

/** A body with too many or too large parts. */
export function requestTooLarge(why: string): StatusError {
  return new StatusError(413, 'RequestEntityTooLarge', `Request entity is too large: ${why}`);
}

/** The answer to the creation of some subresources, e.g. a binding. @param code HTTP status */
export function success(code: number): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code };
}

/** The answer to a deletion when the object is gone. */
export function deleted(resource: GroupResource, name: string, uid: string): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details: { ...details(resource, name), uid } };
}

/** Several errors as one text: equal ones once, and more than one in brackets. Source: `aggregate` of `k8s.io/apimachinery/pkg/util/errors`. */
export function aggregateText(texts: Iterable<string>): string {
  const different = [...new Set(texts)];
  return different.length === 1 ? different.join('') : `[${different.join(', ')}]`;
}

/** How a Status begins in YAML, whose keys are sorted. */
const YAML_START = 'apiVersion: ';

/**
 * Reason and message of an error answer, in JSON, YAML or protobuf. A body that is not a Status (priority and fairness answer in plain
 * text) is the message.
 */
export function describeStatus(body: string | Uint8Array, types: KubeTypes): { readonly code?: string; readonly note?: string } {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  try {
    const isBinary = typeof body !== 'string' && isProtobuf(body);
    const decoded: unknown = isBinary ? decodeProtobuf(body, types) : text.startsWith(YAML_START) ? parse(text) : JSON.parse(text);
    const answer = decoded as { reason?: unknown; message?: unknown };
    return {
      ...(typeof answer.reason === 'string' ? { code: answer.reason } : {}),
      ...(typeof answer.message === 'string' ? { note: answer.message } : {}),
    };
  } catch {
    return { note: text };
  }
}
