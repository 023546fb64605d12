import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { globMatcher } from './glob.ts';

/** The meaning of a pattern, written as simply as possible; slow on purpose. */
function reference(pattern: string, value: string): boolean {
  if (pattern === '') return value === '';
  if (/^\\[*?\\]/.test(pattern)) return value[0] === pattern[1] && reference(pattern.slice(2), value.slice(1));
  if (pattern[0] === '*') return reference(pattern.slice(1), value) || (value !== '' && reference(pattern, value.slice(1)));
  return value !== '' && (pattern[0] === '?' || pattern[0] === value[0]) && reference(pattern.slice(1), value.slice(1));
}

const text = (characters: string, maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...characters), maxLength });

test('patterns match what the reference matches', () => {
  fc.assert(
    fc.property(text('ab*?\\', 7), text('ab*?\\', 7), (pattern, value) => {
      expect(globMatcher(pattern)(value)).toBe(reference(pattern, value));
    }),
    { numRuns: 3_000 },
  );
});

const cases: [string, string, boolean][] = [
  ['', '', true],
  ['*', '', true],
  ['?', '', false],
  ['m5.*', 'm5.large', true],
  ['m5.*', 'm5a.large', false],
  ['*.large', 'm5.large.large', true],
  ['a.c', 'abc', false],
  ['\\*amazon\\?\\\\', '*amazon?\\', true],
  ['a\\b', 'a\\b', true],
  ['?', '\u{1f600}', true],
  ['a*b', 'a\nb', true],
];

for (const [pattern, value, expected] of cases) {
  test(`${JSON.stringify(pattern)} ${expected ? 'matches' : 'does not match'} ${JSON.stringify(value)}`, () => {
    expect(globMatcher(pattern)(value)).toBe(expected);
  });
}

test('many wildcards against a long value that almost matches terminate', () => {
  expect(globMatcher(`${'*a'.repeat(100)}b`)('a'.repeat(5_000))).toBe(false);
});
