import { isDeepStrictEqual } from 'node:util';
import type { ObjectMeta } from '../../model/kube.ts';
import type { Principal } from '../../model/operation.ts';
import { invalid } from '../../protocols/kube/field-error.ts';
import type { JsonObject } from '../../protocols/kube/json.ts';
import { alreadyExists, badRequest, conflict, invalidObject, modified, notFound, refused } from '../../protocols/kube/status.ts';
import { formatTime } from '../../model/time.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { decodeObject } from './decode.ts';
import { deleteObject, isReadyToGo } from './deletion.ts';
import type { Deletion } from './deletion.ts';
import { groupKind, groupResource, objectKey } from './resource.ts';
import type { Admission, ApiObject, Resource } from './resource.ts';
import type { Store } from './store.ts';
import { Version } from './store.ts';
import { validateFinalizersUpdate, validateMeta } from './validation/meta.ts';

/** Whose request it is, and whether it may change anything. */
export interface Writer {
  readonly principal: Principal;
  readonly dryRun: boolean;
}

/** Where an object lies. */
export interface Location {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** Names are suffixed from these, so that no words come about. */
const SUFFIX_ALPHABET = [...'bcdfghjklmnpqrstvwxz2456789'];
const SUFFIX_LENGTH = 5;
const MAX_GENERATED_BASE = 58;
/** Tries to find a free generated name. */
const MAX_NAME_ATTEMPTS = 8;

/**
 * Reads and writes objects as the API server's generic registry does: identity, optimistic concurrency, defaults,
 * admission, validation, generation, finalizers. Everything happens at once, within one turn. Refuses with StatusErrors.
 */
export class Registry {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #uids: Random;
  readonly #names: Random;
  readonly #priorityClasses: Resource;
  readonly #namespaces: Resource;

  constructor(options: { store: Store; clock: Clock; random: Random; priorityClasses: Resource; namespaces: Resource }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#uids = options.random.fork('uid');
    this.#names = options.random.fork('name');
    this.#priorityClasses = options.priorityClasses;
    this.#namespaces = options.namespaces;
  }

  find(at: Location): Version | undefined {
    return this.#store.get(at.resource, objectKey(at.namespace, at.name));
  }

  /** @throws StatusError 404 */
  get(at: Location): Version {
    const version = this.find(at);
    if (version === undefined) throw notFound(groupResource(at.resource), at.name);
    return version;
  }

