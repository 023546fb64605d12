import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { checkCatalogue } from './catalogue.ts';

test('every check has a unique name, summary and codes', () => {
  const names = checkCatalogue.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const codes = checkCatalogue.flatMap((check) => Object.keys(check.codes));
  expect(new Set(codes).size).toBe(codes.length);
  for (const { name, summary } of checkCatalogue) {
    expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(summary).not.toBe('');
  }
});

test('every file that defines a check is in the catalogue', () => {
  const defining = readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .filter((file) => /^export const \w+: Check = /m.test(readFileSync(`${import.meta.dirname}/${file}`, 'utf8')))
    .map((file) => file.replace(/\.ts$/, ''));
  expect(checkCatalogue.map(({ name }) => name).sort()).toEqual(defining.sort());
});
