import { expect, test } from '@playwright/test';
import { base64Error, selfDecodedError } from './self-decoded.ts';

const QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const CASES: readonly (readonly [unknown, string, string | undefined])[] = [
  ['1500m', 'Quantity', undefined],
  [2, 'Quantity', undefined],
  ['much', 'Quantity', QUANTITY],
  ['2026-01-02T00:00:00Z', 'Time', undefined],
  ['2026-01-02T00:00:00.500000+01:00', 'MicroTime', undefined],
  ['yesterday', 'Time', 'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"'],
  ['2026-01-02', 'MicroTime', 'parsing time "2026-01-02" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "" as "T"'],
  ['2026-01-02T00:00:00Zx', 'Time', 'parsing time "2026-01-02T00:00:00Zx": extra text: "x"'],
  [5, 'Time', 'json: cannot unmarshal number into Go value of type string'],
  [{}, 'RawExtension', undefined],
];

for (const [value, type, problem] of CASES) {
  test(`${JSON.stringify(value)} as ${type}`, () => expect(selfDecodedError(value, type)).toBe(problem));
}

for (const [text, problem] of [
  ['MQ==', undefined],
  ['no base64!', 'illegal base64 data at input byte 2'],
  ['MQ==MQ', 'illegal base64 data at input byte 4'],
] as const) {
  test(`${text} as base64`, () => expect(base64Error(text)).toBe(problem));
}
