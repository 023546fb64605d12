import { isObject, propertyOf } from './schema.ts';
import type { JsonObject, Schema } from './schema.ts';

/** Fields that every object has, with or without a schema. */
const META_FIELDS = ['apiVersion', 'kind', 'metadata'];

/**
 * An object without the fields that its schema doesn't know, as the API server drops them
 * (`apiextensions-apiserver/pkg/apiserver/schema/pruning`). Unchanged parts are shared.
 * @param unknown called with the path of each dropped field, e.g. `spec.template.foo`
 */
export function prune(object: JsonObject, schema: Schema, unknown: (path: string) => void = () => undefined): JsonObject {
  return pruneObject(object, { ...schema, 'x-kubernetes-embedded-resource': true }, '', unknown);
}

function pruneValue(value: unknown, schema: Schema | undefined, path: string, unknown: (path: string) => void): unknown {
  if (isObject(value)) return pruneObject(value, schema, path, unknown);
  if (!Array.isArray(value)) return value;
  // Without a schema of the items, their fields are unknown, unless unknown fields are preserved.
  const keeps = schema?.['x-kubernetes-preserve-unknown-fields'] === true && schema.items === undefined;
  if (keeps) return value;
  const items: unknown[] = value.map((item: unknown, index) => pruneValue(item, schema?.items, `${path}[${index}]`, unknown));
  return items.some((item, index) => item !== value[index]) ? items : value;
}

function pruneObject(object: JsonObject, schema: Schema | undefined, path: string, unknown: (path: string) => void): JsonObject {
  const preserves = schema?.['x-kubernetes-preserve-unknown-fields'] === true;
  const embedded = schema?.['x-kubernetes-embedded-resource'] === true;
  let kept: Record<string, unknown> | undefined;
  for (const [key, value] of Object.entries(object)) {
    if (embedded && META_FIELDS.includes(key)) continue;
    const below = path === '' ? key : `${path}.${key}`;
    const property = schema === undefined ? undefined : propertyOf(schema, key);
    if (property === undefined && preserves) continue;
    if (property === undefined) {
      unknown(below);
      kept ??= { ...object };
      delete kept[key];
      continue;
    }
    const pruned = pruneValue(value, property, below, unknown);
    if (pruned !== value) kept = { ...(kept ?? object), [key]: pruned };
  }
  return kept ?? object;
}
