import { formatGo, getOwn, isJsonObject, jsonType, setOwn } from './json.ts';
import type { JsonObject } from './json.ts';
import { StatusError, badRequest } from './status.ts';
import { identityOf, orderElements } from './strategic-order.ts';
import { elementOf } from './types.ts';
import type { FieldType, KubeTypes } from './types.ts';

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const ELEMENT_ORDER = '$setElementOrder/';
const DELETE_FROM_LIST = '$deleteFromPrimitiveList/';

/**
 * Strategic merge patch of an object of a built-in type, as `k8s.io/apimachinery/pkg/util/strategicpatch` merges on the
 * server: lists by the patch strategies and merge keys of the type, with the directives `$patch`, `$retainKeys`,
 * `$setElementOrder` and `$deleteFromPrimitiveList`.
 * @param type name of the object's type
 * @throws StatusError 400 for malformed directives, 500 for elements without their merge key, as the real server does
 */
export function strategicMergePatch(target: unknown, patch: unknown, type: string, types: KubeTypes): unknown {
  if (!isJsonObject(patch)) throw badRequest(`json: cannot unmarshal ${jsonType(patch)} into Go value of type map[string]interface {}`);
  return mergeMap(isJsonObject(target) ? target : {}, patch, type, types);
}

function mergeMap(original: JsonObject, sent: JsonObject, type: string, types: KubeTypes): JsonObject {
  const directive = getOwn(sent, DIRECTIVE);
  if (directive !== undefined) return applyDirective(directive, sent);
  const patch = new Map(Object.entries(sent));
  const result = retained(original, patch);
  setElementOrders(result, patch, type, types);
  for (const [key, change] of patch) {
    const isDeletion = key.startsWith(DELETE_FROM_LIST);
    const field = isDeletion ? key.slice(DELETE_FROM_LIST.length) : key;
    const before = getOwn(result, field);
    if (change === null) {
      Reflect.deleteProperty(result, field);
      continue;
    }
    const fieldType = fieldOf(type, field, types);
    if (isJsonObject(before) && isJsonObject(change)) {
      const isReplaced = fieldType?.patch === 'replace';
      setOwn(result, field, isReplaced ? change : mergeMap(before, change, inner(fieldType, type), types));
    } else if (Array.isArray(before) && Array.isArray(change)) {
      setOwn(result, field, mergeList(before, change, fieldType, types, isDeletion));
    } else if (!isDeletion) {
      const value = withoutDirectives(change);
      if (value === undefined) Reflect.deleteProperty(result, field);
      else setOwn(result, field, value);
    }
  }
  return result;
}

function applyDirective(directive: unknown, patch: JsonObject): JsonObject {
  if (directive === 'delete') return {};
  if (directive !== 'replace') throw failed(`unknown patch type: ${formatGo(directive)} in map: ${formatGo(patch)}`);
  const { [DIRECTIVE]: _directive, ...rest } = patch;
  return rest;
}

/** A copy of the original with the keys that the patch retains. */
function retained(original: JsonObject, patch: Map<string, unknown>): Record<string, unknown> {
  const keys = patch.get(RETAIN_KEYS);
  if (keys === undefined) return { ...original };
  patch.delete(RETAIN_KEYS);
  const isFit =
    Array.isArray(keys) &&
    [...patch].every(
      ([key, value]) => value === null || key.startsWith(ELEMENT_ORDER) || key.startsWith(DELETE_FROM_LIST) || keys.includes(key),
    );
  if (!isFit) throw badRequest('invalid patch format of retainKeys');
  return Object.fromEntries(Object.entries(original).filter(([key]) => keys.includes(key)));
}

/** Merges the lists whose order the patch sets, and removes them from the patch. */
function setElementOrders(result: Record<string, unknown>, patch: Map<string, unknown>, type: string, types: KubeTypes): void {
  for (const [key, order] of [...patch]) {
    if (!key.startsWith(ELEMENT_ORDER)) continue;
    patch.delete(key);
    const field = key.slice(ELEMENT_ORDER.length);
    const [before, change] = [getOwn(result, field), patch.get(field)];
    const areLists = [order, before ?? [], change ?? []].every(Array.isArray);
    if (!areLists) throw badRequest('invalid patch format of setElementOrder list');
    if (before === undefined && change === undefined) continue;
    const fieldType = fieldOf(type, field, types);
    const mergeKey = fieldType?.key ?? '';
    checkOrder((change ?? []) as unknown[], order as unknown[], mergeKey);
    let merged = before as unknown[];
    if (change !== undefined) {
      const added = change as unknown[];
      merged = before === undefined ? (withoutDirectives(added) as unknown[]) : mergeList(merged, added, fieldType, types, false);
    }
    setOwn(result, field, orderElements(merged, order as unknown[], (before ?? []) as unknown[], mergeKey));
    patch.delete(field);
  }
}

