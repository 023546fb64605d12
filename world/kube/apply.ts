import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../model/defined.ts';
import { formatTime } from '../../model/time.ts';
import { formatGo, isJsonObject } from '../../protocols/kube/json.ts';
import type { JsonObject } from '../../protocols/kube/json.ts';
import { writeManagers } from '../../protocols/kube/managers.ts';
import { isTrue } from '../../protocols/kube/request.ts';
import type { KubeRequest } from '../../protocols/kube/request.ts';
import { serverSideApply } from '../../protocols/kube/server-side-apply.ts';
import { StatusError, badRequest, conflict, notFound } from '../../protocols/kube/status.ts';
import { problemsText, typedProblems } from '../../protocols/kube/typed-problems.ts';
import { builtInSchema, customSchema } from '../../protocols/kube/typed-schema.ts';
import type { TypedSchema } from '../../protocols/kube/typed-schema.ts';
import type { KubeTypes } from '../../protocols/kube/types.ts';
import { conversionError } from '../../protocols/kube/unmarshal.ts';
import type { SchemaOf } from './custom-schema.ts';
import { checkFields } from './field-validation.ts';
import { checkName } from './identity.ts';
import type { Ownership } from './ownership.ts';
import type { Registry } from './registry.ts';
import type { Writer } from './writer.ts';
import type { BodyType, Location, Resource, WrittenPart } from './resource.ts';
import { apiVersionOf, groupResource } from './resource.ts';
import type { Version } from './store.ts';

/** What an apply needs. */
export interface ApplySite {
  readonly registry: Registry;
  readonly ownership: Ownership;
  readonly types: KubeTypes;
  readonly schemaOf: SchemaOf;
  readonly nowMs: number;
}

/**
 * Server-side apply of a configuration (`PATCH` with `application/apply-patch+yaml`): creates the object if it does not exist.
 * @param checkText called once the configuration is known to fit: refuses its text, or warns of it
 * @throws StatusError 400 for a configuration of another object or type, 409 for conflicts and a stale resource version, 500 for one
 *   that doesn't match its type, as in the real server
 */
export function applyObject(
  site: ApplySite,
  at: Location,
  subresource: WrittenPart | undefined,
  { options }: KubeRequest,
  body: unknown,
  as: Writer,
  checkText: () => void,
): { readonly version: Version; readonly created: boolean } {
  const { registry, ownership, types, nowMs } = site;
  const { resource, namespace, name } = at;
  const writer: Writer = { ...as, author: 'nobody' };
  const shape = ownership.shapeOf(resource);
  const configuration = readConfiguration(resource, schemaFor(resource, types, site.schemaOf), body, name);
  const applied = withoutForeignParts(configuration, resource, subresource);
  const change = {
    name: options.fieldManager ?? '',
    operation: 'Apply',
    apiVersion: apiVersionOf(resource),
    time: formatTime(nowMs),
    subresource,
  } as const;
  const force = options.force !== undefined && isTrue(options.force);
  const decoded = (object: JsonObject): JsonObject => {
    const problem = conversionProblem(resource, object, types);
    if (problem !== undefined) throw unfit('convert new object', resource, configuration, name, ` to proper version: ${problem}`);
    checkText();
    const fit = checkFields(resource, object, types).body;
    return isJsonObject(fit) ? fit : object;
  };
  if (registry.find(at) === undefined) {
    if (subresource !== undefined) throw notFound(groupResource(resource), name);
    const { uid } = metadataOf(applied);
    checkName(at, metadataOf(applied));
    const { object, managers } = serverSideApply(undefined, applied, shape, change, force);
    const whole = decoded(object);
    if (typeof uid === 'string' && uid !== '') {
      const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
      throw conflict(groupResource(resource), name, why);
    }
    const metadata = { ...metadataOf(whole), name, managedFields: writeManagers(managers) };
    // Nodes are created with their status.
    const { status } = configuration;
    const sent = { ...whole, ...defined({ status }), metadata };
    return { version: registry.create(resource, namespace, sent, writer), created: true };
  }
  const version = registry.update(at, subresource, writer, (current) => {
    const { managedFields, ...metadata } = current.object.metadata as JsonObject;
    const live = { object: { ...current.object, metadata }, managers: ownership.managersOf(resource, current.object) };
    const { object, managers } = serverSideApply(live, applied, shape, change, force);
    const entries = writeManagers(managers);
    const whole = decoded(object);
    if (isDeepStrictEqual(object, live.object) && isDeepStrictEqual(entries, managedFields)) return current.object;
    return { ...whole, metadata: { ...metadataOf(whole), managedFields: entries } };
  });
  return { version, created: false };
}

