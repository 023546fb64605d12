import { createHash } from 'node:crypto';
import type { Cache } from '../clients/kube-client.ts';
import type { KubeObject } from '../model/kube.ts';

/**
 * The NodePools that an autoscaler handles. Two autoscalers in one cluster need scopes without a common pool, and pods that only
 * one of them can serve: otherwise both launch for them. Objects without a pool belong to nobody, unless an autoscaler handles
 * everything.
 */
export interface PoolScope {
  /** Distinguishes it from others in the same cluster: digits that are valid in object names. Undefined: it handles everything. */
  readonly id: string | undefined;
  /** @param poolName empty for objects without a pool */
  owns(poolName: string): boolean;
}

/** The only autoscaler in its cluster. */
export const EVERY_POOL: PoolScope = { id: undefined, owns: () => true };

/** A NodePool name as the API server accepts it, plus stars. */
const PATTERN = /^!?[a-z0-9*]([-.a-z0-9*]{0,251}[a-z0-9*])?$/;
/** Enough that two scopes of one cluster never collide, and few enough for object names. */
const ID_DIGITS = 10;

/**
 * The pools with these names. A star in a name matches any characters; with `!` in front, a name excludes pools from what the
 * others match, or, if there are no others, from all pools: `a`, `a-*`, `!*-beside`.
 * @throws Error for an empty list, or an invalid pool name
 */
export function scopeOf(names: readonly string[]): PoolScope {
  if (names.length === 0) throw new Error('names no pool');
  for (const name of names) {
    if (!PATTERN.test(name))
      throw new Error(`"${name}" is not a NodePool name: use a-z, 0-9, - and ., with * for any characters and ! to exclude`);
  }
  const meant = names.filter((name) => !name.startsWith('!')).map(matcher);
  const leftOut = names.filter((name) => name.startsWith('!')).map((name) => matcher(name.slice(1)));
  return {
    // From the names only, so that each start and each replica has the same.
    id: createHash('sha256')
      .update(JSON.stringify([...new Set(names)].sort()))
      .digest('hex')
      .slice(0, ID_DIGITS),
    owns: (pool) => {
      const isMeant = meant.length === 0 || meant.some((matches) => matches.test(pool));
      return pool !== '' && isMeant && !leftOut.some((matches) => matches.test(pool));
    },
  };
}

function matcher(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
}

/** A name that no autoscaler of another scope has; unchanged without a scope. */
export function scopedName(name: string, { id }: PoolScope): string {
  return id === undefined ? name : `${name}-${id}`;
}

/** A cache restricted to these objects. The predicate's result must not change while an object exists. */
export function limitCache<T extends KubeObject>(cache: Cache<T>, isMeant: (object: T) => boolean): Cache<T> {
  return {
    synced: cache.synced,
    list: () => cache.list().filter(isMeant),
    get: (name, namespace) => {
      const object = cache.get(name, namespace);
      return object !== undefined && isMeant(object) ? object : undefined;
    },
    onChange: (listener) =>
      cache.onChange((type, object) => {
        if (isMeant(object)) listener(type, object);
      }),
  };
}
