import { createRequire } from 'node:module';
import { expect, test } from '@playwright/test';
import { execa } from 'execa';
import { root } from './sources.ts';

const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');

test('the code type-checks', { tag: '@long' }, async () => {
  // A process of its own: it takes 2 GiB, which a worker keeps, and with what lint takes in the same worker that was more than Node allows.
  const { exitCode, all } = await execa(process.execPath, [compiler, '--noEmit', '--pretty', 'false'], {
    cwd: root,
    reject: false,
    all: true,
  });
  expect(exitCode, all).toBe(0);
});
