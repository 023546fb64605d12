import { stripTypeScriptTypes } from 'node:module';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@playwright/test';
import { drawMutants } from './draw.ts';
import { instrument } from './instrument.ts';

const TEXT = `function count(values: number[]): number {
  let sum = 0;
  for (const value of values.filter((one) => one > 1 && one < 10)) {
    if (value === 5) continue;
    sum += value * 2;
  }
  return sum;
}
count([1, 2, 5, 7, 10]);`;

/** What the text returns. */
function resultOf(text: string, isActiveMutant: (id: number) => boolean): unknown {
  const [, withoutImport = text] = /^import [^;]*; ([^]*)$/.exec(text) ?? [];
  return runInNewContext(stripTypeScriptTypes(withoutImport), { isActiveMutant });
}

test('without an active mutant the code does what it did, and with one it does what that mutant alone would do', () => {
  const mutants = drawMutants([{ file: 'a.ts', text: TEXT }], { count: Infinity, seed: 1 });
  const changed = instrument(TEXT, mutants, './switch.ts');
  expect(resultOf(changed, () => false)).toBe(18);
  for (const { id, start, end, replacement } of mutants) {
    const alone = resultOf(TEXT.slice(0, start) + replacement + TEXT.slice(end), () => false);
    expect(resultOf(changed, (other) => other === id)).toBe(alone);
  }
});

test('a file without mutants stays as it is', () => {
  expect(instrument(TEXT, [], './switch.ts')).toBe(TEXT);
});
