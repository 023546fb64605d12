import { isJsonObject, setOwn } from './json.ts';

/**
 * JSON merge patch (RFC 7386). Unchanged parts are shared with the target, not copied; a patch that changes nothing returns the
 * target itself. Every key, also `__proto__`, becomes an own property of the result.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const base = isJsonObject(target) ? target : {};
  let result: Record<string, unknown> | undefined = base === target ? undefined : {};
  for (const [key, change] of Object.entries(patch)) {
    const before = Object.hasOwn(base, key) ? base[key] : undefined;
    const after = change === null ? undefined : mergePatch(before, change);
    if (after === before && (after !== undefined) === Object.hasOwn(base, key)) continue;
    result ??= { ...base };
    if (after === undefined) delete result[key];
    else setOwn(result, key, after);
  }
  return result ?? base;
}