/** The elements of the patch must be in the order that it sets. */
function checkOrder(change: readonly unknown[], order: readonly unknown[], mergeKey: string): void {
  if (order.length === 0) return;
  const kept = change.filter((element) => !isJsonObject(element) || getOwn(element, DIRECTIVE) === undefined);
  let at = 0;
  for (const element of order) if (at < kept.length && identityOf(kept[at], mergeKey) === identityOf(element, mergeKey)) at += 1;
  if (at < kept.length) {
    const [list, wanted] = [formatGo(change), formatGo(order)];
    throw failed(`The order in patch list:\n${list}\n doesn't match ${ELEMENT_ORDER.slice(0, -1)} list:\n${wanted}\n`);
  }
}

function mergeList(
  before: readonly unknown[],
  change: readonly unknown[],
  field: FieldType | undefined,
  types: KubeTypes,
  isDeletion: boolean,
): unknown[] {
  if (field?.patch?.split(',').includes('merge') !== true) return [...change];
  if (before.length === 0 && change.length === 0) return [];
  const mergeKey = field.key ?? '';
  if (![...before, ...change].some(isJsonObject)) {
    if (isDeletion) return before.filter((element) => !change.includes(element));
    return orderElements([...new Set([...before, ...change])], change, before, '');
  }
  if (mergeKey === '') throw failed(`cannot merge lists without merge key for ${field.type}`);
  const { base, elements } = specialElements(before, change, mergeKey);
  const merged = [...base];
  for (const element of elements) {
    const at = merged.findIndex((one) => isJsonObject(one) && one[mergeKey] === element[mergeKey]);
    const found = merged[at];
    if (isJsonObject(found)) merged[at] = mergeMap(found, element, inner(field, ''), types);
    else merged.push(withoutDirectives(element));
  }
  return orderElements(merged, elements, base, mergeKey);
}

/** Applies the directives in a list's elements. */
function specialElements(
  before: readonly unknown[],
  change: readonly unknown[],
  mergeKey: string,
): { readonly base: readonly unknown[]; readonly elements: readonly JsonObject[] } {
  let base = before;
  const elements: JsonObject[] = [];
  let isReplaced = false;
  for (const element of change) {
    if (!isJsonObject(element)) throw failed(`expected a struct, but received a ${typeof element}`);
    const directive = getOwn(element, DIRECTIVE);
    if (directive === 'replace') isReplaced = true;
    else if (directive !== undefined && directive !== 'delete') {
      throw failed(`unknown patch type: ${formatGo(directive)} in map: ${formatGo(element)}`);
    } else {
      const identity = getOwn(element, mergeKey);
      if (identity === undefined) throw failed(`map: ${formatGo(element)} does not contain declared merge key: ${mergeKey}`);
      if (directive === 'delete') base = base.filter((one) => !isJsonObject(one) || one[mergeKey] !== identity);
      else elements.push(element);
    }
  }
  return isReplaced ? { base: elements, elements: [] } : { base, elements };
}

/** A new value without its merge directives. Undefined if nothing else is left. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((element) => element !== undefined);
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, DIRECTIVE)) return undefined;
  const result: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(value)) {
    const kept = part === null ? undefined : withoutDirectives(part);
    if (kept !== undefined) setOwn(result, key, kept);
  }
  return result;
}

function fieldOf(type: string, field: string, types: KubeTypes): FieldType | undefined {
  const element = elementOf(type);
  if (element?.of === 'map') return { type: element.type };
  const fields = types.find(type)?.fields;
  return fields !== undefined && Object.hasOwn(fields, field) ? fields[field] : undefined;
}

/** The type that has a field's own fields. */
function inner(field: FieldType | undefined, fallback: string): string {
  if (field === undefined) return fallback;
  return field.type.startsWith('[]') ? field.type.slice(2) : field.type;
}

/** An error for which the real server has no specific status. */
function failed(message: string): StatusError {
  return new StatusError(500, '', message);
}
