/** The single changes of a merge patch. */
export function leaves(patch: unknown, path = ''): { readonly path: string; readonly value: unknown }[] {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return [{ path, value: patch }];
  return Object.entries(patch).flatMap(([key, value]) => leaves(value, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`));
}

/** Merges two patches; the second has precedence. */
export function merged(first: object, second: object): object {
  const result: Record<string, unknown> = { ...first };
  for (const [key, value] of Object.entries(second) as [string, unknown][]) {
    const before = result[key];
    const both = isPlain(before) && isPlain(value);
    result[key] = both ? merged(before, value) : value;
  }
  return result;
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function withoutNulls(value: unknown): unknown {
  if (!isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]: [string, unknown]) => (one === null ? [] : [[key, withoutNulls(one)]])),
  );
}

export function labelsOf(metadata: object): object {
  const { labels } = metadata as { labels?: unknown };
  return isPlain(labels) ? labels : {};
}
