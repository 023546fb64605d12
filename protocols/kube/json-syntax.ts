/** Most levels of a value. Go's scanner allows 10,000; in JavaScript, functions on JSON values call themselves for each level. */
export const MAX_DEPTH = 500;

/** The scanner's position in the enclosing value. */
type Within = 'key' | 'value' | 'element';
type State = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'end';

/**
 * The first syntax error in JSON, with the message of Go's `encoding/json` (`scanner.go`), which the API server quotes in its
 * errors.
 * @returns undefined if the JSON is valid
 */
export function jsonSyntaxError(bytes: string | Uint8Array): string | undefined {
  // One character per byte, as in Go.
  const text = Buffer.from(bytes).toString('latin1');
  const stack: Within[] = [];
  let state: State = 'value';
  for (let at = 0; ;) {
    while (/[ \t\r\n]/.test(text.charAt(at))) at += 1;
    const char = text.charAt(at);
    if (char === '') return state === 'end' && stack.length === 0 ? undefined : 'unexpected end of JSON input';
    if ((state === 'value-or-end' && char === ']') || (state === 'key-or-end' && char === '}')) {
      stack.pop();
      state = 'end';
      at += 1;
    } else if (state === 'end') {
      const next = afterValue(stack, char);
      if (typeof next !== 'string') return invalid(char, next.context);
      state = next;
      at += 1;
    } else if ((state === 'key' || state === 'key-or-end') && char !== '"') {
      return invalid(char, 'looking for beginning of object key string');
    } else if (char === '{' || char === '[') {
      stack.push(char === '{' ? 'key' : 'element');
      if (stack.length > MAX_DEPTH) return invalid(char, TOO_DEEP);
      state = char === '{' ? 'key-or-end' : 'value-or-end';
      at += 1;
    } else {
      const scalar = scanScalar(text, at);
      if (typeof scalar === 'string') return scalar;
      at = scalar;
      state = 'end';
    }
  }
}

/** Why a decoded value has too many levels, in the same words; undefined if it does not. */
export function depthProblem(value: unknown): string | undefined {
  let level = [value].filter(isNested);
  for (let depth = 1; depth <= MAX_DEPTH; depth += 1) {
    level = level.flatMap((one) => Object.values(one)).filter(isNested);
    if (level.length === 0) return undefined;
  }
  return invalid(Array.isArray(level[0]) ? '[' : '{', TOO_DEEP);
}

function isNested(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

const TOO_DEEP = 'exceeded max depth';

/** The next state after a value or a key, by the enclosing value. */
function afterValue(stack: Within[], char: string): State | { readonly context: string } {
  switch (stack.at(-1)) {
    case undefined:
      return { context: 'after top-level value' };
    case 'key':
      if (char !== ':') return { context: 'after object key' };
      stack.splice(-1, 1, 'value');
      return 'value';
    case 'value':
      if (char !== ',' && char !== '}') return { context: 'after object key:value pair' };
      stack.pop();
      if (char === '}') return 'end';
      stack.push('key');
      return 'key';
    case 'element':
      if (char !== ',' && char !== ']') return { context: 'after array element' };
      if (char === ',') return 'value';
      stack.pop();
      return 'end';
  }
}

/** @returns where it ends, or the error in it */
function scanScalar(text: string, at: number): number | string {
  const char = text.charAt(at);
  if (char === '"') return scanString(text, at + 1);
  if (/[-0-9]/.test(char)) return scanNumber(text, at);
  const literal = ['true', 'false', 'null'].find((one) => one.startsWith(char));
  if (literal === undefined) return invalid(char, 'looking for beginning of value');
  for (let index = 1; index < literal.length; index += 1) {
    const expected = literal.charAt(index);
    if (text.charAt(at + index) !== expected) return invalid(text.charAt(at + index), `in literal ${literal} (expecting '${expected}')`);
  }
  return at + literal.length;
}

function scanString(text: string, start: number): number | string {
  for (let at = start; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '"') return at + 1;
    if (char < ' ') return invalid(char, 'in string literal');
    if (char !== '\\') continue;
    at += 1;
    if (text.charAt(at) === 'u') {
      for (let digit = 0; digit < 4; digit += 1) {
        at += 1;
        if (!/[0-9A-Fa-f]/.test(text.charAt(at))) return invalid(text.charAt(at), 'in \\u hexadecimal character escape');
      }
    } else if (!/[bfnrt\\/"]/.test(text.charAt(at))) return invalid(text.charAt(at), 'in string escape code');
  }
  return 'unexpected end of JSON input';
}

function scanNumber(text: string, start: number): number | string {
  let at = text.charAt(start) === '-' ? start + 1 : start;
  const isDigit = (): boolean => /[0-9]/.test(text.charAt(at));
  const digits = (): void => {
    while (isDigit()) at += 1;
  };
  if (!isDigit()) return invalid(text.charAt(at), 'in numeric literal');
  if (text.charAt(at) === '0') at += 1;
  else digits();
  if (text.charAt(at) === '.') {
    at += 1;
    if (!isDigit()) return invalid(text.charAt(at), 'after decimal point in numeric literal');
    digits();
  }
  if (/[eE]/.test(text.charAt(at))) {
    at += 1;
    if (/[-+]/.test(text.charAt(at))) at += 1;
    if (!isDigit()) return invalid(text.charAt(at), 'in exponent of numeric literal');
    digits();
  }
  return at;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\\': '\\\\',
  "'": "\\'",
};

/** @param char the byte; at the end of the text, Go's scanner reports a space */
function invalid(char: string, context: string): string {
  return `invalid character '${quoted(char === '' ? ' ' : char)}' ${context}`;
}

/** As `strconv.Quote` writes a character. */
function quoted(char: string): string {
  const escape = ESCAPES[char];
  if (escape !== undefined) return escape;
  const code = char.charCodeAt(0);
  const hex = code.toString(16).padStart(2, '0');
  if (code < 0x20 || code === 0x7f) return `\\x${hex}`;
  return (code > 0x7f && code <= 0xa0) || code === 0xad ? `\\u00${hex}` : char;
}
