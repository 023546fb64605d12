import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../model/defined.ts';
import type { ObjectMeta } from '../../model/kube.ts';
import { invalid } from '../../protocols/kube/field-error.ts';
import { isJsonObject } from '../../protocols/kube/json.ts';
import type { JsonObject } from '../../protocols/kube/json.ts';
import {
  StatusError,
  alreadyExists,
  badRequest,
  conflict,
  invalidObject,
  modified,
  nameNotGenerated,
  namespaceTerminating,
  notFound,
} from '../../protocols/kube/status.ts';
import { formatTime } from '../../model/time.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { decodeObject } from './decode.ts';
import { checkPolicy, checkPreconditions, deleteObject, isReadyToGo } from './deletion.ts';
import type { Deletion } from './deletion.ts';
import type { Ownership, Write } from './ownership.ts';
import { ADMINISTRATOR } from './rbac/users.ts';
import type { ResourceTable } from './resource-table.ts';
import { apiVersionOf, groupKind, groupResource, objectKey } from './resource.ts';
import type { Admission, ApiObject, Location, Resource, WrittenPart } from './resource.ts';
import type { Store } from './store.ts';
import type { Writer } from './writer.ts';
import { Version, inVersion } from './store.ts';
import { validateFinalizerDomains, validateMeta, validateMetaUpdate, validateUid } from './validation/meta.ts';
import { withZeroTimes } from './zero-times.ts';
import { PolicyAdmission } from './policies/admission.ts';
import type { Attributes } from './policies/matching.ts';
import { checkQuotas } from './rules/quotas.ts';
import type { Quota } from './rules/quotas.ts';

/** The characters of generated suffixes, without vowels so that they don't form words. */
const SUFFIX_ALPHABET = [...'bcdfghjklmnpqrstvwxz2456789'];
const SUFFIX_LENGTH = 5;
const MAX_GENERATED_BASE = 58;
/** Attempts to find a free generated name. */
const MAX_NAME_ATTEMPTS = 8;

/** An object as a subresource shows it. */
export interface View {
  readonly subresource: string;
  readonly kind: NonNullable<Attributes['kind']>;
  readonly of: (version: Version) => ApiObject;
}

type Charged = ReturnType<typeof checkQuotas>;

/**
 * Reads and writes objects as the API server's generic registry does: identity, optimistic concurrency, defaults,
 * admission, validation, generation, finalizers. Everything happens at once, within one turn. Refuses with StatusErrors.
 */
export class Registry {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #uids: Random;
  readonly #names: Random;
  readonly #table: ResourceTable;
  readonly #ownership: Ownership;
  readonly #policies: PolicyAdmission;

  constructor(options: { store: Store; clock: Clock; random: Random; table: ResourceTable; ownership: Ownership }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#uids = options.random.fork('uid');
    this.#names = options.random.fork('name');
    this.#table = options.table;
    this.#ownership = options.ownership;
    this.#policies = new PolicyAdmission(options);
  }

