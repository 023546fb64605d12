import { isDeepStrictEqual } from 'node:util';

/** Where two answers first differ. */
export interface Found {
  readonly path: string;
  readonly kind: 'missing' | 'extra' | 'differs';
  readonly real: unknown;
  readonly ours: unknown;
}

/** The first difference of two answers, with its path of keys; `status` comes before all others. */
export function firstDifference(real: unknown, ours: unknown, path = ''): Found | undefined {
  if (isDeepStrictEqual(real, ours)) return undefined;
  if (Array.isArray(real) && Array.isArray(ours)) {
    for (const [index, one] of real.entries()) {
      const found = index < ours.length ? firstDifference(one, ours[index], `${path}.*`) : undefined;
      if (found !== undefined) return found;
    }
    return { path, kind: real.length > ours.length ? 'missing' : 'extra', real, ours };
  }
  if (isObject(real) && isObject(ours)) {
    for (const key of [...new Set([...Object.keys(real), ...Object.keys(ours)])].sort(statusFirst)) {
      const below = path === '' ? key : `${path}.${/^f:|^k:|[./]/.test(key) ? '*' : key}`;
      if (!(key in ours)) return { path: below, kind: 'missing', real: real[key], ours: undefined };
      if (!(key in real)) return { path: below, kind: 'extra', real: undefined, ours: ours[key] };
      const found = firstDifference(real[key], ours[key], below);
      if (found !== undefined) return found;
    }
  }
  return { path, kind: 'differs', real, ours };
}

function statusFirst(a: string, b: string): number {
  const rank = (key: string): string => (key === 'status' ? '' : key);
  return rank(a) < rank(b) ? -1 : 1;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Differences grouped by name, the most frequent class first, and in each the shortest script first. */
export function classesOf<T extends { readonly name: string }>(
  differences: readonly T[],
  sizeOf: (one: T) => number,
): { name: string; count: number; smallest: T }[] {
  const classes = new Map<string, T[]>();
  for (const one of differences) classes.set(one.name, [...(classes.get(one.name) ?? []), one]);
  return [...classes]
    .map(([name, members]) => {
      const smallest = members.reduce((best, one) => (sizeOf(one) < sizeOf(best) ? one : best));
      return { name, count: members.length, smallest };
    })
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}
