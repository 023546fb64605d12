import { deepFreeze } from '../../model/deep-freeze.ts';
import type { Principal } from '../../model/operation.ts';
import { StatusError } from '../../protocols/kube/status.ts';
import { apiVersionOf } from './resource.ts';
import type { ApiObject, Resource } from './resource.ts';
import { SortedMap } from './sorted-map.ts';

/** Commits kept for watches and consistent lists; older ones are compacted. */
const HISTORY_LIMIT = 20_000;
/** The newest versions whose JSON is kept: watches deliver it soon after the commit, and that of a large cluster is large. */
const TEXTS_MAX = 10_000;
/** The largest object, as JSON: etcd's default request limit. */
const MAX_OBJECT_CHARACTERS = 1.5 * 1024 * 1024;

/** One version of an object. Immutable; its JSON is written once and used for every list and watch event. */
export class Version {
  readonly object: ApiObject;
  readonly revision: number;
  #text: string | undefined;

  constructor(object: ApiObject, revision: number) {
    this.object = object;
    this.revision = revision;
  }

  /** The object as JSON. */
  get text(): string {
    return (this.#text ??= JSON.stringify(this.object));
  }

  /** Frees the memory of its JSON, which is written again if somebody asks. */
  forgetText(): void {
    this.#text = undefined;
  }
}

/**
 * An object in another version of its resource, or by a definition that has changed since it was stored: converted, or with another type.
 * Returns the same version if the type is already right.
 */
export function inVersion(version: Version, resource: Resource): Version {
  const { object, revision } = version;
  const apiVersion = apiVersionOf(resource);
  if (object.apiVersion === apiVersion && revision >= (resource.redefinedAt ?? 0)) return version;
  return new Version(resource.conversion?.fromStored(object) ?? { ...object, apiVersion }, revision);
}

function allInVersion(versions: Version[], resource: Resource): Version[] {
  return resource.custom || resource.conversion !== undefined ? versions.map((version) => inVersion(version, resource)) : versions;
}

function* versionsOf(entries: Iterable<[string, Version]>, resource: Resource): Iterable<Version> {
  for (const [, version] of entries) yield inVersion(version, resource);
}

/** Sorted entries in which some keys have other values, or none. */
function* withFormer(entries: Iterable<[string, Version]>, former: ReadonlyMap<string, Version | undefined>): Iterable<[string, Version]> {
  const others = [...former].sort(([a], [b]) => (a < b ? -1 : 1));
  let next = 0;
  /** Those before a key. */
  function* until(key: string | undefined): Iterable<[string, Version]> {
    for (; next < others.length; next += 1) {
      const [other, version] = others[next] as (typeof others)[number];
      if (key !== undefined && other >= key) return;
      if (version !== undefined) yield [other, version];
    }
  }
  for (const entry of entries) {
    yield* until(entry[0]);
    if (!former.has(entry[0])) yield entry;
  }
  yield* until(undefined);
}

/** Some of a resource's objects, sorted by key. To be read before the next commit. */
export interface Range {
  readonly count: number;
  readonly versions: Iterable<Version>;
}

/** One change of the world's state. */
export interface Commit {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  readonly resource: Resource;
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  /** The new version; for DELETED the last one, with the revision of the deletion. */
  readonly version: Version;
  readonly previous: Version | undefined;
  /** Who made the request. */
  readonly principal: Principal;
}

export type CommitListener = (commit: Commit) => void;

/**
 * Storage for all resources with one revision counter, like etcd: every change is a commit with the next revision, which
 * becomes the object's resourceVersion. Keeps a bounded history of commits.
 */
export class Store {
  readonly #objects = new Map<string, SortedMap<Version>>();
  readonly #listeners = new Set<CommitListener>();
  #history: Commit[] = [];
  /** In a circle. */
  readonly #withText: Version[] = [];
  #revision = 0;
  #compactedRevision = 0;

  /** The revision of the newest commit; 0 before the first one. */
  get revision(): number {
    return this.#revision;
  }

  /** The newest compacted revision. */
  get compactedRevision(): number {
    return this.#compactedRevision;
  }

  get(resource: Resource, key: string): Version | undefined {
    const version = this.getStored(resource, key);
    return version === undefined ? undefined : inVersion(version, resource);
  }

  /** In the version in which it is stored. */
  getStored(resource: Resource, key: string): Version | undefined {
    return this.#objects.get(resource.id)?.get(key);
  }

  /** Sorted by key. @param namespace undefined for all */
  list(resource: Resource, namespace?: string): Version[] {
    return allInVersion(this.listStored(resource, namespace), resource);
  }

  /** The same in the versions in which they are stored. */
  listStored(resource: Resource, namespace?: string): Version[] {
    return this.#objects.get(resource.id)?.values(namespace === undefined ? '' : `${namespace}/`) ?? [];
  }

