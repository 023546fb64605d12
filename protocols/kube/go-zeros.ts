import { isJsonObject, setOwn } from './json.ts';
import { elementOf } from './types.ts';
import type { KubeTypes } from './types.ts';

/**
 * An object of a built-in type after a round trip through Go: without the empty lists, maps and strings, zeros and falses of
 * fields with `omitempty`. Returns the same object if nothing is omitted.
 */
export function withoutZeros<T>(object: T, type: string, types: KubeTypes): T {
  return walk(object, type, types) as T;
}

function walk(value: unknown, type: string, types: KubeTypes): unknown {
  const element = elementOf(type);
  if (element?.of === 'list') {
    if (!Array.isArray(value) || isScalar(element.type, types)) return value;
    const items = value.map((item) => walk(item, element.type, types));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  if (element !== undefined) {
    if (isScalar(element.type, types)) return value;
    return mapped(value, (_key, part) => walk(part, element.type, types));
  }
  const known = types.find(type);
  if (known === undefined || known.open === true) return value;
  return mapped(value, (key, part) => {
    const field = Object.hasOwn(known.fields, key) ? known.fields[key] : undefined;
    if (field === undefined) return part;
    return field.zero !== true && isZero(part, field.type) ? undefined : walk(part, field.type, types);
  });
}

/** The object with each value mapped by `change`, without those for which it returns undefined. */
function mapped(object: Readonly<Record<string, unknown>>, change: (key: string, value: unknown) => unknown): object {
  let copy: Record<string, unknown> | undefined;
  for (const [key, part] of Object.entries(object)) {
    const next = change(key, part);
    if (next === part) continue;
    copy ??= { ...object };
    if (next === undefined) delete copy[key];
    else setOwn(copy, key, next);
  }
  return copy ?? object;
}

function isScalar(type: string, types: KubeTypes): boolean {
  return elementOf(type) === undefined && types.find(type) === undefined;
}

/** Empty structs stay: `omitempty` never omits a struct in Go. */
function isZero(value: unknown, type: string): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isJsonObject(value)) return elementOf(type)?.of === 'map' && Object.keys(value).length === 0;
  return isNative(type) && (value === '' || value === 0 || value === false);
}

/** Quantities and the like are structs in Go. */
function isNative(type: string): boolean {
  return ['string', 'bool', 'int32', 'int64', 'double', 'bytes'].includes(type);
}
