/**
 * The fields that have a value, in their order: `{ name, ...defined({ note }) }` has no `note` where there is none. An absent field
 * and one that is undefined are the same to the compiler, but not in JSON of an array, in a comparison or to who lists the keys.
 */
export function defined<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>;
}