  /** With their keys. */
  entriesStored(resource: Resource): [string, Version][] {
    return this.#objects.get(resource.id)?.entries('') ?? [];
  }

  /**
   * The objects at a revision, sorted by key.
   * @returns undefined if that revision was compacted
   */
  listAt(resource: Resource, namespace: string | undefined, revision: number): Version[] | undefined {
    if (revision >= this.#revision) return this.list(resource, namespace);
    const all = this.rangeAt(resource, namespace, revision, '');
    return all && [...all.versions];
  }

  /**
   * The objects at a revision whose keys come after one, of which only those cost anything that are read.
   * @returns undefined if that revision was compacted
   */
  rangeAt(resource: Resource, namespace: string | undefined, revision: number, after: string): Range | undefined {
    const later = revision >= this.#revision ? [] : this.since(revision);
    if (later === undefined) return undefined;
    const prefix = namespace === undefined ? '' : `${namespace}/`;
    const objects = this.#objects.get(resource.id) ?? new SortedMap<Version>();
    /** What has changed since then, as it was. */
    const former = new Map<string, Version | undefined>();
    for (const {
      resource: { id },
      key,
      previous,
    } of later) {
      if (id === resource.id && key.startsWith(prefix) && key > after && !former.has(key)) former.set(key, previous);
    }
    let count = objects.countAfter(prefix, after);
    for (const [key, version] of former) count += Number(version !== undefined) - Number(objects.get(key) !== undefined);
    const entries = objects.entriesAfter(prefix, after);
    return { count, versions: versionsOf(former.size === 0 ? entries : withFormer(entries, former), resource) };
  }

  /**
   * Stores a new or changed object, which must not be modified afterwards.
   * @throws StatusError 500 with etcd's message if it is too large
   */
  put(resource: Resource, key: string, object: ApiObject, principal: Principal): Version {
    const objects = this.#objectsOf(resource);
    const previous = objects.get(key);
    const version = stamp(object, this.#revision + 1);
    if (version.text.length > MAX_OBJECT_CHARACTERS) throw new StatusError(500, '', 'etcdserver: request is too large');
    this.#revision = version.revision;
    this.#keepText(version);
    objects.set(key, version);
    this.#commit({ type: previous === undefined ? 'ADDED' : 'MODIFIED', resource, key, version, previous, principal });
    return version;
  }

  /** Removes an object. @returns its last version, with the revision of the deletion */
  remove(resource: Resource, key: string, principal: Principal): Version | undefined {
    const objects = this.#objectsOf(resource);
    const previous = objects.get(key);
    if (previous === undefined) return undefined;
    objects.delete(key);
    this.#revision += 1;
    const version = stamp(previous.object, this.#revision);
    this.#keepText(version);
    this.#commit({ type: 'DELETED', resource, key, version, previous, principal });
    return version;
  }

  /** The commits after a revision, in order; undefined if some of them were compacted. */
  since(revision: number): Commit[] | undefined {
    if (revision < this.#compactedRevision) return undefined;
    // Every commit has a revision of its own, without gaps.
    return this.#history.slice(revision - this.#compactedRevision);
  }

  /** Compacts the whole history: requests for older revisions get 410 Expired. */
  compact(): void {
    this.#history = [];
    this.#compactedRevision = this.#revision;
  }

  /** Calls `listener` after each commit, synchronously. Returns a function that removes it. */
  onCommit(listener: CommitListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #objectsOf(resource: Resource): SortedMap<Version> {
    const id = resource.id;
    let objects = this.#objects.get(id);
    if (objects === undefined) {
      objects = new SortedMap();
      this.#objects.set(id, objects);
    }
    return objects;
  }

  #keepText(version: Version): void {
    const at = version.revision % TEXTS_MAX;
    this.#withText[at]?.forgetText();
    this.#withText[at] = version;
  }

  #commit(change: Omit<Commit, 'revision'>): void {
    const commit: Commit = { ...change, revision: this.#revision };
    this.#history.push(commit);
    // Trimmed by half, so that the cost of copying is amortized.
    if (this.#history.length >= 2 * HISTORY_LIMIT) {
      this.#history = this.#history.slice(HISTORY_LIMIT);
      this.#compactedRevision += HISTORY_LIMIT;
    }
    for (const listener of [...this.#listeners]) listener(commit);
  }
}

/** An object with a revision, its fields in the order in which the API server writes them. */
export function stamp(object: ApiObject, revision: number): Version {
  const { kind, apiVersion, metadata, ...rest } = object;
  const stamped = { kind, apiVersion, metadata: { ...metadata, resourceVersion: String(revision) }, ...rest };
  return new Version(deepFreeze(stamped), revision);
}
