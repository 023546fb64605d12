import { isJsonObject, setOwn } from './json.ts';
import { elementOf } from './types.ts';
import type { KubeTypes } from './types.ts';

/**
 * The fields of an object that its built-in type doesn't have, as in the strict decoder's errors: `spec.containers[0].foo`, in the
 * order in which they were sent. Nothing below an unknown field is listed.
 */
export function unknownFields(object: unknown, type: string, types: KubeTypes): string[] {
  const unknown: string[] = [];
  walk(object, type, '', types, (path) => unknown.push(path));
  return unknown;
}

/** The object without the fields that its built-in type doesn't have, as Go's decoder drops them. */
export function withoutUnknownFields<T>(object: T, type: string, types: KubeTypes): T {
  return walk(object, type, '', types, () => undefined) as T;
}

/** Copies the known fields, and reports each unknown one. */
function walk(value: unknown, type: string, path: string, types: KubeTypes, onUnknown: (path: string) => void): unknown {
  const element = elementOf(type);
  if (element?.of === 'list') {
    if (!Array.isArray(value)) return value;
    return value.map((item, index) => walk(item, element.type, `${path}[${index}]`, types, onUnknown));
  }
  if (!isJsonObject(value)) return value;
  const known = element === undefined ? types.find(type) : undefined;
  if (element === undefined && (known === undefined || known.open === true)) return value;
  const result: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(value)) {
    const at = path === '' ? key : `${path}.${key}`;
    const field = element?.type ?? (known !== undefined && Object.hasOwn(known.fields, key) ? known.fields[key]?.type : undefined);
    if (field === undefined) onUnknown(at);
    else setOwn(result, key, walk(part, field, at, types, onUnknown));
  }
  return result;
}
