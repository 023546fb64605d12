import { mkdirSync, readFileSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { keepFile, readKeptFile } from './keep-file.ts';

const CONTENT = new Uint8Array([3, 1, 4, 1, 5, 9]);

test('a kept file is read as it was stored, in a buffer of exactly its size', ({}, testInfo) => {
  const path = testInfo.outputPath('cache', 'file');
  for (const content of [CONTENT, CONTENT.subarray(2), new Uint8Array()]) {
    keepFile(path, content);
    const read = readKeptFile(path);
    expect(read).toEqual(new Uint8Array(content));
    expect(read?.buffer.byteLength).toBe(content.length);
  }
  expect(readdirSync(testInfo.outputPath('cache'))).toEqual(['file']);
});

for (const [what, damage] of [
  ['a changed byte', (path: string) => changeLastByte(path)],
  ['a lost end', (path: string) => truncateSync(path, readFileSync(path).length - 1)],
  ['more at its end', (path: string) => writeFileSync(path, 'more', { flag: 'a' })],
  ['nothing in it', (path: string) => truncateSync(path)],
  ['only its digest', (path: string) => truncateSync(path, 32)],
  ['no digest, as an earlier version stored it', (path: string) => writeFileSync(path, CONTENT)],
] as const) {
  test(`a file with ${what} is ignored`, ({}, testInfo) => {
    const path = testInfo.outputPath('file');
    keepFile(path, CONTENT);
    damage(path);
    expect(readKeptFile(path)).toBeUndefined();
  });
}

test('a file that is not there, and a cache that cannot be written, are no errors', ({}, testInfo) => {
  const path = testInfo.outputPath('file');
  expect(readKeptFile(path)).toBeUndefined();
  mkdirSync(path);
  keepFile(path, CONTENT);
  expect(readKeptFile(path)).toBeUndefined();
  expect(readdirSync(testInfo.outputPath())).toEqual(['file']);
});

function changeLastByte(path: string): void {
  const bytes = readFileSync(path);
  const last = bytes.length - 1;
  bytes[last] = (bytes[last] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}
