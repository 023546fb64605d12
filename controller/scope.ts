import { createHash } from 'node:crypto';
import type { Cache } from '../clients/kube-client.ts';
import type { KubeObject } from '../model/kube.ts';

/**
 * The NodePools that an autoscaler looks after. Two in one cluster need scopes that share no pool, and pods that only pools of
 * one of them can serve: what both can, both launch for. What belongs to no pool is nobody's, unless somebody looks after
 * everything.
 */
export interface PoolScope {
  /** Tells it from others in the same cluster: digits that may stand in names of objects. Undefined: it looks after everything. */
  readonly id: string | undefined;
  /** @param poolName empty for what belongs to no pool */
  owns(poolName: string): boolean;
}

/** An autoscaler that is alone in its cluster. */
export const EVERY_POOL: PoolScope = { id: undefined, owns: () => true };

/** A NodePool's name as the API server takes it, but with stars. */
const PATTERN = /^!?[a-z0-9*]([-.a-z0-9*]{0,251}[a-z0-9*])?$/;
/** Enough that two scopes of one cluster never share them, and few enough for the names of objects. */
const ID_DIGITS = 10;

/**
 * The pools of these names. A star in a name stands for any characters; with `!` before it, a name leaves out what the others
 * name, or, if there are no others, leaves in all the rest: `a`, `a-*`, `!*-beside`.
 * @throws Error for a list that is empty, or what can't be the name of a pool
 */
export function scopeOf(names: readonly string[]): PoolScope {
  if (names.length === 0) throw new Error('names no pool');
  for (const name of names) {
    if (!PATTERN.test(name))
      throw new Error(`"${name}" is no name of a NodePool: of a-z, 0-9, - and ., with * for any of them and ! for all others`);
  }
  const meant = names.filter((name) => !name.startsWith('!')).map(matcher);
  const leftOut = names.filter((name) => name.startsWith('!')).map((name) => matcher(name.slice(1)));
  return {
    // By the names alone: each start, and each replica, has the same.
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

/** A name that no autoscaler of another scope has; as it is for one that is alone. */
export function scopedName(name: string, { id }: PoolScope): string {
  return id === undefined ? name : `${name}-${id}`;
}

/** A cache as if it held these objects alone. What decides must not change while an object lives. */
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
