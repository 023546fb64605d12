import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { LoadError } from '../harness/load-error.ts';
import { manifestFiles, readManifestFile } from './files.ts';

/** A directory with these files, and links with their targets. */
function directoryOf(
  testInfo: TestInfo,
  {
    files = {},
    links = {},
  }: { readonly files?: Readonly<Record<string, string | Buffer>>; readonly links?: Readonly<Record<string, string>> },
): string {
  const directory = testInfo.outputPath('manifests');
  for (const [name, content] of Object.entries({ '.kept': '', ...files })) {
    mkdirSync(join(directory, name, '..'), { recursive: true });
    writeFileSync(join(directory, name), content);
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(directory, name));
  return directory;
}

test('lists files in the order of their paths, follows links, and skips hidden and other files', ({}, testInfo) => {
  const directory = directoryOf(testInfo, {
    files: { 'b.yaml': '', 'a/z.yml': '', 'c.json': '', 'README.md': '', '.git/x.yaml': '', 'node_modules/y.yaml': '' },
    links: { 'd.yaml': 'b.yaml', e: 'a', broken: 'nowhere' },
  });
  expect(manifestFiles(directory).map((path) => relative(directory, path))).toEqual(['a/z.yml', 'b.yaml', 'c.json', 'd.yaml', 'e/z.yml']);
});

for (const { what, given, message } of [
  { what: 'no YAML', given: { files: { 'README.md': 'x' } }, message: /holds no manifests: no file that ends in \.yaml, \.yml, \.json$/ },
  { what: 'nothing at all', given: {}, message: /holds no manifests/ },
  {
    what: 'a broken link',
    given: { links: { 'web.yaml': 'gone.yaml' } },
    message: /web\.yaml can't be read: it is a broken link \(ENOENT\); fix the link, or remove it$/,
  },
  {
    what: 'a link to itself',
    given: { links: { 'web.yaml': 'web.yaml' } },
    message: /web\.yaml can't be read: its links form a loop \(ELOOP\)/,
  },
  {
    what: 'a loop of directories',
    given: { files: { 'a.yaml': '' }, links: { again: '.' } },
    message: /do links form a loop\?$/,
  },
  { what: 'a device', given: { links: { 'web.yaml': '/dev/null' } }, message: /web\.yaml is neither a file nor a directory/ },
] as const) {
  test(`refused: ${what}`, ({}, testInfo) => {
    const directory = directoryOf(testInfo, given);
    const reading = (): unknown => manifestFiles(directory);
    expect(reading).toThrow(LoadError);
    expect(reading).toThrow(message);
  });
}

test('files are UTF-8, with or without a byte order mark', ({}, testInfo) => {
  const directory = directoryOf(testInfo, {
    files: { 'bom.yaml': '\uFEFFa: 1', 'utf16.yaml': Buffer.from('\uFEFFa: 1', 'utf16le') },
  });
  expect(readManifestFile(join(directory, 'bom.yaml'))).toBe('a: 1');
  expect(() => readManifestFile(join(directory, 'utf16.yaml'))).toThrow(/utf16\.yaml is not UTF-8/);
  expect(() => readManifestFile(join(directory, 'none.yaml'))).toThrow(/none\.yaml can't be read/);
});
