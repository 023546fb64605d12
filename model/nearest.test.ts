import { expect, test } from '@playwright/test';
import { nearest } from './nearest.ts';

const KNOWN = ['command', 'constants', 'batchMax', 'emptyAfter', 'ready'];

for (const [name, meant] of [
  ['comand', 'command'],
  ['constant', 'constants'],
  ['batchMaxMs', 'batchMax'],
  ['empty_after', 'emptyAfter'],
  ['Ready', 'ready'],
  ['livenessProbe', undefined],
] as const) {
  test(`${name}: ${meant ?? 'no match'}`, () => {
    expect(nearest(name, KNOWN)).toBe(meant);
  });
}
