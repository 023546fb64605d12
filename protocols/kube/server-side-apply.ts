import { fieldsOf } from './field-set.ts';
import type { FieldSet } from './field-set.ts';
import type { JsonObject } from './json.ts';
import { applyConflict, isSameManager, ownable } from './managers.ts';
import type { Manager } from './managers.ts';
import { compareFields, mergeFields, removeFields } from './merge-fields.ts';
import type { MergeShape } from './merge-shape.ts';

/** Who owned all of an object that was never applied before. */
const BEFORE_FIRST_APPLY = 'before-first-apply';

/** An object with its managers. */
export interface Managed {
  readonly object: JsonObject;
  readonly managers: readonly Manager[];
}

/** Who changes an object, and how. */
export type Change = Omit<Manager, 'fields'>;

/**
 * Applies a configuration: merges it over the object, takes away what its manager applied before and nobody owns any
 * more, and gives it the fields that it sets (`structured-merge-diff`, `merge/update.go`).
 *
 * Where it differs: elements that are new to a list are put behind the others, whatever their order in the configuration;
 * of a list that is merged no element is asked to be unique; the versions of a type are taken to have the same fields.
 * @param live undefined when there is no object yet
 * @throws StatusError 409 when others own what it would change, unless forced
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
  const set = ownable(fieldsOf(applied, shape));
  const last = managers.find((manager) => isSameManager(manager, change));
  const others = managers.filter((manager) => manager !== last);
  const owned = union([set, ...others.map(({ fields }) => fields)]);
  const merged = mergeFields(before, applied, shape);
  const abandoned = new Set([...(last?.fields ?? [])].filter((field) => !owned.has(field)));
  const object = (abandoned.size === 0 ? merged : removeFields(merged, shape, abandoned, owned)) as JsonObject;

  const { added, modified, removed } = compareFields(before, object, shape);
  const changed = new Set([...added, ...modified]);
  const conflicts = others
    .map((manager) => ({ manager, fields: intersection(manager.fields, changed) }))
    .filter(({ fields }) => fields.size > 0);
  if (!force && conflicts.length > 0) throw applyConflict(conflicts);
  const lost = union([changed, removed]);
  const isSame = last !== undefined && last.fields.size === set.size && [...set].every((field) => last.fields.has(field));
  const mine: Manager = { ...change, time: isSame ? last.time : change.time, fields: set };
  return { object, managers: [...others.map((manager) => without(manager, lost)), mine] };
}

/**
 * What an update other than an apply does to the managers: who changes a field owns it alone.
 * @returns the managers as they were when no field changed
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
  const mine = managers.find((manager) => isSameManager(manager, change));
  const others = managers.filter((manager) => manager !== mine).map((manager) => without(manager, union([changed, removed])));
  const kept = mine === undefined ? new Set<string>() : without(mine, removed).fields;
  const fields = union([kept, changed]);
  const isSame = mine !== undefined && fields.size === mine.fields.size;
  return [...others, { ...change, time: isSame ? mine.time : change.time, fields }];
}

function firstManagers({ object, managers }: Managed, shape: MergeShape, { apiVersion, time }: Change): readonly Manager[] {
  if (managers.length > 0) return managers;
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
