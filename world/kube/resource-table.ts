import type { Resource } from './resource.ts';
import { BUILT_IN_RESOURCES } from './resources.ts';
import { resourcesOf } from './rules/crds.ts';
import type { Commit, Store } from './store.ts';
import type { ConversionWebhook, Converter } from './webhooks/configuration.ts';

/** A resource's id, unless its objects are stored as those of another one. */
function keyOf({ group, plural }: Pick<Resource, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';

/** Whether a commit changes what a stored definition defines. */
export function isRedefinition({ resource, type, version, previous }: Commit): boolean {
  return resource.id === DEFINITIONS && type === 'MODIFIED' && previous?.object.metadata.generation !== version.object.metadata.generation;
}

/** All resources served at the moment: the built-in ones, and those of the stored definitions. */
export class ResourceTable {
  /** The served versions of each resource, the stored one first. */
  readonly #versions = new Map<string, readonly Resource[]>(BUILT_IN_RESOURCES.map((resource) => [keyOf(resource), [resource]]));

  /** When definitions last changed, by their names. */
  readonly #redefinedAt = new Map<string, number>();

  /** Derived from the versions; undefined after a change of them. */
  #indexes: Indexes | undefined;

  /** How definitions with a webhook convert objects. */
  converterOf: ((webhook: ConversionWebhook) => Converter) | undefined;

  /** Follows the definitions in the store. */
  constructor(store: Store) {
    store.onCommit((commit) => this.#follow(commit));
  }

  /** In the order in which they were added; a resource with several versions once for each, the stored one first. */
  all(): readonly Resource[] {
    return this.#index().all;
  }

  /** A built-in resource by its id, e.g. `pods`, `leases.coordination.k8s.io`. @throws Error if there is none */
  byId(id: string): Resource {
    const resource = this.#versions.get(id)?.[0];
    if (resource === undefined) throw new Error(`the resource ${id} is not served: add it to world/kube/resources.ts`);
    return resource;
  }

  /** A resource by its request path. */
  find(group: string, version: string, plural: string): Resource | undefined {
    const versions = this.#versions.get(keyOf({ group, plural }));
    return versions?.find((resource) => resource.version === version);
  }

  /** A resource by its plural name alone, for the world's own parts. The core group has precedence. */
  byPlural(plural: string): Resource | undefined {
    return this.#versions.get(plural)?.[0] ?? this.#index().byPlural.get(plural);
  }

  /** A resource by the type in an object. */
  byKind(apiVersion: string, kind: string): Resource | undefined {
    const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
    return this.#index().byKind.get(`${group}/${kind}`);
  }

  #index(): Indexes {
    return (this.#indexes ??= indexesOf([...this.#versions.values()].flat()));
  }

  #follow(commit: Commit): void {
    const { resource, type, version, revision } = commit;
    if (resource.id !== DEFINITIONS) return;
    const id = version.object.metadata.name ?? '';
    if (type === 'DELETED') this.#redefinedAt.delete(id);
    else if (isRedefinition(commit)) this.#redefinedAt.set(id, revision);
    const served = type === 'DELETED' ? [] : resourcesOf(version.object, this.converterOf, this.#redefinedAt.get(id));
    if (served.length === 0) this.#versions.delete(id);
    else this.#versions.set(id, served);
    this.#indexes = undefined;
  }
}

interface Indexes {
  readonly all: readonly Resource[];
  readonly byPlural: ReadonlyMap<string, Resource>;
  /** By `group/kind`. */
  readonly byKind: ReadonlyMap<string, Resource>;
}

/** Of several resources with the same name, the first one counts. */
function indexesOf(all: readonly Resource[]): Indexes {
  const lastFirst = all.toReversed();
  return {
    all,
    byPlural: new Map(lastFirst.map((resource) => [resource.plural, resource])),
    byKind: new Map(lastFirst.map((resource) => [`${resource.group}/${resource.kind}`, resource])),
  };
}
