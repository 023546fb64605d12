import type { KubeObject } from '../../model/kube.ts';
import { matchesSelector } from '../../model/selector.ts';
import type { LabelFilter } from '../ports.ts';
import type { ApiObject, Resource } from './resource.ts';
import type { Commit, Store } from './store.ts';
import { inVersion } from './store.ts';

/** Counts that are kept; the oldest are dropped, and counted again if somebody asks. */
const COUNTS_MAX = 100;

interface LabelCount {
  readonly resource: Resource;
  readonly filter: LabelFilter;
  readonly isSo: (object: never) => boolean;
  count: number;
}

/** Counts of objects with some labels that follow each change: a scenario asks twice a second how many of its pods run. */
export class LabelCounts {
  readonly #store: Store;
  /** By what was asked, without the function. */
  readonly #counts = new Map<string, LabelCount>();

  constructor(store: Store) {
    this.#store = store;
    store.onCommit((commit) => this.#follow(commit));
  }

  /** @param isSo the same function as before, or everything is counted again */
  count<T extends KubeObject>(resource: Resource, filter: LabelFilter, isSo: (object: T) => boolean): number {
    const asked = JSON.stringify([resource.id, resource.version, filter]);
    const known = this.#counts.get(asked);
    if (known?.isSo === isSo) return known.count;
    const counted: LabelCount = { resource, filter, isSo, count: 0 };
    for (const { object } of this.#store.list(resource, filter.namespace)) add(counted, object, 1);
    this.#counts.delete(asked);
    this.#counts.set(asked, counted);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > COUNTS_MAX && oldest !== undefined) this.#counts.delete(oldest);
    return counted.count;
  }

  #follow({ type, resource, version, previous }: Commit): void {
    for (const counted of this.#counts.values()) {
      if (counted.resource.id !== resource.id) continue;
      if (previous !== undefined) add(counted, inVersion(previous, counted.resource).object, -1);
      if (type !== 'DELETED') add(counted, inVersion(version, counted.resource).object, 1);
    }
  }
}

function add(counted: LabelCount, object: ApiObject, delta: 1 | -1): void {
  const { namespace, labels } = counted.filter;
  if (object.metadata.namespace !== namespace || !matchesSelector(labels, object.metadata.labels)) return;
  // The caller knows the type of a resource's objects.
  if (counted.isSo(object as never)) counted.count += delta;
}
