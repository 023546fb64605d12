import { isJsonObject } from '../../protocols/kube/json.ts';
import { StatusError, badRequest } from '../../protocols/kube/status.ts';
import { apiVersionOf } from './resource.ts';
import type { ApiObject, Resource } from './resource.ts';
import { objectShape } from './validation/shapes.ts';

/**
 * Makes an object of a body: its type is that of the resource (a built-in one may be left out), nulls are dropped as
 * Go's decoder drops them, and the fields that something reads have the right types.
 * @throws StatusError 400
 */
export function decodeObject(resource: Resource, body: unknown): ApiObject {
  const { kind } = resource;
  const apiVersion = apiVersionOf(resource);
  if (!isJsonObject(body)) {
    throw badRequest(`the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind`);
  }
  for (const [field, expected] of [
    ['apiVersion', apiVersion],
    ['kind', kind],
  ] as const) {
    const sent = body[field];
    if (sent === expected) continue;
    if (sent !== undefined && sent !== '')
      throw wrongType(field, typeof sent === 'string' ? sent : JSON.stringify(sent), { kind, apiVersion });
    if (resource.custom) throw badRequest(`Object '${field === 'kind' ? 'Kind' : field}' is missing in '${JSON.stringify(body)}'`);
  }
  // Schemas of custom resources say themselves what may be null.
  const content = resource.custom ? { ...body, metadata: withoutNulls(body.metadata ?? {}) } : withoutNulls(body);
  const object: ApiObject = { metadata: {}, ...content, kind, apiVersion };
  const parsed = (resource.rules.shape ?? objectShape).safeParse(object);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const what = `json: cannot unmarshal into field ${issue?.path.join('.')}: ${issue?.message}`;
    throw new StatusError(400, 'BadRequest', `${kind} in version "${resource.version}" cannot be handled as a ${kind}: ${what}`);
  }
  return object;
}

function wrongType(field: string, sent: string, expected: { kind: string; apiVersion: string }): StatusError {
  if (field === 'apiVersion') {
    return badRequest(`the API version in the data (${sent}) does not match the expected API version (${expected.apiVersion})`);
  }
  return badRequest(`${sent} in version "${expected.apiVersion}" cannot be handled as a ${expected.kind}`);
}

/** The value without null fields; parts without any are shared, not copied. */
function withoutNulls<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) {
    const items = value.map(withoutNulls);
    return (items.some((item, index) => item !== value[index]) ? items : value) as T;
  }
  let result: Record<string, unknown> | undefined;
  for (const [key, part] of Object.entries(value)) {
    const kept: unknown = part === null ? undefined : withoutNulls(part);
    if (kept === part) continue;
    const copy: Record<string, unknown> = (result ??= { ...(value as Record<string, unknown>) });
    if (kept === undefined) delete copy[key];
    else copy[key] = kept;
  }
  return (result ?? value) as T;
}
