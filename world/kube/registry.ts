import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../model/defined.ts';
import type { ObjectMeta } from '../../model/kube.ts';
import { invalid } from '../../protocols/kube/field-error.ts';
import type { FieldError } from '../../protocols/kube/field-error.ts';
import { isJsonObject } from '../../protocols/kube/json.ts';
import type { JsonObject } from '../../protocols/kube/json.ts';
import {
  StatusError,
  alreadyExists,
  badRequest,
  invalidObject,
  modified,
  nameNotGenerated,
  namespaceTerminating,
  notFound,
  refused,
} from '../../protocols/kube/status.ts';
import type { KubeTypes } from '../../protocols/kube/types.ts';
import { formatTime } from '../../model/time.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { checkRetyped } from './body-types.ts';
import { decodeObject } from './decode.ts';
import { checkPolicy, checkPreconditions, deleteObject, isReadyToGo } from './deletion.ts';
import type { Deletion } from './deletion.ts';
import { Admission } from './admission.ts';
import type { AdmissionRequest } from './admission.ts';
import { checkFields } from './field-validation.ts';
import { checkName, checkSameNamespace, inNamespace } from './identity.ts';
import type { Ownership, Write } from './ownership.ts';
import type { ResourceTable } from './resource-table.ts';
import { groupKind, groupResource, objectKey } from './resource.ts';
import type { Admission as Lookup, ApiObject, BodyType, Location, Resource, WrittenPart } from './resource.ts';
import type { Store } from './store.ts';
import type { Writer } from './writer.ts';
import { Version, inVersion, stamp } from './store.ts';
import { validateFinalizerDomains, validateMeta, validateMetaUpdate, validateUid } from './validation/meta.ts';
import { newUid, otherUid } from './uids.ts';
import type { WebhookCaller } from './webhooks/caller.ts';
import { withZeroTimes } from './zero-times.ts';
import { contentChanged, formsOf, keepSystemFields, withInitialStatus, withMeta, withoutStatus } from './written-objects.ts';
import type { Forms } from './written-objects.ts';
import { inForm } from './policies/matching.ts';
import type { Attributes } from './policies/matching.ts';
import { checkQuotas } from './rules/quotas.ts';
import type { Quota } from './rules/quotas.ts';

/** The characters of generated suffixes, without vowels so that they don't form words. */
const SUFFIX_ALPHABET = [...'bcdfghjklmnpqrstvwxz2456789'];
const SUFFIX_LENGTH = 5;
/** Those that every cluster needs. */
const IMMORTAL_NAMESPACES = ['default', 'kube-public', 'kube-system'];
const MAX_GENERATED_BASE = 58;
/** Attempts to find a free generated name. */
const MAX_NAME_ATTEMPTS = 8;

/** An object as a subresource shows it. */
export interface View {
  readonly subresource: string;
  readonly type: BodyType;
  readonly of: (version: Version) => ApiObject;
  /** Decodes a view that a webhook has patched. @throws StatusError */
  readonly decode: (patched: JsonObject) => ApiObject;
  /** The object with the changes of a view that a webhook has patched. */
  readonly into: (object: ApiObject, view: ApiObject) => ApiObject;
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
  readonly #types: KubeTypes;
  readonly #admission: Admission;

