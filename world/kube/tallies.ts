import type { KubeObject } from '../../model/kube.ts';
import type { Classify } from '../ports.ts';
import type { ConcernedObjects } from './concerned-objects.ts';
import { NOBODY, ownerOf } from './concerned-objects.ts';
import type { ApiObject, Resource } from './resource.ts';
import type { Commit, Store } from './store.ts';

/** Tallies that are kept; the oldest are dropped, and counted again if somebody asks. */
const TALLIES_MAX = 1_000;

/** The objects that an owner manages, and those of nobody in its namespace, counted by class. */
interface Tally {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly classify: Classify<never>;
  readonly counts: Map<string, number>;
}

/** Counts that follow each change: an owner of thousands of objects counts them after each change of one. */
export class Tallies {
  readonly #concerned: ConcernedObjects;
  /** By owner. */
  readonly #tallies = new Map<string, Tally>();

  constructor(store: Store, concerned: ConcernedObjects) {
    this.#concerned = concerned;
    store.onCommit((commit) => this.#follow(commit));
  }

  /** @param classify the same function as before, or everything is counted again */
  counts<T extends KubeObject>(
    resource: Resource,
    { managedBy, namespace }: { readonly managedBy: string; readonly namespace: string | undefined },
    classify: Classify<T>,
  ): ReadonlyMap<string, number> {
    const known = this.#tallies.get(managedBy);
    if (known?.classify === classify && known.resource.id === resource.id && known.namespace === namespace) return known.counts;
    const tally: Tally = { resource, namespace, classify, counts: new Map() };
    for (const { object } of this.#concerned.managedBy(resource, managedBy, namespace)) add(tally, object, 1);
    this.#tallies.delete(managedBy);
    this.#tallies.set(managedBy, tally);
    const [oldest] = this.#tallies.keys();
    if (this.#tallies.size > TALLIES_MAX && oldest !== undefined) this.#tallies.delete(oldest);
    return tally.counts;
  }

  #follow({ type, resource, version, previous }: Commit): void {
    if (previous !== undefined) this.#change(resource, previous.object, -1);
    if (type !== 'DELETED') this.#change(resource, version.object, 1);
  }

  #change(resource: Resource, object: ApiObject, delta: 1 | -1): void {
    const owner = ownerOf(object);
    const tally = this.#tallies.get(owner);
    const concerned = owner === NOBODY ? this.#tallies.values() : tally === undefined ? [] : [tally];
    for (const one of concerned) {
      const isInside = one.namespace === undefined || one.namespace === object.metadata.namespace;
      if (one.resource.id === resource.id && isInside) add(one, object, delta);
    }
  }
}

function add({ classify, counts }: Tally, object: ApiObject, delta: 1 | -1): void {
  // The caller knows the type of a resource's objects.
  for (const name of classify(object as never)) counts.set(name, (counts.get(name) ?? 0) + delta);
}
