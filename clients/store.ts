import type { KubeObject } from '../model/kube.ts';

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** One change of a local copy. */
export interface Change<T> {
  readonly type: ChangeType;
  readonly object: T;
}

/** Whether revision `a` is older than `b`. A revision that is not a number is never older: then the server is trusted. */
export function isOlder(a: string | undefined, b: string | undefined): boolean {
  return isNumber(a) && isNumber(b) && BigInt(a) < BigInt(b);
}

function isNumber(revision: string | undefined): revision is string {
  return revision !== undefined && /^\d+$/.test(revision);
}

/** A local copy of objects by namespace and name. It takes lists and watch events and never goes back in time. */
export class ObjectStore<T extends KubeObject> {
  readonly #objects = new Map<string, T>();
  #snapshot: readonly T[] | undefined;

  /** In the order in which they were first seen. */
  list(): readonly T[] {
    this.#snapshot ??= [...this.#objects.values()];
    return this.#snapshot;
  }

  get(name: string, namespace = ''): T | undefined {
    return this.#objects.get(`${namespace}/${name}`);
  }

  /** Applies one watch event. Returns the change to the copy, if any. */
  apply(type: ChangeType, object: T): Change<T> | undefined {
    const key = keyOf(object);
    const known = this.#objects.get(key);
    if (isOlder(object.metadata.resourceVersion, known?.metadata.resourceVersion)) return undefined;
    if (type === 'DELETED') {
      if (known === undefined) return undefined;
      this.#objects.delete(key);
      this.#snapshot = undefined;
      return { type, object };
    }
    if (known !== undefined && isSame(known, object)) return undefined;
    this.#objects.set(key, object);
    this.#snapshot = undefined;
    return { type: known === undefined ? 'ADDED' : 'MODIFIED', object };
  }

  /** Replaces the copy by a complete list. Yields the changes: first the deleted objects, in their last known state, then the rest. */
  *replace(objects: readonly T[]): Generator<Change<T>> {
    const listed = new Set(objects.map(keyOf));
    for (const [key, known] of [...this.#objects]) {
      if (listed.has(key)) continue;
      this.#objects.delete(key);
      this.#snapshot = undefined;
      yield { type: 'DELETED', object: known };
    }
    for (const object of objects) {
      const change = this.apply('MODIFIED', object);
      if (change !== undefined) yield change;
    }
  }
}

function keyOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`;
}

function isSame(known: KubeObject, object: KubeObject): boolean {
  const revision = object.metadata.resourceVersion;
  return revision !== undefined && known.metadata.resourceVersion === revision && known.metadata.uid === object.metadata.uid;
}
