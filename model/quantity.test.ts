import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { QuantityError, formatBytes, formatMilli, formatQuantity, parseQuantity, toMilli, toWhole } from './quantity.ts';

const CANONICAL: readonly (readonly [string, string])[] = [
  ['0', '0'],
  ['0Mi', '0'],
  ['100m', '100m'],
  ['0.1', '100m'],
  ['.5', '500m'],
  ['1.', '1'],
  ['1000m', '1'],
  ['1500m', '1500m'],
  ['1.5Gi', '1536Mi'],
  ['1024Ki', '1Mi'],
  ['1025Ki', '1025Ki'],
  ['0.5Mi', '512Ki'],
  ['1023', '1023'],
  ['0.5Ki', '512'],
  ['1.5Ki', '1536'],
  ['1000k', '1M'],
  ['1e3', '1e3'],
  ['12E2', '1200'],
  ['1E', '1E'],
  ['5n', '5n'],
  ['0.1n', '1n'],
  ['-0.1n', '-1n'],
  ['-1.5', '-1500m'],
  ['+2', '2'],
  ['2000u', '2m'],
  ['100E', '9223372036854775807'],
];

for (const [text, canonical] of CANONICAL) {
  test(`${text} is written ${canonical}`, () => expect(formatQuantity(parseQuantity(text))).toBe(canonical));
}

test('an invalid quantity is refused by name', () => {
  for (const text of ['', '.', 'Mi', '1ki', '1 Gi', '1e', '1Gi2', '--1', '1e3Gi', 'NaN', '0x10', '1e999']) {
    expect(() => parseQuantity(text), text).toThrow(QuantityError);
  }
  expect(() => parseQuantity('4gi')).toThrow('"4gi" is not a quantity');
});

test('millicores and bytes round up', () => {
  expect(toMilli('2')).toBe(2000);
  expect(toMilli('0.0001')).toBe(1);
  expect(toMilli('250m')).toBe(250);
  expect(toWhole('1Gi')).toBe(2 ** 30);
  expect(toWhole('1.5k')).toBe(1500);
  expect(toWhole('100m')).toBe(1);
  expect(toWhole('-100m')).toBe(-1);
});

test('whole numbers survive a round trip', () => {
  fc.assert(
    fc.property(fc.integer({ min: -(2 ** 50), max: 2 ** 50 }), (amount) => {
      expect(toMilli(formatMilli(amount))).toBe(amount);
      expect(toWhole(formatBytes(amount))).toBe(amount);
    }),
  );
});

test('formatting keeps the value, and is idempotent if the suffix is kept', () => {
  const suffix = fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', 'e-3', 'E6');
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 99_999 }), fc.integer({ min: 0, max: 999 }), suffix, (whole, fraction, unit) => {
      const quantity = parseQuantity(`${whole}.${fraction}${unit}`);
      const text = formatQuantity(quantity);
      expect(parseQuantity(text).nanos).toBe(quantity.nanos);
      // As in the API: a binary quantity that no binary suffix divides is written without one, and then parsed as a decimal.
      if (parseQuantity(text).format === quantity.format) expect(formatQuantity(parseQuantity(text))).toBe(text);
    }),
  );
});
