import { isObject, propertyOf } from './schema.ts';
import type { JsonObject, Schema } from './schema.ts';

/**
 * An object with the defaults of its schema filled in, as `apiextensions-apiserver/pkg/apiserver/schema/defaulting`
 * does it: from the outside in, so that a default that is an object gets its own defaults; null counts as absent where it
 * is not allowed. Unchanged parts are shared.
 */
export function withDefaults(object: JsonObject, schema: Schema): JsonObject {
  let filled: Record<string, unknown> | undefined;
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const absent = object[key] === undefined || (object[key] === null && property.nullable !== true);
    if (property.default !== undefined && absent) (filled ??= { ...object })[key] = property.default;
  }
  const present = filled ?? object;
  for (const [key, value] of Object.entries(present)) {
    const property = propertyOf(schema, key);
    if (property === undefined) continue;
    if (value === null && property.nullable !== true) {
      // A null that is not allowed and has no default is dropped, unless the field has no schema.
      if (schema.additionalProperties !== true) {
        filled ??= { ...present };
        delete filled[key];
      }
      continue;
    }
    const below = defaultValue(value, property);
    if (below !== value) (filled ??= { ...present })[key] = below;
  }
  return filled ?? present;
}

function defaultValue(value: unknown, schema: Schema): unknown {
  if (isObject(value)) return withDefaults(value, schema);
  const { items } = schema;
  if (!Array.isArray(value) || items === undefined) return value;
  const filled: unknown[] = value.map((item: unknown) => {
    return defaultValue(item === null && items.nullable !== true && items.default !== undefined ? items.default : item, items);
  });
  return filled.some((item, index) => item !== value[index]) ? filled : value;
}