  constructor(options: {
    store: Store;
    clock: Clock;
    random: Random;
    table: ResourceTable;
    ownership: Ownership;
    types: KubeTypes;
    caller: WebhookCaller;
  }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#uids = options.random.fork('uid');
    this.#names = options.random.fork('name');
    this.#table = options.table;
    this.#ownership = options.ownership;
    this.#types = options.types;
    this.#admission = new Admission({ ...options, random: options.random.fork('webhooks') });
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

  /** The metadata of an object, which need no conversion by a webhook. */
  findMetadata(at: Location): ObjectMeta | undefined {
    return this.#store.getStored(at.resource, objectKey(at.namespace, at.name))?.object.metadata;
  }

  /** @throws StatusError 404 */
  get(at: Location): Version {
    const version = this.find(at);
    if (version === undefined) throw notFound(groupResource(at.resource), at.name);
    return version;
  }

  create(resource: Resource, namespace: string | undefined, body: unknown, writer: Writer): Version {
    const sent = decodeObject(resource, body, writer.isOwn);
    this.#checkNamespace(resource, namespace, sent.metadata);
    const { resourceVersion = '' } = sent.metadata;
    // Only the storage sees it, which a dry run does not reach.
    if (resourceVersion !== '' && !writer.dryRun) {
      // Not a Status error in the real server, so it becomes a 500.
      throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created');
    }
    const { inquiries } = writer;
    const named = (): { name: string; free: boolean } => this.#nameOf(resource, namespace, sent.metadata);
    const { name, free } = inquiries?.once('name', named) ?? named();
    let object: ApiObject = { ...sent, metadata: this.#newMeta(resource, namespace, name, sent.metadata, writer) };
    const at = { resource, namespace, name };
    const { rules } = resource;
    if (rules.defaults !== undefined) object = rules.defaults(object);
    const intended = resource.subresources.includes('status') ? withoutStatus(object) : object;
    if (rules.admit !== undefined) object = rules.admit(object, this.lookup, undefined);
    object = this.#mutateNew(at, object, (sent.metadata.name ?? '') === '', writer);
    object = withInitialStatus(resource, object);
    this.#validate(resource, object, [
      ...validateMeta(resource, object.metadata, namespace),
      ...validateFinalizerDomains(resource, object.metadata),
      ...(rules.validate?.(object, undefined) ?? []),
    ]);
    rules.validateAdmission?.(object, this.lookup, undefined);
    this.#admission.validate({ operation: 'CREATE', at, writer, details: () => ({ object, old: undefined }) });
    const charged = this.#checkQuotas(resource, namespace, object, undefined);
    // A webhook may have changed the name.
    const { name: finalName = '' } = object.metadata;
    const key = objectKey(namespace, finalName);
    if (!free) throw nameNotGenerated(groupResource(resource), name);
    if (this.#store.getStored(resource, key) !== undefined) throw alreadyExists(groupResource(resource), finalName);
    const forms = formsOf(resource, object);
    if (writer.dryRun)
      return new Version(resourceVersion === '' ? forms.shown : withMeta(forms.shown, { resourceVersion }), this.#store.revision);
    this.#charge(charged);
    const version = this.#put(resource, key, forms, writer);
    this.#ownership.note(object.metadata.uid, this.#write(resource, writer, undefined, {}, intended), writer.author === 'nobody');
    return version;
  }

  /**
   * Replaces an object by the result of `change`.
   * @param subresource the only part that may change; without one the status may not, if it is a subresource
   * @param change gets the current version and returns a body, as a client would send it
   * @param view how admission sees the object, if not as it is: as its scale
   */
  update(at: Location, subresource: WrittenPart | undefined, writer: Writer, change: (current: Version) => unknown, view?: View): Version {
    const current = this.get(at);
    const { resource } = at;
    const { rules } = resource;
    const part = subresource === undefined || subresource === 'status' ? undefined : rules.parts?.[subresource];
    const old = current.object;
    const body = change(current);
    const shown = (one: ApiObject): ApiObject => view?.of(new Version(one, current.revision)) ?? one;
    const asked = (one: ApiObject): AdmissionRequest => ({
      operation: 'UPDATE',
      at,
      subresource: view?.subresource ?? subresource,
      writer,
      details: () => ({ object: shown(one), old: shown(old), ...defined({ kind: view && kindOf(view.type) }) }),
    });
    const mutate = (one: ApiObject): ApiObject => {
      const mutated = this.#admission.mutate(asked(one), {
        retype: (patched, form) => this.#retyped(view?.type ?? form, patched, form),
        decode: (patched) => view?.decode(patched) ?? this.#decodePatched(resource, patched),
        admitAgain: (again) =>
          view === undefined && subresource === undefined ? (rules.admit?.(again, this.lookup, old) ?? again) : again,
      });
      if (mutated === undefined) return one;
      if (view !== undefined) return view.into(one, mutated);
      const kept = keepSystemFields(resource, mutated, old, subresource);
      if (subresource === undefined) {
        checkSameNamespace(mutated.metadata, at.namespace);
        return withMeta(kept, { name: mutated.metadata.name ?? '' });
      }
      if (part === undefined) return kept;
      // Of what a webhook changes, too, only the part counts.
      return part.take(kept, old);
    };
    const validateAdmission = (one: ApiObject): void => {
      if (subresource === undefined && view === undefined) rules.validateAdmission?.(one, this.lookup, old);
      part?.validateAdmission?.(one, this.lookup, old);
      this.#admission.validate(asked(one));
    };
    if (body === old && mutate(old) === old) {
      validateAdmission(old);
      return current;
    }
    const sent = decodeObject(resource, body, writer.isOwn);
    this.#checkIdentity(at, sent.metadata, current);
    let object = keepSystemFields(resource, sent, old, subresource);
    if (rules.defaults !== undefined && (subresource !== 'status' || resource.custom)) object = rules.defaults(object);
    if (part !== undefined) object = part.take(object, old);
    if (rules.defaultStatus !== undefined && subresource === 'status') object = rules.defaultStatus(object);
    const intended = object;
    if (writer.author !== 'nobody')
      object = this.#ownership.updated({ ...this.#write(resource, writer, subresource, old, object), before: old, after: object });
    if (subresource === undefined && rules.admit !== undefined) object = rules.admit(object, this.lookup, old);
    object = mutate(object);
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
      ...validateName(object.metadata, at.name),
      ...metaErrors,
      ...metaErrors,
      ...validateFinalizerDomains(resource, object.metadata),
      ...(subresource === 'status' ? (rules.validateStatus?.(object, old) ?? []) : (rules.validate?.(object, old) ?? [])),
      ...(subresource === undefined ? (rules.validateUpdate?.(object, old) ?? []) : []),
      ...(ofPart !== undefined && 'more' in ofPart ? ofPart.more : []),
    ]);
    validateAdmission(object);
    const isResize = subresource === 'resize';
    const counts = subresource === undefined || isResize;
    const charged = counts ? this.#checkQuotas(resource, at.namespace, object, old, isResize) : undefined;
    if (isDeepStrictEqual(object, old)) return current;
    if (!writer.dryRun) {
      // Nothing has happened yet if this has to wait for a webhook.
      if (resource.conversion?.remember !== undefined) formsOf(resource, object);
      this.#charge(charged);
      const write = this.#write(resource, writer, subresource, old, intended);
      this.#ownership.note(old.metadata.uid, write, writer.author === 'nobody');
    }
    return this.replace(at, object, writer);
  }

  /**
   * Asks policies and webhooks about a request that does not write an object. Patches of webhooks have no effect.
   * @throws StatusError if one refuses it
   */
  admit(request: AdmissionRequest): void {
    this.#admission.mutate(request);
    this.#admission.validate(request);
  }

  /** A new object as webhooks change it. They see it before it gets what the server sets: name, uid, time of creation. */
  #mutateNew(at: Location, object: ApiObject, isNameGenerated: boolean, writer: Writer): ApiObject {
    const { resource } = at;
    const { uid, creationTimestamp, generation, name, ...metadata } = object.metadata;
    const seen = { ...object, metadata: isNameGenerated ? metadata : { ...metadata, name } };
    const mutated = this.#admission.mutate(
      {
        operation: 'CREATE',
        at: isNameGenerated ? { ...at, name: '' } : at,
        writer,
        details: () => ({ object: seen, old: undefined }),
      },
      {
        retype: (patched, form) => this.#retyped(form, patched, form),
        decode: (patched) => this.#decodePatched(resource, patched),
        admitAgain: (again) => resource.rules.admit?.(again, this.lookup, undefined) ?? again,
      },
    );
    if (mutated === undefined) return object;
    const { namespace } = at;
    checkSameNamespace(mutated.metadata, namespace);
    const own = mutated.metadata.name ?? '';
    const meta = { name: isNameGenerated && own === '' ? name : own, ...defined({ namespace, uid, creationTimestamp, generation }) };
    return withMeta({ ...mutated, metadata: inNamespace(mutated.metadata, namespace) }, meta);
  }

  /** An object that a webhook has patched, in the version that the webhook saw. @throws StatusError if it has another type */
  #retyped(type: BodyType, patched: JsonObject, form: Resource): JsonObject {
    return checkRetyped(type, patched, this.#types, (object, version) => {
      const other = this.#table.find(form.group, version, form.plural);
      return other && inForm(object as ApiObject, other, form);
    });
  }

  /** An object that a webhook has patched: without unknown fields, with defaults. */
  #decodePatched(resource: Resource, patched: JsonObject): ApiObject {
    const object = decodeObject(resource, checkFields(resource, patched, this.#types).body);
    return resource.rules.defaults?.(object) ?? object;
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

  /** The time of a request: the same in all of its attempts. */
  #nowMs({ nowMs, inquiries }: Writer): number {
    return nowMs ?? inquiries?.nowMs ?? this.#clock.nowMs();
  }

  #write(resource: Resource, writer: Writer, subresource: string | undefined, before: JsonObject, after: JsonObject): Write {
    const author = writer.author === undefined || writer.author === 'nobody' ? { manager: writer.principal } : writer.author;
    return { before, after, by: { subresource, ...author }, resource, timeMs: this.#nowMs(writer) };
  }

  /**
   * Replaces an object by a body with its identity; creates it if its resource allows that.
   * @throws StatusError 400 if the body has another name, 409 if it has another uid
   */
  put(at: Location, subresource: WrittenPart | undefined, writer: Writer, body: unknown): { version: Version; created: boolean } {
    const sentUid = isJsonObject(body) && isJsonObject(body.metadata) ? body.metadata.uid : undefined;
    const uid = typeof sentUid === 'string' ? sentUid : '';
    const isThere = this.find(at) !== undefined;
    // Of an object that is not there, too, the name counts first.
    if (!isThere) checkName(at, decodeObject(at.resource, body).metadata);
    if (at.resource.createsOnPut && subresource === undefined && !isThere) {
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
    return this.#put(resource, key, formsOf(resource, object), writer);
  }

  /** Stores an object, whose forms were made before: what has to wait for a webhook comes before the commit. */
  #put(resource: Resource, key: string, { form, shown }: Forms, { principal }: Writer): Version {
    const version = this.#store.put(resource, key, form, principal);
    resource.conversion?.remember?.(version.object, stamp(shown, version.revision).object);
    return inVersion(version, resource);
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
    if (at.resource.id === 'namespaces' && IMMORTAL_NAMESPACES.includes(at.name)) {
      throw refused(groupResource(at.resource), at.name, 'this namespace may not be deleted');
    }
    if (how !== 'admitted') {
      const requested = how === 'alone' ? at : { ...at, name: '' };
      this.admit({
        operation: 'DELETE',
        at: requested,
        writer,
        details: () => ({ object: undefined, old: current.object, options: defined({ ...deletion }) }),
      });
    }
    const put = (marked: ApiObject): Version => {
      return this.#put(at.resource, objectKey(at.namespace, at.name), formsOf(at.resource, marked), writer);
    };
    const { version, gone } = deleteObject({ current, at, deletion, writer, store: this.#store, put, nowMs: this.#nowMs(writer) });
    // Nothing that has to wait for a webhook may come after the commit.
    const isShown = gone && at.resource.conversion?.remember !== undefined;
    return { version: isShown ? new Version(current.object, version.revision) : inVersion(version, at.resource), gone };
  }

  /** What admission looks up. */
  readonly lookup: Lookup = {
    find: (id, namespace, name) => this.#store.get(this.#table.byId(id), objectKey(namespace, name))?.object,
    list: (id) => this.#store.list(this.#table.byId(id)).map(({ object }) => object),
  };

  #checkNamespace(resource: Resource, namespace: string | undefined, metadata: ObjectMeta): void {
    checkSameNamespace(metadata, namespace);
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

  #newMeta(resource: Resource, namespace: string | undefined, name: string, sent: ObjectMeta, writer: Writer): ObjectMeta {
    const { resourceVersion: _version, deletionTimestamp: _at, deletionGracePeriodSeconds: _period, ...rest } = sent;
    const uid = (): string => newUid(this.#uids);
    return {
      ...inNamespace(rest, namespace),
      name,
      ...defined({ namespace }),
      uid: writer.inquiries?.once('uid', uid) ?? uid(),
      ...(resource.generation ? { generation: 1 } : {}),
      creationTimestamp: formatTime(this.#nowMs(writer)),
    };
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

function kindOf({ group, version, kind }: BodyType): NonNullable<Attributes['kind']> {
  return { group, version, kind };
}

/** Only a webhook can have changed the name of an object that is updated. */
function validateName({ name = '' }: ObjectMeta, old: string): FieldError[] {
  return name === old ? [] : [invalid('metadata.name', name, 'field is immutable')];
}
