import { deepFreeze } from '../../model/deep-freeze.ts';
import type { Principal } from '../../model/operation.ts';
import { StatusError } from '../../protocols/kube/status.ts';
import { apiVersionOf } from './resource.ts';
import type { ApiObject, Resource } from './resource.ts';
import { SortedMap } from './sorted-map.ts';

/** Commits that watches and consistent lists can go back to; older ones are compacted away. */
const HISTORY_LIMIT = 20_000;
/** The largest object, as JSON: etcd's default limit of a request. */
const MAX_OBJECT_CHARACTERS = 1.5 * 1024 * 1024;

/** One version of an object. Immutable; its JSON is made once and used for every list and watch event. */
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
}

/**
 * An object as another version of its resource shows it: with another type, since nothing else is converted (the
 * conversion strategy `None` of CustomResourceDefinitions). The version itself when the type is right already.
 */
export function inVersion(version: Version, resource: Resource): Version {
  const apiVersion = apiVersionOf(resource);
  return version.object.apiVersion === apiVersion ? version : new Version({ ...version.object, apiVersion }, version.revision);
}

function allInVersion(versions: Version[], resource: Resource): Version[] {
  return resource.custom ? versions.map((version) => inVersion(version, resource)) : versions;
}

/** One change of the world's state. */
export interface Commit {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  readonly resource: Resource;
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  /** The new version; for DELETED the last one, under the revision of the deletion. */
  readonly version: Version;
  readonly previous: Version | undefined;
  /** Whose request it was. */
  readonly principal: Principal;
}

export type CommitListener = (commit: Commit) => void;

/**
 * Storage for all resources under one revision counter, as etcd is for the real one: every change is a commit with the
 * next revision, which becomes the object's resourceVersion. Keeps a bounded history of commits.
 */
export class Store {
  readonly #objects = new Map<string, SortedMap<Version>>();
  readonly #listeners = new Set<CommitListener>();
  #history: Commit[] = [];
  #revision = 0;
  #compactedRevision = 0;

  /** Of the newest commit; 0 when nothing was ever stored. */
  get revision(): number {
    return this.#revision;
  }

  /** The newest revision that can't be gone back to any more. */
  get compactedRevision(): number {
    return this.#compactedRevision;
  }

  get(resource: Resource, key: string): Version | undefined {
    const version = this.#objects.get(resource.id)?.get(key);
    return version === undefined ? undefined : inVersion(version, resource);
  }

  /** In the order of their keys. @param namespace narrows to one; undefined for all */
  list(resource: Resource, namespace?: string): Version[] {
    const objects = this.#objects.get(resource.id);
    if (objects === undefined) return [];
    return allInVersion(objects.values(namespace === undefined ? '' : `${namespace}/`), resource);
  }

  /**
   * The objects as they were at a revision.
   * @returns undefined when that revision was compacted away
   */
  listAt(resource: Resource, namespace: string | undefined, revision: number): Version[] | undefined {
    if (revision >= this.#revision) return this.list(resource, namespace);
    const later = this.since(revision);
    if (later === undefined) return undefined;
    const objects = new SortedMap<Version>();
    const prefix = namespace === undefined ? '' : `${namespace}/`;
    for (const [key, version] of this.#objects.get(resource.id)?.entries(prefix) ?? []) objects.set(key, version);
    for (const commit of later.reverse()) {
      if (commit.resource.id !== resource.id || !commit.key.startsWith(prefix)) continue;
      if (commit.previous === undefined) objects.delete(commit.key);
      else objects.set(commit.key, commit.previous);
    }
    return allInVersion(objects.values(''), resource);
  }

  /**
   * Stores a new or changed object, which must not be changed by anybody from now on.
   * @throws StatusError 500 for one that is too large, in etcd's words
   */
  put(resource: Resource, key: string, object: ApiObject, principal: Principal): Version {
    const objects = this.#objectsOf(resource);
    const previous = objects.get(key);
    const version = stamp(object, this.#revision + 1);
    if (version.text.length > MAX_OBJECT_CHARACTERS) throw new StatusError(500, '', 'etcdserver: request is too large');
    this.#revision = version.revision;
    objects.set(key, version);
    this.#commit({ type: previous === undefined ? 'ADDED' : 'MODIFIED', resource, key, version, previous, principal });
    return version;
  }

  /** Removes an object. @returns its last version, under the revision of the deletion */
  remove(resource: Resource, key: string, principal: Principal): Version | undefined {
    const objects = this.#objectsOf(resource);
    const previous = objects.get(key);
    if (previous === undefined) return undefined;
    objects.delete(key);
    this.#revision += 1;
    const version = stamp(previous.object, this.#revision);
    this.#commit({ type: 'DELETED', resource, key, version, previous, principal });
    return version;
  }

  /** The commits after a revision, in order; undefined when some of them were compacted away. */
  since(revision: number): Commit[] | undefined {
    if (revision < this.#compactedRevision) return undefined;
    // Every commit has a revision of its own, without gaps.
    return this.#history.slice(revision - this.#compactedRevision);
  }

  /** Forgets the history: whoever asks for an older revision is told that it expired. */
  compact(): void {
    this.#history = [];
    this.#compactedRevision = this.#revision;
  }

  /** Calls `listener` after each commit, synchronously. Returns what stops it. */
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

  #commit(change: Omit<Commit, 'revision'>): void {
    const commit: Commit = { ...change, revision: this.#revision };
    this.#history.push(commit);
    // Half of it at a time, so that the cost of forgetting is spread.
    if (this.#history.length >= 2 * HISTORY_LIMIT) {
      this.#history = this.#history.slice(HISTORY_LIMIT);
      this.#compactedRevision += HISTORY_LIMIT;
    }
    for (const listener of [...this.#listeners]) listener(commit);
  }
}

/** The version of an object under a revision, with the fields in the order in which the API server writes them. */
export function stamp(object: ApiObject, revision: number): Version {
  const { kind, apiVersion, metadata, ...rest } = object;
  const stamped = { kind, apiVersion, metadata: { ...metadata, resourceVersion: String(revision) }, ...rest };
  return new Version(deepFreeze(stamped), revision);
}
