import { expect, test } from '@playwright/test';
import { duration } from './parts.ts';

for (const [ms, text] of [
  [0, '0 s'],
  [42_940, '42.9 s'],
  [119_940, '119.9 s'],
  [119_960, '2 min 0 s'],
  [172_800, '2 min 52.8 s'],
  [3_599_990, '1 h 0 min 0 s'],
  [3_723_400, '1 h 2 min 3.4 s'],
] as const)
  test(`${ms} ms is ${text}`, () => {
    expect(duration(ms)).toBe(text);
  });
