/**
 * The fields that are not undefined, in order: `{ name, ...defined({ note }) }` has no `note` if that is undefined. To the
 * compiler an absent field and an undefined one are the same, but not in JSON arrays, comparisons and lists of keys.
 */
export function defined<Fields extends object>(fields: Fields): Partial<Fields> {
  const result: Partial<Fields> = {};
  for (const name in fields) if (fields[name] !== undefined) result[name] = fields[name];
  return result;
}
