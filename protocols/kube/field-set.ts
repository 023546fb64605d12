import { isJsonObject, setOwn } from './json.ts';
import type { JsonObject } from './json.ts';
import type { MergeShape } from './merge-shape.ts';

/**
 * A set of fields of an object: paths whose elements are written as in `metadata.managedFields` (`f:spec`,
 * `k:{"name":"web"}`, `v:"x"`). Elements are joined by a line feed, which JSON escapes and names don't have.
 */
export type FieldSet = ReadonlySet<string>;

const SEPARATOR = '\n';

export function childPath(path: string, element: string): string {
  return path === '' ? element : path + SEPARATOR + element;
}

/** Whether a set has anything below a path. */
export function hasBelow(set: FieldSet, path: string): boolean {
  for (const one of set) if (one.startsWith(path + SEPARATOR)) return true;
  return false;
}

/** The path of a list element, with the keys that identify it. */
export function elementPath(path: string, element: unknown, keys: Readonly<Record<string, unknown>>): string {
  const pairs = Object.keys(keys)
    .sort()
    .map((key) => [key, (isJsonObject(element) ? element[key] : undefined) ?? keys[key]] as const)
    .filter(([, value]) => value !== undefined);
  return childPath(path, `k:${JSON.stringify(Object.fromEntries(pairs))}`);
}

/** The parts of a value by its shape, each with its path; undefined for an atomic value. */
export function partsOf(
  value: unknown,
  shape: MergeShape,
  path: string,
): Map<string, { value: unknown; shape: MergeShape; name: string }> | undefined {
  if (shape.kind === 'object' && isJsonObject(value)) {
    return new Map(
      Object.entries(value).map(([name, part]) => [childPath(path, `f:${name}`), { value: part, shape: shape.field(name), name }]),
    );
  }
  if (shape.kind === 'list' && Array.isArray(value)) {
    return new Map(value.map((part: unknown) => [elementPath(path, part, shape.keys), { value: part, shape: shape.element, name: '' }]));
  }
  if (shape.kind === 'set' && Array.isArray(value)) {
    return new Map(
      value.map((part: unknown) => [childPath(path, `v:${JSON.stringify(part)}`), { value: part, shape: { kind: 'leaf' }, name: '' }]),
    );
  }
  return undefined;
}

/**
 * All fields that a value sets, as in `typed/tofieldset.go`: also the elements of lists and the entries of maps themselves, and
 * empty values.
 * @param withMaps include maps and lists themselves, besides their entries
 */
export function fieldsOf(value: unknown, shape: MergeShape, path = '', withMaps = false): Set<string> {
  const fields = new Set<string>();
  addFields(value, shape, path, withMaps, fields);
  return fields;
}

function addFields(value: unknown, shape: MergeShape, path: string, withMaps: boolean, fields: Set<string>): void {
  const parts = partsOf(value, shape, path);
  if (parts === undefined || (parts.size === 0 && (shape.kind === 'object' || withMaps))) {
    if (path !== '') fields.add(path);
    return;
  }
  const isMap = shape.kind === 'object' && shape.isMap;
  const isNewList = (shape.kind === 'list' || shape.kind === 'set') && shape.isAlwaysThere !== true;
  if (withMaps && path !== '' && (isMap || isNewList)) fields.add(path);
  for (const [at, part] of parts) {
    if (shape.kind === 'list' || shape.kind === 'set' || isMap) fields.add(at);
    addFields(part.value, part.shape, at, withMaps, fields);
  }
}

/** A set completed with the struct fields above its members (`Set.EnsureNamedFieldsAreMembers`). */
export function withParents(set: FieldSet, shape: MergeShape): Set<string> {
  const all = new Set(set);
  for (const path of set) {
    let [inner, at] = [shape, ''];
    for (const element of path.split(SEPARATOR)) {
      at = childPath(at, element);
      if (inner.kind === 'object') {
        if (!inner.isMap) all.add(at);
        inner = inner.field(element.slice(2));
      } else if (inner.kind === 'list') inner = inner.element;
      else break;
    }
  }
  return all;
}

/** A set in the format of `fieldsV1`. */
export function writeFields(set: FieldSet): JsonObject {
  const root: Record<string, unknown> = {};
  for (const path of [...set].sort()) {
    let node = root;
    for (const element of path.split(SEPARATOR)) {
      let next = Object.hasOwn(node, element) ? (node[element] as Record<string, unknown>) : undefined;
      if (next === undefined) {
        next = {};
        setOwn(node, element, next);
      }
      node = next;
    }
    if (hasBelow(set, path)) node['.'] = {};
  }
  return root;
}

/** Reads `fieldsV1`. */
export function readFields(fields: unknown, path = '', set = new Set<string>()): Set<string> {
  const entries = isJsonObject(fields) ? Object.entries(fields) : [];
  if (path !== '' && entries.length === 0) set.add(path);
  for (const [element, below] of entries) {
    if (element === '.') set.add(path);
    else readFields(below, childPath(path, element), set);
  }
  return set;
}

/** A path in the format of error messages: `.spec.containers[name="web"].image`. */
export function formatPath(path: string): string {
  return path
    .split(SEPARATOR)
    .map((element) => {
      const content = element.slice(2);
      if (element.startsWith('f:')) return `.${content}`;
      if (element.startsWith('v:')) return `[=${content}]`;
      const pairs = Object.entries(JSON.parse(content) as JsonObject).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
      return `[${pairs.join(',')}]`;
    })
    .join('');
}