  create(resource: Resource, namespace: string | undefined, body: unknown, writer: Writer): Version {
    const sent = decodeObject(resource, body);
    this.#checkNamespace(resource, namespace, sent.metadata);
    if (sent.metadata.resourceVersion !== undefined && sent.metadata.resourceVersion !== '') {
      throw badRequest('resourceVersion should not be set on objects to be created');
    }
    const name = this.#nameOf(resource, namespace, sent.metadata);
    let object: ApiObject = { ...sent, metadata: this.#newMeta(resource, namespace, name, sent.metadata) };
    const { rules } = resource;
    if (rules.defaults !== undefined) object = rules.defaults(object);
    if (rules.admit !== undefined) object = rules.admit(object, this.#admission);
    object = withInitialStatus(resource, object);
    this.#validate(resource, object, [...validateMeta(resource, object.metadata), ...(rules.validate?.(object) ?? [])]);
    const key = objectKey(namespace, name);
    if (this.#store.get(resource, key) !== undefined) throw alreadyExists(groupResource(resource), name);
    return writer.dryRun ? new Version(object, this.#store.revision) : this.#store.put(resource, key, object, writer.principal);
  }

  /**
   * Replaces an object by what `change` makes of it.
   * @param subresource `status`: all but the status stays as it is; else the status does, where it is a subresource
   * @param change gets the current version, returns a body: an object as a client would send it
   */
  update(at: Location, subresource: 'status' | undefined, writer: Writer, change: (current: Version) => unknown): Version {
    const current = this.get(at);
    const { resource } = at;
    const old = current.object;
    const body = change(current);
    if (body === old) return current;
    const sent = decodeObject(resource, body);
    this.#checkIdentity(at, sent.metadata, current);
    let object = keepSystemFields(resource, sent, old, subresource);
    if (subresource === undefined) {
      if (resource.rules.defaults !== undefined) object = resource.rules.defaults(object);
      if (resource.generation && contentChanged(object, old)) object = withMeta(object, { generation: (old.metadata.generation ?? 0) + 1 });
    }
    this.#validate(resource, object, [
      ...validateMeta(resource, object.metadata),
      ...validateFinalizersUpdate(object.metadata, old.metadata),
      ...(subresource === undefined ? (resource.rules.validate?.(object) ?? []) : []),
      ...(subresource === undefined ? (resource.rules.validateUpdate?.(object, old) ?? []) : []),
    ]);
    if (isDeepStrictEqual(object, old)) return current;
    return this.replace(at, object, writer);
  }

  /** Stores a new version as it is; removes the object instead when its deletion waited for the last finalizer only. */
  replace(at: Location, object: ApiObject, writer: Writer): Version {
    const key = objectKey(at.namespace, at.name);
    if (writer.dryRun) return new Version(object, this.#store.revision);
    if (isReadyToGo(object)) {
      this.#store.remove(at.resource, key, writer.principal);
      return new Version(object, this.#store.revision);
    }
    return this.#store.put(at.resource, key, object, writer.principal);
  }

  /** Deletes an object, gracefully where its resource knows how. See `deletion.ts`. */
  delete(at: Location, deletion: Deletion, writer: Writer): { version: Version; gone: boolean } {
    const current = this.get(at);
    return deleteObject({ current, at, deletion, writer, store: this.#store, nowMs: this.#clock.nowMs() });
  }

  readonly #admission: Admission = {
    priorityOf: (className) => {
      const value = this.#store.get(this.#priorityClasses, className)?.object.value;
      return typeof value === 'number' ? value : undefined;
    },
  };

  #checkNamespace(resource: Resource, namespace: string | undefined, metadata: ObjectMeta): void {
    const own = metadata.namespace ?? '';
    if (own !== '' && own !== (namespace ?? '')) {
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    }
    if (!resource.namespaced) return;
    if (namespace === undefined) throw badRequest('an empty namespace may not be set during creation');
    const found = this.#store.get(this.#namespaces, namespace);
    if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace);
    if (found.object.metadata.deletionTimestamp !== undefined) {
      const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
      throw refused(groupResource(resource), metadata.name ?? '', why);
    }
  }

  /** The name that was sent, or a generated one that is free. */
  #nameOf(resource: Resource, namespace: string | undefined, metadata: ObjectMeta): string {
    if ((metadata.name ?? '') !== '' || (metadata.generateName ?? '') === '') return metadata.name ?? '';
    const base = (metadata.generateName ?? '').slice(0, MAX_GENERATED_BASE);
    let name = base;
    for (let attempt = 0; attempt < MAX_NAME_ATTEMPTS; attempt += 1) {
      name = base + Array.from({ length: SUFFIX_LENGTH }, () => this.#names.pick(SUFFIX_ALPHABET)).join('');
      if (this.#store.get(resource, objectKey(namespace, name)) === undefined) break;
    }
    return name;
  }

  #newMeta(resource: Resource, namespace: string | undefined, name: string, sent: ObjectMeta): ObjectMeta {
    const { resourceVersion: _version, deletionTimestamp: _at, deletionGracePeriodSeconds: _period, ...rest } = sent;
    return {
      ...rest,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid: this.#newUid(),
      ...(resource.generation ? { generation: 1 } : {}),
      creationTimestamp: formatTime(this.#clock.nowMs()),
    };
  }

  /** A UUID of version 4, from the seed. */
  #newUid(): string {
    const digits = this.#uids.hex(32);
    const variant = '89ab'[Number.parseInt(digits.charAt(16), 16) % 4];
    const parts = [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`, `${variant}${digits.slice(17, 20)}`];
    return [...parts, digits.slice(20)].join('-');
  }

  #checkIdentity({ resource, name, namespace }: Location, sent: ObjectMeta, current: Version): void {
    const old = current.object.metadata;
    if (sent.name !== name) {
      throw badRequest(`the name of the object (${sent.name ?? ''}) does not match the name on the URL (${name})`);
    }
    if ((sent.namespace ?? '') !== '' && sent.namespace !== (namespace ?? '')) {
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    }
    if ((sent.uid ?? '') !== '' && sent.uid !== old.uid) {
      const why = `Precondition failed: UID in precondition: ${sent.uid}, UID in object meta: ${old.uid}`;
      throw conflict(groupResource(resource), name, why);
    }
    const revision = sent.resourceVersion ?? '';
    if (revision === '' && !resource.unconditionalUpdate) {
      const error = invalid('metadata.resourceVersion', '', 'must be specified for an update');
      throw invalidObject(groupKind(resource), name, [{ ...error, message: 'Invalid value: 0x0: must be specified for an update' }]);
    }
    if (revision !== '' && revision !== String(current.revision)) throw modified(groupResource(resource), name);
  }

  #validate(resource: Resource, object: ApiObject, errors: Parameters<typeof invalidObject>[2]): void {
    if (errors.length > 0) throw invalidObject(groupKind(resource), object.metadata.name ?? '', errors);
  }
}

function withInitialStatus(resource: Resource, object: ApiObject): ApiObject {
  if (!resource.subresources.includes('status')) return object;
  const { status: _sent, ...rest } = object;
  const status = resource.rules.initialStatus?.(object);
  return status === undefined ? rest : { ...rest, status };
}

function withMeta(object: ApiObject, change: Partial<ObjectMeta>): ApiObject {
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
 * Puts back what an update can't change. Built-in resources take labels, annotations and finalizers through the status
 * subresource too, custom ones the status alone.
 */
function keepSystemFields(resource: Resource, sent: ApiObject, old: ApiObject, subresource: 'status' | undefined): ApiObject {
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

/** Whether anything but metadata and status differs. */
function contentChanged(object: ApiObject, old: ApiObject): boolean {
  const content = ({ metadata: _metadata, status: _status, ...rest }: ApiObject): JsonObject => rest;
  return !isDeepStrictEqual(content(object), content(old));
}
