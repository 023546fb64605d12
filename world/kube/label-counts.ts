import type { KubeObject } from '../../model/kube.ts';
import { matchesSelector } from '../../model/selector.ts';
import type { Classify, LabelFilter } from '../ports.ts';
import type { ApiObject, Resource } from './resource.ts';
import type { Commit, Store } from './store.ts';
import { inVersion } from './store.ts';

/** Questions whose counts are kept; the oldest are dropped, and counted again if somebody asks. */
const QUESTIONS_MAX = 100;

interface LabelCount {
  readonly resource: Resource;
  readonly filter: LabelFilter;
  readonly classify: Classify<never>;
  readonly counts: Map<string, number>;
}

/**
 * Counts of objects with some labels, by class, that follow each change: a scenario asks twice a second how many of its pods run, and
 * a ReplicaSet that deletes thousands of pods asks for each batch how many are on each node.
 */
export class LabelCounts {
  readonly #store: Store;
  /** By what was asked, without the function. */
  readonly #counts = new Map<string, LabelCount>();

  constructor(store: Store) {
    this.#store = store;
    store.onCommit((commit) => this.#follow(commit));
  }

  /** @param classify the same function as before, or everything is counted again */
  counts<T extends KubeObject>(resource: Resource, filter: LabelFilter, classify: Classify<T>): ReadonlyMap<string, number> {
    const asked = JSON.stringify([resource.id, resource.version, filter]);
    const known = this.#counts.get(asked);
    if (known?.classify === classify) return known.counts;
    const counted: LabelCount = { resource, filter, classify, counts: new Map() };
    for (const { object } of this.#store.list(resource, filter.namespace)) add(counted, object, 1);
    this.#counts.delete(asked);
    this.#counts.set(asked, counted);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > QUESTIONS_MAX && oldest !== undefined) this.#counts.delete(oldest);
    return counted.counts;
  }

  #follow({ type, resource, version, previous }: Commit): void {
    for (const counted of this.#counts.values()) {
      if (counted.resource.id !== resource.id) continue;
      if (previous !== undefined) add(counted, inVersion(previous, counted.resource).object, -1);
      if (type !== 'DELETED') add(counted, inVersion(version, counted.resource).object, 1);
    }
  }
}

function add({ filter, classify, counts }: LabelCount, object: ApiObject, delta: 1 | -1): void {
  const { namespace, labels } = object.metadata;
  if (namespace !== filter.namespace || !filter.selectors.some((selector) => matchesSelector(selector, labels))) return;
  // The caller knows the type of a resource's objects.
  for (const name of classify(object as never)) {
    const count = (counts.get(name) ?? 0) + delta;
    if (count === 0) counts.delete(name);
    else counts.set(name, count);
  }
}
