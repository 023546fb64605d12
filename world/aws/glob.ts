/** One part of a pattern: a literal character, any character (`?`), or any number of any characters (`*`). */
type Part = { readonly literal: string } | '?' | '*';

/**
 * Whether a filter's pattern matches the whole value: `*` stands for any characters, `?` for one, and a backslash escapes `*`,
 * `?` and itself; before anything else it is a literal. A mismatch only ever backtracks to the last `*`, so the work is bounded
 * by the product of both lengths.
 */
export function globMatcher(pattern: string): (value: string) => boolean {
  const parts = parse(pattern);
  return (value) => matches(parts, [...value]);
}

function parse(pattern: string): Part[] {
  return [...pattern.matchAll(/\\([*?\\])|[^]/gu)].map(([text, escaped]): Part => {
    if (escaped !== undefined) return { literal: escaped };
    return text === '*' || text === '?' ? text : { literal: text };
  });
}

function matches(parts: readonly Part[], value: readonly string[]): boolean {
  let part = 0;
  let at = 0;
  let star: { readonly part: number; at: number } | undefined;
  while (at < value.length) {
    const wanted = parts[part];
    if (wanted === '*') {
      star = { part, at };
      part += 1;
    } else if (wanted === '?' || (wanted !== undefined && wanted.literal === value[at])) {
      part += 1;
      at += 1;
    } else if (star !== undefined) {
      star.at += 1;
      part = star.part + 1;
      at = star.at;
    } else {
      return false;
    }
  }
  return parts.slice(part).every((rest) => rest === '*');
}
