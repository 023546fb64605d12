import { isDeepStrictEqual } from 'node:util';
import { fieldsOf, partsOf } from './field-set.ts';
import type { FieldSet } from './field-set.ts';
import { isJsonObject, setOwn } from './json.ts';
import type { MergeShape } from './merge-shape.ts';

/** The differences between the fields of two values. */
export interface Comparison {
  readonly added: Set<string>;
  readonly modified: Set<string>;
  readonly removed: Set<string>;
}

/** Compares two values field by field. */
export function compareFields(before: unknown, after: unknown, shape: MergeShape): Comparison {
  const result: Comparison = { added: new Set(), modified: new Set(), removed: new Set() };
  compare(before, after, shape, '', result);
  return result;
}

function compare(before: unknown, after: unknown, shape: MergeShape, path: string, result: Comparison): void {
  if (isDeepStrictEqual(before, after)) return;
  const [was, is] = [partsOf(before, shape, path), partsOf(after, shape, path)];
  if (was === undefined || is === undefined) {
    if (before === undefined) addAll(result.added, fieldsOf(after, shape, path, true));
    else if (after === undefined) addAll(result.removed, fieldsOf(before, shape, path, true));
    else result.modified.add(path);
    return;
  }
  for (const [at, part] of is) {
    const old = was.get(at);
    if (old === undefined && shape.kind === 'list') result.added.add(at);
    compare(old?.value, part.value, part.shape, at, result);
  }
  for (const [at, part] of was) {
    if (is.has(at)) continue;
    if (shape.kind === 'list') result.removed.add(at);
    compare(part.value, undefined, part.shape, at, result);
  }
}

function addAll(set: Set<string>, fields: FieldSet): void {
  for (const field of fields) set.add(field);
}

/** A value with an applied configuration merged into it (`typed/merge.go`). */
export function mergeFields(before: unknown, applied: unknown, shape: MergeShape): unknown {
  const [was, is] = [partsOf(before, shape, ''), partsOf(applied, shape, '')];
  if (was === undefined || is === undefined) return applied;
  if (shape.kind === 'object') {
    const result: Record<string, unknown> = isJsonObject(before) ? { ...before } : {};
    for (const [at, { value, shape: inner, name }] of is) {
      if (value === null) continue;
      setOwn(result, name, mergeFields(was.get(at)?.value, value, inner));
    }
    return result;
  }
  return mergedOrder([...was.keys()], [...is.keys()]).map((at) => {
    const [old, next] = [was.get(at), is.get(at)];
    if (next === undefined) return old?.value;
    return old === undefined ? next.value : mergeFields(old.value, next.value, next.shape);
  });
}

/**
 * The order of a merged list: the elements of the configuration in its order, the others in their old places between them.
 * @param before elements of the object
 * @param applied elements of the configuration
 */
function mergedOrder(before: readonly string[], applied: readonly string[]): string[] {
  const [known, wanted] = [new Set(before), new Set(applied)];
  const order: string[] = [];
  let at = 0;
  for (const next of applied) {
    const others = before.slice(at);
    // A known element comes in its old place, unless that has passed. A new one comes after the elements that only the object has.
    const found = known.has(next) ? others.indexOf(next) : others.findIndex((element) => wanted.has(element));
    const turn = found < 0 && !known.has(next) ? others.length : Math.max(found, 0);
    order.push(...others.slice(0, turn).filter((element) => !wanted.has(element)), next);
    at += known.has(next) && found >= 0 ? found + 1 : turn;
  }
  return [...order, ...before.slice(at).filter((element) => !wanted.has(element))];
}

/**
 * A value without some of its fields and all below them. Containers that become empty are removed too (`typed/remove.go`).
 */
export function removeFields(value: unknown, shape: MergeShape, fields: FieldSet, path = ''): unknown {
  const parts = partsOf(value, shape, path);
  if (parts === undefined) return value;
  const kept = [...parts]
    .filter(([at]) => !fields.has(at))
    .map(([at, part]) => {
      const rest = removeFields(part.value, part.shape, fields, at);
      return { ...part, value: rest, emptied: rest !== part.value && isEmpty(rest) };
    });
  const remaining = kept.filter(({ emptied }) => !emptied);
  const isSame = remaining.length === parts.size && remaining.every(({ value: rest }, index) => rest === [...parts.values()][index]?.value);
  if (isSame) return value;
  if (shape.kind !== 'object') return remaining.map(({ value: rest }) => rest);
  const result: Record<string, unknown> = {};
  for (const { name, value: rest } of remaining) setOwn(result, name, rest);
  return result;
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0;
}
