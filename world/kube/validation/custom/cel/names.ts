/** Reserved words of CEL. */
const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

/** Whether a word is reserved: no identifier may be named so. */
export function isReserved(name: string): boolean {
  return RESERVED.has(name);
}

const ESCAPES: Readonly<Record<string, string>> = { __: '__underscores__', '.': '__dot__', '-': '__dash__', '/': '__slash__' };

/**
 * The identifier of a field in rules: `foo-bar` is `foo__dash__bar` (`apiserver/pkg/cel/escaping.go`).
 * @returns undefined for a field that rules can't access
 */
export function escapeName(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`;
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined;
  return name.replaceAll(/__|[-./]/g, (part) => ESCAPES[part] ?? part);
}
