import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '@playwright/test';
import { root } from './sources.ts';
import { pack, succeed } from './testing/packed.ts';

/** Rules of attw that the package breaks, and why that is right. */
const IGNORED = {
  'cjs-resolves-to-esm': 'the package has ES modules alone, and every Node that "engines" allows can require them',
};

let folder = '';
test.beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scaleproof-package-'));
});
test.afterEach(() => rmSync(folder, { recursive: true }));

test('the packed package keeps the rules of packages: publint, and attw for its types', { tag: '@long' }, async () => {
  // Half a minute alone on two cores, for the build; a busy machine takes five times as long.
  test.setTimeout(600_000);
  const tarball = await pack(folder);
  const tool = (name: string): string => join(root, 'node_modules/.bin', name);
  await test.step('publint', () => succeed(process.execPath, [tool('publint'), 'run', '--strict', tarball], folder));
  await test.step('attw', () =>
    succeed(
      process.execPath,
      // Resolution of before Node 12 knows no "exports", and so no `scaleproof/playwright`.
      [tool('attw'), '--profile', 'node16', '--no-emoji', '--no-color', '--ignore-rules', ...Object.keys(IGNORED), '--', tarball],
      folder,
    ));
});
