/** The characters of POSIX classes inside brackets. */
const POSIX: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  blank: '\\t ',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  lower: 'a-z',
  print: ' -~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

/** JavaScript syntax that Go does not have: lookaround and backreferences. */
const NOT_IN_GO = /\(\?(?:=|!|<=|<!)|\\[1-9]|\\k</;

/**
 * A regular expression from Go's syntax (RE2), as used in definitions and their rules.
 * @returns undefined if Go would refuse the pattern, or JavaScript has no equivalent
 */
export function goRegExp(pattern: string, flags = ''): RegExp | undefined {
  const leading = /^\(\?([ims]+)\)/.exec(pattern);
  const translated = pattern
    .slice(leading?.[0].length ?? 0)
    .replaceAll(/\[:(\w+):\]/g, (whole, name: string) => POSIX[name] ?? whole)
    .replaceAll('(?P<', '(?<')
    .replaceAll(/(?<!\\)((?:\\\\)*)\\A/g, '$1^')
    .replaceAll(/(?<!\\)((?:\\\\)*)\\z/g, '$1$')
    .replaceAll(/(?<!\\)((?:\\\\)*)\\([pP])([A-Z])/g, String.raw`$1\$2{$3}`);
  // An escaped backslash before a digit or k is not a backreference.
  if (NOT_IN_GO.test(translated.replaceAll('\\\\', ''))) return undefined;
  const all = flags + (leading?.[1] ?? '');
  // Unicode mode refuses escapes that Go allows, such as `\-` outside of brackets.
  return compiled(translated, `${all}u`) ?? compiled(translated, all);
}

function compiled(pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return undefined;
  }
}
