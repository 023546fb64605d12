import type { Resource } from './resource.ts';
import { BUILT_IN_RESOURCES } from './resources.ts';
import { resourceOf } from './rules/crds.ts';
import type { Commit, Store } from './store.ts';

/** All resources that are served at the moment: the built-in ones, and those of the stored definitions. */
export class ResourceTable {
  readonly #byId = new Map<string, Resource>(BUILT_IN_RESOURCES.map((resource) => [resource.id, resource]));

  /** Follows the definitions in the store. */
  constructor(store: Store) {
    store.onCommit((commit) => this.#follow(commit));
  }

  /** In the order in which they came to be served. */
  all(): Resource[] {
    return [...this.#byId.values()];
  }

  /** As a request path names it. */
  find(group: string, version: string, plural: string): Resource | undefined {
    const resource = this.#byId.get(group === '' ? plural : `${plural}.${group}`);
    return resource?.version === version ? resource : undefined;
  }

  /** As the world's own parts name it: by its plural alone. Built-in ones come first. */
  byPlural(plural: string): Resource | undefined {
    return this.#byId.get(plural) ?? this.all().find((resource) => resource.plural === plural);
  }

  /** As an object names its own type. */
  byKind(apiVersion: string, kind: string): Resource | undefined {
    const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
    return this.all().find((resource) => resource.group === group && resource.kind === kind);
  }

  #follow({ resource, type, version }: Commit): void {
    if (resource.id !== 'customresourcedefinitions.apiextensions.k8s.io') return;
    const defined = resourceOf(version.object);
    if (defined === undefined) return;
    if (type === 'DELETED') this.#byId.delete(defined.id);
    else this.#byId.set(defined.id, defined);
  }
}
