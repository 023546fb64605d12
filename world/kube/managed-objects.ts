import { controllerOf } from '../../model/owners.ts';
import type { Resource } from './resource.ts';
import { SortedMap } from './sorted-map.ts';
import type { Commit, Store, Version } from './store.ts';

/** Whom objects without a controller belong to. */
const NOBODY = '';

/**
 * The objects of a resource by the owner that manages them. Controllers read theirs after each change of one, so a list of all would
 * take a time that grows with the square of the cluster.
 */
export class ManagedObjects {
  readonly #store: Store;
  readonly #byResource = new Map<string, Map<string, SortedMap<Version>>>();

  constructor(store: Store) {
    this.#store = store;
    store.onCommit((commit) => this.#follow(commit));
  }

  /** The objects of an owner and those of nobody, sorted by key, in the versions in which they are stored. @param namespace undefined for all */
  list(resource: Resource, uid: string, namespace: string | undefined): Version[] {
    const owners = this.#byResource.get(resource.id) ?? this.#read(resource);
    const prefix = namespace === undefined ? '' : `${namespace}/`;
    const [own, free] = [uid, NOBODY].map((owner) => owners.get(owner)?.entries(prefix) ?? []);
    if (free === undefined || free.length === 0) return (own ?? []).map(([, version]) => version);
    return [...(own ?? []), ...free].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, version]) => version);
  }

  #read(resource: Resource): Map<string, SortedMap<Version>> {
    const owners = new Map<string, SortedMap<Version>>();
    this.#byResource.set(resource.id, owners);
    for (const [key, version] of this.#store.entriesStored(resource)) add(owners, key, version);
    return owners;
  }

  #follow({ type, resource, key, version, previous }: Commit): void {
    const owners = this.#byResource.get(resource.id);
    if (owners === undefined) return;
    if (previous !== undefined) {
      const owner = ownerOf(previous);
      const moved = type === 'DELETED' || owner !== ownerOf(version);
      if (moved) {
        const objects = owners.get(owner);
        objects?.delete(key);
        if (objects?.isEmpty === true) owners.delete(owner);
      }
    }
    if (type !== 'DELETED') add(owners, key, version);
  }
}

function add(owners: Map<string, SortedMap<Version>>, key: string, version: Version): void {
  const owner = ownerOf(version);
  const objects = owners.get(owner) ?? new SortedMap<Version>();
  objects.set(key, version);
  owners.set(owner, objects);
}

function ownerOf({ object }: Version): string {
  return controllerOf(object)?.uid ?? NOBODY;
}
