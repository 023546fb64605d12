import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { MAX_DEPTH, depthProblem, jsonSyntaxError } from './json-syntax.ts';

const faults: [string, string][] = [
  ['', 'unexpected end of JSON input'],
  ['{"a":[1', 'unexpected end of JSON input'],
  ['x', "invalid character 'x' looking for beginning of value"],
  ['{a', "invalid character 'a' looking for beginning of object key string"],
  ['{"a"}', "invalid character '}' after object key"],
  ['{"a":1 2', "invalid character '2' after object key:value pair"],
  ['[1}', "invalid character '}' after array element"],
  ['{} {', "invalid character '{' after top-level value"],
  ['"\n', "invalid character '\\n' in string literal"],
  ['"\\x', "invalid character 'x' in string escape code"],
  ['"\\u12g', "invalid character 'g' in \\u hexadecimal character escape"],
  ['-"', "invalid character '\"' in numeric literal"],
  ['1.e', "invalid character 'e' after decimal point in numeric literal"],
  ['1e+', "invalid character ' ' in exponent of numeric literal"],
  ['nul!', "invalid character '!' in literal null (expecting 'l')"],
];

for (const [text, fault] of faults) {
  test(`${JSON.stringify(text)}: ${fault}`, () => {
    expect(jsonSyntaxError(text)).toBe(fault);
  });
}

for (const [open, end] of [
  ['[', ']'],
  ['{"a":', '}'],
] as const) {
  test(`the levels of ${open} are limited, in text and value alike`, () => {
    const nested = (levels: number): string => `${open.repeat(levels - 1)}[]${end.repeat(levels - 1)}`;
    const problem = `invalid character '[' exceeded max depth`;
    for (const [levels, expected] of [
      [MAX_DEPTH, undefined],
      [MAX_DEPTH + 1, problem],
    ] as const) {
      expect(jsonSyntaxError(nested(levels))).toBe(expected);
      expect(depthProblem(JSON.parse(nested(levels)))).toBe(expected);
    }
  });
}

test('finds an error exactly where JSON.parse does', () => {
  const pieces = fc.constantFrom('{', '}', '[', ']', ':', ',', '"a"', '"', '1', '-', '.', 'e', 'true', 'null', ' ', '\\');
  const text = fc.oneof(
    fc.json(),
    fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join('')),
  );
  fc.assert(fc.property(text, (one) => (jsonSyntaxError(one) === undefined) === isJson(one)));
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
