import type { z } from 'zod';
import type { Operation } from '../../model/operation.ts';
import { readMediaType } from '../../protocols/kube/accept.ts';
import { APPLY_TYPE, JSON_TYPE, STRATEGIC_MERGE_PATCH, YAML_TYPE, decodeBody } from '../../protocols/kube/body.ts';
import { jsonSyntaxError } from '../../protocols/kube/json-syntax.ts';
import { PROTOBUF_TYPE } from '../../protocols/kube/protobuf.ts';
import { isTrue } from '../../protocols/kube/request.ts';
import type { KubeRequest } from '../../protocols/kube/request.ts';
import { StatusError, badRequest, invalidObject, unsupportedMediaType } from '../../protocols/kube/status.ts';
import type { KubeTypes } from '../../protocols/kube/types.ts';
import type { WireRequest } from '../../wire/wire.ts';
import { UNTYPED, unrecognizedBody } from './body-types.ts';
import type { Deletion } from './deletion.ts';
import { readCount } from './lists.ts';
import type { Resource } from './resource.ts';
import { deleteOptionsShape } from './validation/shapes.ts';

/** Content types of bodies other than patches. Custom resources don't accept protobuf, as in the real server. */
const BODY_TYPES = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE];

/** The real server decodes patches in several places, most of them with another prefix. */
const PATCH_PREFIXES: Readonly<Record<string, string>> = {
  [STRATEGIC_MERGE_PATCH]: '',
  [APPLY_TYPE]: 'error decoding YAML: error converting YAML to JSON: ',
};

/** The body as decoded by `describe`. @throws StatusError 400, 415, or 500 for a deletion, if it can't be decoded */
export function readBody(
  request: WireRequest,
  operation: Operation,
  verb: KubeRequest['verb'],
  resource: Resource,
  types: KubeTypes,
): unknown {
  if (request.body === undefined || request.body.length === 0) return undefined;
  const contentType = request.headers['content-type'];
  const { type } = readMediaType(contentType ?? '');
  const isForObject = verb === 'create' || verb === 'update';
  const accepted = resource.custom && isForObject ? BODY_TYPES.slice(0, 2) : BODY_TYPES;
  if (verb !== 'patch' && type !== '' && !accepted.includes(type)) throw unsupportedMediaType(accepted);
  if (operation.input !== undefined) return operation.input;
  try {
    return decodeBody(request.body, contentType, types);
  } catch (error) {
    const problem = (error instanceof SyntaxError ? jsonSyntaxError(request.body) : undefined) ?? (error as Error).message;
    if (verb === 'patch') throw badRequest(`${PATCH_PREFIXES[type] ?? 'error decoding patch: '}${problem}`);
    const why = error instanceof SyntaxError ? `${UNTYPED}: ${problem}` : problem;
    // Not a Status error in the real server, so it becomes a 500.
    if (!isForObject) throw new StatusError(500, '', why);
    throw unrecognizedBody(resource.kind, why, request.body);
  }
}

/** A body that is not an object of the request's resource. @throws StatusError 400 */
export function readAs<T>(shape: z.ZodType<T>, body: unknown, kind: string): T {
  const parsed = shape.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw badRequest(
    `the body cannot be handled as a ${kind}: json: cannot unmarshal into field ${issue?.path.join('.')}: ${issue?.message}`,
  );
}

/** Options of a deletion may be in its body or its query; the body has precedence. */
export function readDeletion({ options }: KubeRequest, body: unknown): { deletion: Deletion; dryRun: boolean } {
  const sent = body === undefined ? {} : readAs(deleteOptionsShape, body, 'DeleteOptions');
  const gracePeriodSeconds = sent.gracePeriodSeconds ?? readCount(options.gracePeriodSeconds);
  const orphan = options.orphanDependents === undefined ? undefined : isTrue(options.orphanDependents) ? 'Orphan' : 'Background';
  const propagationPolicy = sent.propagationPolicy ?? options.propagationPolicy ?? orphan;
  const { orphanDependents, preconditions } = sent;
  const deletion = { gracePeriodSeconds, propagationPolicy, orphanDependents, preconditions };
  return { deletion, dryRun: (sent.dryRun?.length ?? 0) > 0 };
}

/** A refusal of a request's options. @param kind e.g. `ListOptions` */
export function invalidOptions(kind: string, errors: Parameters<typeof invalidObject>[2]): StatusError {
  return invalidObject({ group: 'meta.k8s.io', resource: kind }, '', errors);
}
