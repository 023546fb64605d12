import { isDeepStrictEqual } from 'node:util';
import type { ObjectMeta } from '../../model/kube.ts';
import type { JsonObject } from '../../protocols/kube/json.ts';
import { apiVersionOf } from './resource.ts';
import type { ApiObject, Resource, WrittenPart } from './resource.ts';
import { Version, inVersion } from './store.ts';
import { withZeroTimes } from './zero-times.ts';

/** The stored form of an object: in the storage version of its resource. */
function stored({ group, storageVersion, custom, conversion }: Resource, object: ApiObject): ApiObject {
  if (conversion !== undefined) return custom ? conversion.toStored(object) : withZeroTimes(conversion.toStored(object));
  return { ...(custom ? object : withZeroTimes(object)), apiVersion: apiVersionOf({ group, version: storageVersion }) };
}

/** An object as it is stored, and as its resource shows it. */
export interface Forms {
  readonly form: ApiObject;
  readonly shown: ApiObject;
}

/** @throws Waiting if a webhook has to convert it first */
export function formsOf(resource: Resource, object: ApiObject): Forms {
  const form = stored(resource, object);
  return { form, shown: inVersion(new Version(form, 0), resource).object };
}

/** For resources whose status only its subresource writes. */
export function withoutStatus(object: ApiObject): ApiObject {
  const { status: _status, ...rest } = object;
  return rest;
}

/** A new object with the status that the server gives it, if its status is a subresource. */
export function withInitialStatus(resource: Resource, object: ApiObject): ApiObject {
  if (!resource.subresources.includes('status')) return object;
  const { status: _sent, ...rest } = object;
  const status = resource.rules.initialStatus?.(object);
  return status === undefined ? rest : { ...rest, status };
}

/** With some metadata changed. */
export function withMeta(object: ApiObject, change: Partial<ObjectMeta>): ApiObject {
  return { ...object, metadata: { ...object.metadata, ...change } };
}

const SYSTEM_FIELDS = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const satisfies readonly (keyof ObjectMeta)[];

/**
 * Restores the fields that an update can't change. Through the status subresource, built-in resources also accept labels,
 * annotations and finalizers, custom ones only the status.
 */
export function keepSystemFields(resource: Resource, sent: ApiObject, old: ApiObject, subresource: WrittenPart | undefined): ApiObject {
  const statusApart = resource.subresources.includes('status');
  if (subresource === 'status' && resource.custom) return withStatusOf(old, sent);
  const metadata: JsonObject = { ...sent.metadata };
  const kept: Record<string, unknown> = { ...metadata };
  for (const field of SYSTEM_FIELDS) {
    if (old.metadata[field] === undefined) delete kept[field];
    else kept[field] = old.metadata[field];
  }
  const object: ApiObject = { ...sent, metadata: kept };
  if (subresource === 'status') return withStatusOf({ ...old, metadata: kept }, sent);
  return statusApart ? withStatusOf(object, old) : object;
}

function withStatusOf(object: ApiObject, source: ApiObject): ApiObject {
  const { status: _status, ...rest } = object;
  return source.status === undefined ? rest : { ...rest, status: source.status };
}

/** Whether anything differs except metadata, and the status if it is a subresource. */
export function contentChanged(resource: Resource, object: ApiObject, old: ApiObject): boolean {
  const content = ({ metadata: _metadata, apiVersion: _version, status, ...rest }: ApiObject): JsonObject =>
    resource.custom && !resource.subresources.includes('status') ? { ...rest, status } : rest;
  return !isDeepStrictEqual(content(object), content(old));
}
