import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../../model/package-root.ts';
import { CODE_FOLDERS } from './sources.ts';

/** Where a trial begins, and what it loads by name: `explore/generated.ts` makes scenarios of JSON files. */
const ENTRIES = ['harness/child.ts', 'suites/catalogue.ts', 'targets/catalogue.ts', 'manifests/scenarios.ts', 'explore/generated.ts'];

test('the digest covers every module that a trial imports', () => {
  const root = packageRoot();
  const seen = new Set(ENTRIES.map((path) => join(root, path)));
  // A set also visits what is added meanwhile.
  for (const path of seen) {
    const imports = readFileSync(path, 'utf8').matchAll(/^(?:import|export|\}) .*'(\.\.?\/[^']+\.ts)';$/gm);
    for (const [, imported = ''] of imports) seen.add(join(dirname(path), imported));
  }
  const folders = new Set([...seen].map((path) => relative(root, path).split('/')[0]));
  expect(seen.size).toBeGreaterThan(300);
  expect([...folders].filter((folder) => folder !== undefined && !CODE_FOLDERS.includes(folder))).toEqual([]);
});