  /** The location of an object of a built-in, cluster-scoped resource. @param id e.g. `namespaces`, `priorityclasses.scheduling.k8s.io` */
  locate(id: string, name: string): Location {
    return { resource: this.#table.byId(id), namespace: undefined, name };
  }

  /** The objects of a built-in resource. */
  list(id: string, namespace: string | undefined): Version[] {
    return this.#store.list(this.#table.byId(id), namespace);
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
      // Not a Status error in the real server, so it becomes a 500.
      throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created');
    }
    const { name, free } = this.#nameOf(resource, namespace, sent.metadata);
    let object: ApiObject = { ...sent, metadata: this.#newMeta(resource, namespace, name, sent.metadata) };
    const { rules } = resource;
    if (rules.defaults !== undefined) object = rules.defaults(object);
    const intended = resource.subresources.includes('status') ? withoutStatus(object) : object;
    if (rules.admit !== undefined) object = rules.admit(object, this.#admission, undefined);
    object = withInitialStatus(resource, object);
    this.#validate(resource, object, [
      ...validateMeta(resource, object.metadata, namespace),
      ...validateFinalizerDomains(resource, object.metadata),
      ...(rules.validate?.(object, undefined) ?? []),
    ]);
    this.admit('CREATE', { resource, namespace, name }, undefined, writer, () => ({ object, old: undefined }));
    const charged = this.#checkQuotas(resource, namespace, object, undefined);
    const key = objectKey(namespace, name);
    if (!free) throw nameNotGenerated(groupResource(resource), name);
    if (this.#store.get(resource, key) !== undefined) throw alreadyExists(groupResource(resource), name);
    if (writer.dryRun) return new Version(stored(resource, object), this.#store.revision);
    this.#charge(charged);
    const version = this.#store.put(resource, key, stored(resource, object), writer.principal);
    this.#ownership.note(object.metadata.uid, this.#write(resource, writer, undefined, {}, intended), writer.author === 'nobody');
    return inVersion(version, resource);
  }

  /**
   * Replaces an object by the result of `change`.
   * @param subresource the only part that may change; without one the status may not, if it is a subresource
   * @param change gets the current version and returns a body, as a client would send it
   * @param view how admission policies see the object, if not as it is: as its scale
   */
  update(at: Location, subresource: WrittenPart | undefined, writer: Writer, change: (current: Version) => unknown, view?: View): Version {
    const current = this.get(at);
    const { resource } = at;
    const { rules } = resource;
    const part = subresource === undefined || subresource === 'status' ? undefined : rules.parts?.[subresource];
    const old = current.object;
    const body = change(current);
    const admit = (object: ApiObject): void => {
      const shown = (one: ApiObject): ApiObject => view?.of(new Version(one, current.revision)) ?? one;
      this.admit('UPDATE', at, view?.subresource ?? subresource, writer, () => ({
        object: shown(object),
        old: shown(old),
        ...defined({ kind: view?.kind }),
      }));
    };
    if (body === old) {
      admit(old);
      return current;
    }
    const sent = decodeObject(resource, body);
    this.#checkIdentity(at, sent.metadata, current);
    let object = keepSystemFields(resource, sent, old, subresource);
    if (rules.defaults !== undefined && (subresource !== 'status' || resource.custom)) object = rules.defaults(object);
    if (part !== undefined) object = part.take(object, old);
    if (rules.defaultStatus !== undefined && subresource === 'status') object = rules.defaultStatus(object);
    const intended = object;
    if (writer.author !== 'nobody')
      object = this.#ownership.updated({ ...this.#write(resource, writer, subresource, old, object), before: old, after: object });
    if (subresource === undefined && rules.admit !== undefined) object = rules.admit(object, this.#admission, old);
    part?.admit?.(object, this.#admission);
    if (subresource !== 'status') {
      if (resource.generation && (rules.raisesGeneration?.(object, old) ?? contentChanged(resource, object, old)))
        object = withMeta(object, { generation: (old.metadata.generation ?? 0) + 1 });
    }
    if (!resource.custom) object = withZeroTimes(object);
    // The real server checks this twice, once for all resources and once in each, as the causes show.
    const metaErrors = [...validateMetaUpdate(object.metadata, old.metadata), ...validateUid(sent.metadata, old.metadata)];
    const ofPart = part?.validate(object, old);
    if (ofPart !== undefined && 'only' in ofPart) this.#validate(resource, object, ofPart.only);
    this.#validate(resource, object, [
      ...validateMeta(resource, object.metadata, at.namespace),
      ...metaErrors,
      ...metaErrors,
      ...validateFinalizerDomains(resource, object.metadata),
      ...(subresource === 'status' ? (rules.validateStatus?.(object, old) ?? []) : (rules.validate?.(object, old) ?? [])),
      ...(subresource === undefined ? (rules.validateUpdate?.(object, old) ?? []) : []),
      ...(ofPart !== undefined && 'more' in ofPart ? ofPart.more : []),
    ]);
    admit(object);
    const isResize = subresource === 'resize';
    const counts = subresource === undefined || isResize;
    const charged = counts ? this.#checkQuotas(resource, at.namespace, object, old, isResize) : undefined;
    if (isDeepStrictEqual(object, old)) return current;
    if (!writer.dryRun) {
      this.#charge(charged);
      const write = this.#write(resource, writer, subresource, old, intended);
      this.#ownership.note(old.metadata.uid, write, writer.author === 'nobody');
    }
    return this.replace(at, object, writer);
  }

  /**
   * Asks the admission policies.
   * @param name of the location: empty for a deletion of many
   * @param details not called if there are no policies
   * @throws StatusError if one denies the request
   */
  admit(
    operation: Attributes['operation'],
    { resource, namespace, name }: Location,
    subresource: string | undefined,
    { dryRun, user = ADMINISTRATOR, warn = () => undefined }: Writer,
    details: () => Pick<Attributes, 'object' | 'old' | 'kind'>,
  ): void {
    this.#policies.check(() => {
      // The namespace of a Namespace is its own name.
      const within = resource.id === 'namespaces' && name !== '' ? name : namespace;
      return { operation, resource, subresource, namespace: within, name: name === '' ? undefined : name, dryRun, user, ...details() };
    }, warn);
  }

