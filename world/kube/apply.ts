import { isDeepStrictEqual } from 'node:util';
import { formatTime } from '../../model/time.ts';
import { findDuplicate, formatPath } from '../../protocols/kube/field-set.ts';
import { formatGo, isJsonObject } from '../../protocols/kube/json.ts';
import type { JsonObject } from '../../protocols/kube/json.ts';
import { readManagers, writeManagers } from '../../protocols/kube/managers.ts';
import type { MergeShape } from '../../protocols/kube/merge-shape.ts';
import { isTrue } from '../../protocols/kube/request.ts';
import type { KubeRequest } from '../../protocols/kube/request.ts';
import { serverSideApply } from '../../protocols/kube/server-side-apply.ts';
import { StatusError, badRequest, notFound } from '../../protocols/kube/status.ts';
import type { KubeTypes } from '../../protocols/kube/types.ts';
import { customSchemaOf } from './custom-schema.ts';
import { checkFields } from './field-validation.ts';
import { shapeOf } from './managed-fields.ts';
import type { Location, Registry, Writer } from './registry.ts';
import { apiVersionOf, groupResource } from './resource.ts';
import type { Resource } from './resource.ts';
import type { Version } from './store.ts';

/** What applies go through. */
interface ApplySite {
  readonly registry: Registry;
  readonly types: KubeTypes;
  readonly nowMs: number;
}

/**
 * Server-side apply of a configuration (`PATCH` with `application/apply-patch+yaml`): makes the object where there is
 * none.
 * @throws StatusError 400 for what is no configuration of this object, 409 for conflicts and other resource versions
 */
export function applyObject(
  { registry, types, nowMs }: ApplySite,
  at: Location,
  subresource: 'status' | undefined,
  { options }: KubeRequest,
  body: unknown,
  writer: Writer,
): { readonly version: Version; readonly created: boolean } {
  const { resource, namespace, name } = at;
  const shape = shapeOf({ types, schema: customSchemaOf(registry, resource) }, resource);
  const applied = withoutForeignParts(readConfiguration(resource, body, name, types, shape), resource, subresource);
  const change = {
    name: options.fieldManager ?? '',
    operation: 'Apply',
    apiVersion: apiVersionOf(resource),
    time: formatTime(nowMs),
    subresource,
  } as const;
  const force = options.force !== undefined && isTrue(options.force);
  if (registry.find(at) === undefined) {
    if (subresource !== undefined) throw notFound(groupResource(resource), name);
    const own = metadataOf(applied)['name'];
    if (own !== undefined && own !== name) {
      throw badRequest(`the name of the object (${formatGo(own)}) does not match the name on the URL (${name})`);
    }
    const { object, managers } = serverSideApply(undefined, applied, shape, change, force);
    const metadata = { ...metadataOf(object), name, managedFields: writeManagers(managers) };
    return { version: registry.create(resource, namespace, { ...object, metadata }, writer), created: true };
  }
  const version = registry.update(at, subresource, writer, (current) => {
    const { managedFields, ...metadata } = current.object.metadata as JsonObject;
    const live = { object: { ...current.object, metadata }, managers: readManagers(managedFields) };
    const { object, managers } = serverSideApply(live, applied, shape, change, force);
    const entries = writeManagers(managers);
    if (isDeepStrictEqual(object, live.object) && isDeepStrictEqual(entries, managedFields)) return current.object;
    return { ...object, metadata: { ...metadataOf(object), managedFields: entries } };
  });
  return { version, created: false };
}

/** @throws StatusError 400, and 500 for unknown fields, as the real one answers */
function readConfiguration(resource: Resource, body: unknown, name: string, types: KubeTypes, shape: MergeShape): JsonObject {
  if (!isJsonObject(body)) throw badRequest('error decoding YAML: the configuration is no object');
  const { apiVersion = '', kind = '' } = body;
  if (apiVersion !== apiVersionOf(resource) || kind !== resource.kind) {
    const [version = '', group = ''] = formatGo(apiVersion).split('/').reverse();
    throw badRequest(`invalid object type: ${group}/${version}, Kind=${formatGo(kind)}`);
  }
  const metadata = metadataOf(body);
  if (metadata['managedFields'] !== undefined && metadata['managedFields'] !== null) throw badRequest('metadata.managedFields must be nil');
  const duplicate = findDuplicate(body, shape);
  if (duplicate !== undefined) {
    const { list, element } = duplicate;
    throw untyped(
      resource,
      metadata,
      name,
      ` ${formatPath(list)}: duplicate entries for key ${formatPath(element).slice(formatPath(list).length)}`,
    );
  }
  const { unknown } = checkFields(resource, body, types);
  if (unknown.length > 0 && !resource.custom) {
    throw untyped(resource, metadata, name, problemsOf(unknown.map((field) => `.${field}: field not declared in schema`)));
  }
  return body;
}

/** A configuration that doesn't fit its type; no Status in the real one, so a server error. */
function untyped({ group, version, kind }: Resource, metadata: JsonObject, name: string, why: string): StatusError {
  const namespace = typeof metadata['namespace'] === 'string' ? metadata['namespace'] : '';
  return new StatusError(500, '', `failed to create typed patch object (${namespace}/${name}; ${group}/${version}, Kind=${kind}):${why}`);
}

/** The status belongs to its subresource alone, where there is one; and there all else belongs to nobody. */
function withoutForeignParts(body: JsonObject, { subresources }: Resource, subresource: 'status' | undefined): JsonObject {
  if (subresource === 'status') {
    const { apiVersion, kind, metadata, status } = body;
    return { apiVersion, kind, metadata, ...(status === undefined ? {} : { status }) };
  }
  if (!subresources.includes('status')) return body;
  const { status: _status, ...rest } = body;
  return rest;
}

function metadataOf(object: JsonObject): JsonObject {
  const { metadata } = object;
  return isJsonObject(metadata) ? metadata : {};
}

/** One problem stands alone, several in lines of their own (`typed.ValidationErrors`). */
function problemsOf(problems: readonly string[]): string {
  return problems.length === 1 ? ` ${problems.join('')}` : ` errors:\n${problems.map((one) => `  ${one}`).join('\n')}`;
}
