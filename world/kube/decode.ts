import { isJsonObject } from '../../protocols/kube/json.ts';
import type { JsonObject } from '../../protocols/kube/json.ts';
import { invalid } from '../../protocols/kube/field-error.ts';
import { badRequest, invalidObject } from '../../protocols/kube/status.ts';
import type { ObjectMeta } from '../../model/kube.ts';
import { apiVersionOf } from './resource.ts';
import type { ApiObject, BodyType } from './resource.ts';
import { objectShape } from './validation/shapes.ts';

/**
 * Decodes an object from a body: sets its type from the resource, drops nulls as Go's decoder does, and checks the types of the
 * fields that this world uses. Bodies of requests have passed `checkBodyType` before.
 * @param isOwn whether the body is of a part of this world: then its fields have the right types
 * @throws StatusError 400, 422 for a custom object of another type
 */
export function decodeObject(resource: BodyType, body: unknown, isOwn = false): ApiObject {
  const { kind } = resource;
  const apiVersion = apiVersionOf(resource);
  if (!isJsonObject(body)) {
    throw badRequest(`the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind`);
  }
  if (resource.custom) checkCustomType(body, { kind, apiVersion });
  // Schemas of custom resources specify what may be null.
  const content = resource.custom ? { ...body, metadata: withoutNulls(body.metadata ?? {}) } : withoutNulls(body);
  const decoded: ApiObject = { metadata: {}, ...content, kind, apiVersion };
  const object: ApiObject = { ...decoded, metadata: withoutEmpty(decoded.metadata) };
  if (isOwn) return object;
  const parsed = (resource.rules.shape ?? objectShape).safeParse(object);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const what = `json: cannot unmarshal into field ${issue?.path.join('.')}: ${issue?.message}`;
    throw badRequest(`${kind} in version "${resource.version}" cannot be handled as a ${kind}: ${what}`);
  }
  return object;
}

/** Types of custom objects are validated, not decoded: `ValidateTypeMeta` of `apiextensions-apiserver`. @throws StatusError 422 */
export function checkCustomType(body: JsonObject, expected: { readonly kind: string; readonly apiVersion: string }): void {
  const errors = (['kind', 'apiVersion'] as const)
    .filter((field) => body[field] !== expected[field])
    .map((field) => invalid(field, body[field] ?? '', `must be ${expected[field]}`));
  if (errors.length === 0) return;
  const { kind, apiVersion, metadata } = body;
  const group = typeof apiVersion === 'string' && apiVersion.includes('/') ? apiVersion.split('/', 1).join('') : '';
  const name = isJsonObject(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : '';
  throw invalidObject({ group, resource: typeof kind === 'string' ? kind : '' }, name, errors);
}

/** Metadata without empty maps and lists: all of `ObjectMeta` has `omitempty`. Returns the same object if none is empty. */
function withoutEmpty(metadata: ObjectMeta): ObjectMeta {
  if (!isJsonObject(metadata)) return metadata;
  const filled = Object.entries(metadata).filter(([, value]) => typeof value !== 'object' || Object.keys(value as object).length > 0);
  return filled.length === Object.keys(metadata).length ? metadata : Object.fromEntries(filled);
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