  /** @throws StatusError 403 if a quota of the namespace does not allow the write */
  #checkQuotas(
    resource: Resource,
    namespace: string | undefined,
    object: ApiObject,
    old: ApiObject | undefined,
    isResize = false,
  ): Charged | undefined {
    const quotas: Quota[] =
      namespace === undefined ? [] : this.list('resourcequotas', namespace).map((version) => version.object as unknown as Quota);
    return quotas.length === 0 ? undefined : checkQuotas(quotas, { resource, object, old, isResize, nowMs: this.#clock.nowMs() });
  }

  /** What an allowed write uses counts from now on. */
  #charge(charged: Charged | undefined): void {
    for (const [{ metadata }, used] of charged ?? []) {
      const at = { resource: this.#table.byId('resourcequotas'), namespace: metadata.namespace, name: metadata.name ?? '' };
      this.update(at, 'status', { principal: 'workloads', dryRun: false }, ({ object }) => ({
        ...object,
        status: { ...(object.status as object), used },
      }));
    }
  }

  #write(resource: Resource, writer: Writer, subresource: string | undefined, before: JsonObject, after: JsonObject): Write {
    const author = writer.author === undefined || writer.author === 'nobody' ? { manager: writer.principal } : writer.author;
    return { before, after, by: { subresource, ...author }, resource, timeMs: this.#clock.nowMs() };
  }

  /**
   * Replaces an object by a body with its identity; creates it if its resource allows that.
   * @throws StatusError 409 if the body has another uid
   */
  put(at: Location, subresource: WrittenPart | undefined, writer: Writer, body: unknown): { version: Version; created: boolean } {
    const sentUid = isJsonObject(body) && isJsonObject(body.metadata) ? body.metadata.uid : undefined;
    const uid = typeof sentUid === 'string' ? sentUid : '';
    if (at.resource.createsOnPut && subresource === undefined && this.find(at) === undefined) {
      if (uid !== '') throw otherUid(at, uid, '');
      return { version: this.#createAt(at, writer, body), created: true };
    }
    const version = this.update(at, subresource, writer, ({ object }) => {
      if (uid !== '' && uid !== object.metadata.uid) throw otherUid(at, uid, object.metadata.uid ?? '');
      return body;
    });
    return { version, created: false };
  }

  /** Unlike a POST, a revision in the body does not matter here (`Store.Update`). */
  #createAt(at: Location, writer: Writer, body: unknown): Version {
    const sent = decodeObject(at.resource, body);
    checkName(at, sent.metadata);
    const { resourceVersion: _ignored, ...metadata } = sent.metadata;
    return this.create(at.resource, at.namespace, { ...sent, metadata }, writer);
  }

  /** Stores a new version unchecked, or removes the object if its deletion waited only for the last finalizer. */
  replace(at: Location, object: ApiObject, writer: Writer): Version {
    const { resource } = at;
    const key = objectKey(at.namespace, at.name);
    if (writer.dryRun) return new Version(object, this.#store.revision);
    if (isReadyToGo(resource, object)) {
      this.#store.remove(resource, key, writer.principal);
      return new Version(object, this.#store.revision);
    }
    return inVersion(this.#store.put(resource, key, stored(resource, object), writer.principal), resource);
  }

  /**
   * Deletes an object, gracefully if its resource has a grace period. See `deletion.ts`.
   * @param how `alone`, as one `ofMany`, or as a part of an action that policies have judged (`admitted`)
   */
  delete(
    at: Location,
    deletion: Deletion,
    writer: Writer,
    how: 'alone' | 'ofMany' | 'admitted' = 'alone',
  ): { version: Version; gone: boolean } {
    checkPolicy(deletion);
    const current = this.get(at);
    checkPreconditions(at, current, deletion);
    if (how !== 'admitted') {
      const requested = how === 'alone' ? at : { ...at, name: '' };
      this.admit('DELETE', requested, undefined, writer, () => ({ object: undefined, old: current.object }));
    }
    const { version, gone } = deleteObject({ current, at, deletion, writer, store: this.#store, nowMs: this.#clock.nowMs() });
    return { version: inVersion(version, at.resource), gone };
  }

  readonly #admission: Admission = {
    find: (id, namespace, name) => this.#store.get(this.#table.byId(id), objectKey(namespace, name))?.object,
    list: (id) => this.#store.list(this.#table.byId(id)).map(({ object }) => object),
  };

  #checkNamespace(resource: Resource, namespace: string | undefined, metadata: ObjectMeta): void {
    const own = metadata.namespace ?? '';
    if (own !== '' && own !== (namespace ?? '')) {
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    }
    if (!resource.namespaced) return;
    if (namespace === undefined) throw badRequest('an empty namespace may not be set during creation');
    const found = this.#store.get(this.#table.byId('namespaces'), namespace);
    if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace);
    if (found.object.metadata.deletionTimestamp !== undefined) {
      throw namespaceTerminating(groupResource(resource), metadata.name ?? '', namespace);
    }
  }

  /** The name that was sent, or a generated one; `free` is false if no unused one was found. */
  #nameOf(resource: Resource, namespace: string | undefined, metadata: ObjectMeta): { name: string; free: boolean } {
    if ((metadata.name ?? '') !== '' || (metadata.generateName ?? '') === '') return { name: metadata.name ?? '', free: true };
    const base = (metadata.generateName ?? '').slice(0, MAX_GENERATED_BASE);
    let name = base;
    for (let attempt = 0; attempt < MAX_NAME_ATTEMPTS; attempt += 1) {
      name = base + Array.from({ length: SUFFIX_LENGTH }, () => this.#names.pick(SUFFIX_ALPHABET)).join('');
      if (this.#store.get(resource, objectKey(namespace, name)) === undefined) return { name, free: true };
    }
    return { name, free: false };
  }

  #newMeta(resource: Resource, namespace: string | undefined, name: string, sent: ObjectMeta): ObjectMeta {
    const { resourceVersion: _version, deletionTimestamp: _at, deletionGracePeriodSeconds: _period, ...rest } = sent;
    return {
      ...rest,
      name,
      ...defined({ namespace }),
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

  #checkIdentity(at: Location, sent: ObjectMeta, current: Version): void {
    checkName(at, sent);
    const { resource, name } = at;
    const revision = sent.resourceVersion ?? '';
    if (revision === '' && !resource.unconditionalUpdate) {
      const error = invalid('metadata.resourceVersion', 0, 'must be specified for an update');
      throw invalidObject(groupResource(resource), name, [error]);
    }
    if (!/^\d*$/.test(revision)) throw new StatusError(500, '', `strconv.ParseUint: parsing ${JSON.stringify(revision)}: invalid syntax`);
    if (revision !== '' && revision !== String(current.revision)) throw modified(groupResource(resource), name);
  }

  #validate(resource: Resource, object: ApiObject, errors: Parameters<typeof invalidObject>[2]): void {
    if (errors.length > 0) throw invalidObject(groupKind(resource), object.metadata.name ?? '', errors);
  }
}

/** @throws StatusError 400 if an object's name or namespace is not that of the URL */
function checkName({ name, namespace }: Location, sent: ObjectMeta): void {
  if (sent.name !== name) {
    throw badRequest(`the name of the object (${sent.name ?? ''}) does not match the name on the URL (${name})`);
  }
  if ((sent.namespace ?? '') !== '' && sent.namespace !== (namespace ?? '')) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

/** The stored form of an object: in the storage version of its resource. */
function stored({ group, storageVersion, custom, conversion }: Resource, object: ApiObject): ApiObject {
  if (conversion !== undefined) return withZeroTimes(conversion.toStored(object));
  return { ...(custom ? object : withZeroTimes(object)), apiVersion: apiVersionOf({ group, version: storageVersion }) };
}

/** The storage's refusal of a body with another uid than the stored object. */
function otherUid({ resource, namespace, name }: Location, sent: string, uid: string): StatusError {
  const { custom, group, plural } = resource;
  const folder = custom ? [group, plural] : [STORED_AS[plural] ?? plural];
  const key = ['/registry', ...folder, objectKey(namespace, name)].join('/');
  const failed = `Precondition failed: UID in precondition: ${sent}, UID in object meta: ${uid}`;
  const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${failed}`;
  return conflict(groupResource(resource), name, why);
}

/** Resources with another name in etcd than their own. */
const STORED_AS: Readonly<Record<string, string>> = { nodes: 'minions', services: 'services/specs' };

function withoutStatus(object: ApiObject): ApiObject {
  const { status: _status, ...rest } = object;
  return rest;
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
 * Restores the fields that an update can't change. Through the status subresource, built-in resources also accept labels,
 * annotations and finalizers, custom ones only the status.
 */
function keepSystemFields(resource: Resource, sent: ApiObject, old: ApiObject, subresource: WrittenPart | undefined): ApiObject {
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
function contentChanged(resource: Resource, object: ApiObject, old: ApiObject): boolean {
  const content = ({ metadata: _metadata, apiVersion: _version, status, ...rest }: ApiObject): JsonObject =>
    resource.custom && !resource.subresources.includes('status') ? { ...rest, status } : rest;
  return !isDeepStrictEqual(content(object), content(old));
}
