import { spawnSync } from 'node:child_process';
import { expect, test } from '@playwright/test';
import { BIN, scaleproof, start } from './testing/command.ts';
import { BURST, folderWith } from './testing/files.ts';

const ESCAPE = String.fromCharCode(27);
/** util-linux's `script` gives a program a terminal; BSD's has other flags. */
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;

test('on a terminal progress is one line that is rewritten, and verdicts have colours', async ({}, testInfo) => {
  test.skip(!hasScript, 'the program `script` of util-linux, which gives a command a terminal, is not here');
  const cwd = folderWith(testInfo, { 'burst.ts': BURST });
  const command = [process.execPath, BIN, 'run', '--scenario', './burst.ts', '--trials', '2', '--workers', '1', '--out', 'out'];
  const { code, stdout } = await start('script', ['-qec', command.map((word) => `'${word}'`).join(' '), '/dev/null'], cwd).finished;
  expect(code).toBe(0);
  const rewrites = stdout.split(`\r${ESCAPE}[K`).slice(1);
  expect(rewrites[0]).toContain('0/2');
  expect(rewrites[0]).toContain('mine/burst seed 1');
  expect(rewrites.at(-2)).toContain('2/2');
  for (const rewrite of rewrites.slice(0, -1)) expect(rewrite).not.toContain('\n');
  expect(rewrites.at(-1)).toContain(`${ESCAPE}[32m✓ PASS${ESCAPE}[39m`);
});

test('a reader that goes away ends neither the run nor its verdict', async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'burst.ts': BURST });
  const command = [process.execPath, BIN, 'run', '--scenario', './burst.ts', '--out', 'out'].map((word) => `'${word}'`).join(' ');
  const { stdout } = await start('sh', ['-c', `{ ${command} 2>&1; echo "code $?" >&3; } 3>&1 | true`], cwd).finished;
  expect(stdout).toBe('');
  const checked = await scaleproof(['check', 'out'], cwd);
  expect(checked.code).toBe(0);
});
