import { isDeepStrictEqual } from 'node:util';
import { fieldsOf, withParents } from './field-set.ts';
import type { FieldSet } from './field-set.ts';
import type { JsonObject } from './json.ts';
import { applyConflict, isSameManager, ownable } from './managers.ts';
import type { Manager } from './managers.ts';
import { compareFields, mergeFields, removeFields } from './merge-fields.ts';
import type { MergeShape } from './merge-shape.ts';

/** The manager that owns all fields of an object before its first apply. */
const BEFORE_FIRST_APPLY = 'before-first-apply';

/** An object with its managers. */
export interface Managed {
  readonly object: JsonObject;
  readonly managers: readonly Manager[];
}

/** The manager that changes an object, and its operation. */
export type Change = Omit<Manager, 'fields'>;

/**
 * Applies a configuration: merges it into the object, removes fields that its manager applied before and nobody owns any more,
 * and makes the manager an owner of the fields that it sets (`structured-merge-diff`, `merge/update.go`).
 *
 * Differences: the elements of a merged list are not checked to be unique; all versions of a type are taken to have the same
 * fields.
 * @param live undefined if the object does not exist yet
 * @throws StatusError 409 if it would change fields of other managers, unless forced
 */
export function serverSideApply(
  live: Managed | undefined,
  applied: JsonObject,
  shape: MergeShape,
  change: Change,
  force: boolean,
): Managed {
  const before = live?.object ?? {};
  const managers = live === undefined ? [] : firstManagers(live, shape, change);
  const fields = fieldsOf(applied, shape);
  const set = ownable(fields);
  const last = managers.find((manager) => isSameManager(manager, change));
  const others = managers.filter((manager) => manager !== last);
  const owned = union([fields, ...others.map((manager) => manager.fields)]);
  const merged = mergeFields(before, applied, shape);
  const kept = withParents(owned, shape);
  const abandoned = new Set([...withParents(last?.fields ?? new Set(), shape)].filter((field) => !kept.has(field)));
  const object = (abandoned.size === 0 ? merged : removeFields(merged, shape, abandoned)) as JsonObject;

  const { added, modified, removed } = compareFields(before, object, shape);
  const changed = new Set([...added, ...modified]);
  const conflicts = others
    .map((manager) => ({ manager, fields: intersection(manager.fields, changed) }))
    .filter((conflict) => conflict.fields.size > 0);
  if (!force && conflicts.length > 0) throw applyConflict(conflicts);
  const lost = union([changed, removed]);
  // A manager that changes nothing keeps its time, if it has one.
  const time = live !== undefined && isDeepStrictEqual(object, before) ? last?.time : change.time;
  return { object, managers: [...others.map((manager) => without(manager, lost)), { ...change, time, fields: set }] };
}

/**
 * The managers after an update other than an apply: the changed fields belong to this manager only.
 * @returns the same managers if no field changed
 */
export function managersAfterUpdate(
  { object, managers }: Managed,
  after: JsonObject,
  shape: MergeShape,
  change: Change,
): readonly Manager[] {
  const { added, modified, removed } = compareFields(object, after, shape);
  const changed = ownable(new Set([...added, ...modified]));
  if (changed.size === 0 && removed.size === 0) return managers;
  const left = managers.map((manager) => without(manager, union([changed, removed])));
  if (changed.size === 0) return left;
  const mine = left.find((manager) => isSameManager(manager, change));
  return [...left.filter((manager) => manager !== mine), { ...change, fields: union([mine?.fields ?? new Set(), changed]) }];
}

function firstManagers({ object, managers }: Managed, shape: MergeShape, change: Change): readonly Manager[] {
  return managers.length > 0 ? managers : ownersUnknown(object, shape, change);
}

/** The managers of an object whose writer is unknown. */
export function ownersUnknown(object: JsonObject, shape: MergeShape, { apiVersion, time }: Change): readonly Manager[] {
  const fields = ownable(fieldsOf(object, shape, '', true));
  return [{ name: BEFORE_FIRST_APPLY, operation: 'Update', apiVersion, time, fields }];
}

function union(sets: readonly FieldSet[]): Set<string> {
  return new Set(sets.flatMap((set) => [...set]));
}

function intersection(a: FieldSet, b: FieldSet): Set<string> {
  return new Set([...a].filter((field) => b.has(field)));
}

function without(manager: Manager, fields: FieldSet): Manager {
  return { ...manager, fields: new Set([...manager.fields].filter((field) => !fields.has(field))) };
}