/**
 * @param schema of the type that the configuration must have
 * @throws StatusError 400, and 500 for a configuration that doesn't match its type, as in the real server
 */
export function readConfiguration(type: BodyType, schema: TypedSchema, body: unknown, name: string): JsonObject {
  if (!isJsonObject(body)) throw badRequest('error decoding YAML: the configuration is not an object');
  const { apiVersion = '', kind = '' } = body;
  if (apiVersion !== apiVersionOf(type) || kind !== type.kind) {
    const [version = '', group = ''] = formatGo(apiVersion).split('/').reverse();
    throw badRequest(`invalid object type: ${group}/${version}, Kind=${formatGo(kind)}`);
  }
  const metadata = metadataOf(body);
  if (metadata['managedFields'] !== undefined && metadata['managedFields'] !== null) throw badRequest('metadata.managedFields must be nil');
  const problems = typedProblems(body, schema);
  if (problems.length > 0) throw unfit('create typed patch object', type, body, name, `: ${problemsText(problems)}`);
  return body;
}

function schemaFor(resource: Resource, types: KubeTypes, schemaOf: SchemaOf): TypedSchema {
  const type = resource.custom ? undefined : types.nameOf(apiVersionOf(resource), resource.kind);
  return type === undefined ? customSchema(schemaOf(resource), types) : builtInSchema(type, types);
}

function conversionProblem(resource: Resource, object: JsonObject, types: KubeTypes): string | undefined {
  const apiVersion = apiVersionOf(resource);
  const type = resource.custom ? undefined : types.nameOf(apiVersion, resource.kind);
  const problem = type === undefined ? undefined : conversionError(object, type, types);
  return problem === undefined ? undefined : `unable to convert unstructured object to ${describe(resource)}: ${problem}`;
}

/** A configuration that doesn't match its type. Not a Status error in the real server, so it becomes a 500. */
function unfit(what: string, resource: BodyType, configuration: JsonObject, name: string, why: string): StatusError {
  const { namespace } = metadataOf(configuration);
  const place = typeof namespace === 'string' ? namespace : '';
  return new StatusError(500, '', `failed to ${what} (${place}/${name}; ${describe(resource)})${why}`);
}

/** A group, version and kind, as Go prints them. */
function describe({ group, version, kind }: BodyType): string {
  return `${group}/${version}, Kind=${kind}`;
}

/** If there is a status subresource, only it may own the status. A subresource may own nothing else than its part. */
function withoutForeignParts(body: JsonObject, { subresources, rules }: Resource, subresource: WrittenPart | undefined): JsonObject {
  if (subresource === 'status') {
    const { apiVersion, kind, metadata, status } = body;
    return { apiVersion, kind, metadata, ...defined({ status }) };
  }
  if (subresource !== undefined) return rules.parts?.[subresource]?.applied?.(body) ?? body;
  if (!subresources.includes('status')) return body;
  const { status: _status, ...rest } = body;
  return rest;
}

function metadataOf(object: JsonObject): JsonObject {
  const { metadata } = object;
  return isJsonObject(metadata) ? metadata : {};
}
