import { deepFreeze } from './deep-freeze.ts';

/**
 * A pure function that is called once for each frozen object: neither the object nor anything in it ever changes, so the result can be
 * kept with it. Results are frozen, since everybody gets the same one.
 */
export function ofFrozen<K extends object, V>(make: (object: K) => V): (object: K) => V {
  const kept = new WeakMap<K, { readonly result: V }>();
  return (object) => {
    const known = kept.get(object);
    if (known !== undefined) return known.result;
    const result = make(object);
    if (Object.isFrozen(object)) kept.set(object, { result: deepFreeze(result) });
    return result;
  };
}
