import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '@playwright/test';
import { root } from './sources.ts';
import { pack, succeed } from './testing/packed.ts';

/** Rules of attw that the package breaks on purpose, and why. */
const IGNORED = {
  'cjs-resolves-to-esm': 'the package has only ES modules, and every Node version in "engines" can require them',
};

let folder = '';
test.beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scaleproof-package-'));
});
test.afterEach(() => rmSync(folder, { recursive: true }));

test('the packed package passes publint, and attw for its types', { tag: '@long' }, async () => {
  // The build takes half a minute on two idle cores, and five times as long on a busy machine.
  test.setTimeout(600_000);
  const tarball = await pack(folder);
  const tool = (name: string): string => join(root, 'node_modules/.bin', name);
  await test.step('publint', () => succeed(process.execPath, [tool('publint'), 'run', '--strict', tarball], folder));
  await test.step('attw', () =>
    succeed(
      process.execPath,
      // Module resolution before Node 12 does not support "exports", and therefore not `scaleproof/playwright`.
      [tool('attw'), '--profile', 'node16', '--no-emoji', '--no-color', '--ignore-rules', ...Object.keys(IGNORED), '--', tarball],
      folder,
    ));
});
