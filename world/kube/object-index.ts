import type { ApiObject, Resource } from './resource.ts';
import { SortedMap } from './sorted-map.ts';
import type { Commit, Store, Version } from './store.ts';

/**
 * The objects of a resource by something that each of them has, such as its owner or its node. Controllers read those that concern
 * them after each change, so a list of all would take a time that grows with the square of the cluster.
 */
export class ObjectIndex {
  readonly #store: Store;
  readonly #valueOf: (object: ApiObject) => string;
  /** Of the resources that were asked for. */
  readonly #byResource = new Map<string, Map<string, SortedMap<Version>>>();

  constructor(store: Store, valueOf: (object: ApiObject) => string) {
    this.#store = store;
    this.#valueOf = valueOf;
    store.onCommit((commit) => this.#follow(commit));
  }

  /** The objects with a value, sorted by key, in the versions in which they are stored. @param namespace undefined for all */
  entries(resource: Resource, value: string, namespace: string | undefined): [string, Version][] {
    return this.#objectsWith(resource, value)?.entries(prefixOf(namespace)) ?? [];
  }

  /** The same without their keys. */
  values(resource: Resource, value: string, namespace: string | undefined): Version[] {
    return this.#objectsWith(resource, value)?.values(prefixOf(namespace)) ?? [];
  }

  #objectsWith(resource: Resource, value: string): SortedMap<Version> | undefined {
    return (this.#byResource.get(resource.id) ?? this.#read(resource)).get(value);
  }

  #read(resource: Resource): Map<string, SortedMap<Version>> {
    const byValue = new Map<string, SortedMap<Version>>();
    this.#byResource.set(resource.id, byValue);
    for (const [key, version] of this.#store.entriesStored(resource)) this.#add(byValue, key, version);
    return byValue;
  }

  #follow({ type, resource, key, version, previous }: Commit): void {
    const byValue = this.#byResource.get(resource.id);
    if (byValue === undefined) return;
    if (previous !== undefined) {
      const value = this.#valueOf(previous.object);
      if (type === 'DELETED' || value !== this.#valueOf(version.object)) {
        const objects = byValue.get(value);
        objects?.delete(key);
        if (objects?.isEmpty === true) byValue.delete(value);
      }
    }
    if (type !== 'DELETED') this.#add(byValue, key, version);
  }

  #add(byValue: Map<string, SortedMap<Version>>, key: string, version: Version): void {
    const value = this.#valueOf(version.object);
    const objects = byValue.get(value) ?? new SortedMap<Version>();
    objects.set(key, version);
    byValue.set(value, objects);
  }
}

function prefixOf(namespace: string | undefined): string {
  return namespace === undefined ? '' : `${namespace}/`;
}
