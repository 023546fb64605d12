import { getOwn, isJsonObject } from '../../../protocols/kube/json.ts';
import type { JsonObject } from '../../../protocols/kube/json.ts';
import { formatLabelSelector } from '../../../protocols/kube/label-selector.ts';
import { formatDuration } from './duration.ts';

/** The value at these keys; undefined if there is none. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value;
  for (const key of path) {
    if (Array.isArray(found)) found = (found as unknown[])[Number(key)];
    else found = isJsonObject(found) ? getOwn(found, String(key)) : undefined;
  }
  return found;
}

/** Text at these keys, or the fallback. */
export function textAt(value: unknown, path: readonly (string | number)[], otherwise = ''): string {
  const found = at(value, ...path);
  return typeof found === 'string' && found !== '' ? found : otherwise;
}

/** A number at these keys; 0 if there is none, as in Go. */
export function countAt(value: unknown, ...path: readonly (string | number)[]): number {
  const found = at(value, ...path);
  return typeof found === 'number' ? found : 0;
}

/** The objects of a list at these keys. */
export function listAt(value: unknown, ...path: readonly string[]): JsonObject[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found.filter(isJsonObject) : [];
}

/** The texts of a list at these keys. */
export function textsAt(value: unknown, ...path: readonly string[]): string[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found.filter((one) => typeof one === 'string') : [];
}

/** The first items, and how many more there are: `a,b + 3 more...` */
export function shortList(items: readonly string[], most: number, separator = ','): string {
  const shown = items.slice(0, most).join(separator);
  return items.length > most ? `${shown} + ${items.length - most} more...` : shown;
}

/** How long ago a time was, `<unknown>` for none. */
export function ageOf(time: unknown, nowMs: number): string {
  return typeof time === 'string' && time !== '' ? formatDuration(nowMs - Date.parse(time)) : '<unknown>';
}

export function hasCondition(object: unknown, type: string): boolean {
  return listAt(object, 'status', 'conditions').some((condition) => condition['type'] === type && condition['status'] === 'True');
}

/** `a=b,c=d` sorted by key, `<none>` for none. */
export function formatLabels(labels: unknown): string {
  const pairs = isJsonObject(labels) ? Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`) : [];
  return pairs.length === 0 ? '<none>' : pairs.sort().join(',');
}

/** A label selector in its string form, `<none>` for none. */
export function formatSelector(selector: unknown): string {
  return (isJsonObject(selector) ? formatLabelSelector(selector) : '') || '<none>';
}
