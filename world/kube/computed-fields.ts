import type { ApiObject, Resource } from './resource.ts';
import type { Page } from './lists.ts';
import { Version } from './store.ts';

/** Computes the shown object from the stored one. Returns the same object if nothing is computed. */
export type Compute = (object: ApiObject) => ApiObject;

/**
 * Fields that change all the time, which the real component writes again and again: here they are computed when a client gets
 * or lists the object, so that they need no commits. Watches, and the answers to writes, show the stored object.
 */
export class ComputedFields {
  readonly #byResource = new Map<string, Compute>();

  /** @param resourceId e.g. `leases.coordination.k8s.io` */
  set(resourceId: string, compute: Compute): void {
    this.#byResource.set(resourceId, compute);
  }

  one(resource: Resource, version: Version): Version {
    const object = this.#byResource.get(resource.id)?.(version.object) ?? version.object;
    return object === version.object ? version : new Version(object, version.revision);
  }

  page(resource: Resource, page: Page): Page {
    if (!this.#byResource.has(resource.id)) return page;
    return { ...page, versions: page.versions.map((version) => this.one(resource, version)) };
  }
}
