import { deepFreeze } from './deep-freeze.ts';

/**
 * What a pure function makes of an object, kept with it if it is frozen to its leaves: then it never changes. What is kept is frozen, too,
 * since everybody gets the same one.
 */
export function keptIfFrozen<V>(kept: WeakMap<object, V>, object: object, make: () => V): V {
  if (!Object.isFrozen(object)) return make();
  const known = kept.get(object);
  if (known !== undefined) return known;
  const made = deepFreeze(make());
  kept.set(object, made);
  return made;
}

/** The function, called once for each frozen object. */
export function ofFrozen<K extends object, V>(make: (object: K) => V): (object: K) => V {
  const kept = new WeakMap<object, V>();
  return (object) => keptIfFrozen(kept, object, () => make(object));
}
