import type { Pod } from '../../model/kube.ts';
import { controllerOf } from '../../model/owners.ts';
import { ObjectIndex } from './object-index.ts';
import type { ApiObject, Resource } from './resource.ts';
import type { Store, Version } from './store.ts';

/** Whom objects without a controller belong to. */
export const NOBODY = '';

/** Finds objects by their owner or node. */
export class ConcernedObjects {
  readonly #byOwner: ObjectIndex;
  readonly #byNode: ObjectIndex;

  constructor(store: Store) {
    this.#byOwner = new ObjectIndex(store, ownerOf);
    this.#byNode = new ObjectIndex(store, nodeNameOf);
  }

  /** The objects of an owner and those of nobody, sorted by key, in the versions in which they are stored. @param namespace undefined for all */
  managedBy(resource: Resource, uid: string, namespace: string | undefined): Version[] {
    const free = this.#byOwner.entries(resource, NOBODY, namespace);
    if (free.length === 0) return this.#byOwner.values(resource, uid, namespace);
    const own = this.#byOwner.entries(resource, uid, namespace);
    return [...own, ...free].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, version]) => version);
  }

  /** The pods on a node, sorted by key. @param namespace undefined for all */
  onNode(resource: Resource, nodeName: string, namespace: string | undefined): Version[] {
    return this.#byNode.values(resource, nodeName, namespace);
  }
}

/** The uid of the owner that manages an object. */
export function ownerOf(object: ApiObject): string {
  return controllerOf(object)?.uid ?? NOBODY;
}

function nodeNameOf(object: ApiObject): string {
  return (object as unknown as Partial<Pod>).spec?.nodeName ?? '';
}
