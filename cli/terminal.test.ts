import { spawnSync } from 'node:child_process';
import { expect, test } from '@playwright/test';
import { BIN, scaleproof, start } from './testing/command.ts';
import { BURST, folderWith } from './testing/files.ts';

const ESCAPE = String.fromCharCode(27);
/** The `script` of util-linux runs a program in a terminal; that of BSD has other flags. */
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;

test('on a terminal progress is one line that is rewritten, and verdicts have colours', async ({}, testInfo) => {
  test.skip(!hasScript, '`script` of util-linux, which runs a command in a terminal, is not installed');
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

test('a reader that closes its pipe does not end the run', async ({}, testInfo) => {
  const cwd = folderWith(testInfo, { 'burst.ts': BURST });
  const command = [process.execPath, BIN, 'run', '--scenario', './burst.ts', '--out', 'out'].map((word) => `'${word}'`).join(' ');
  const { stdout } = await start('sh', ['-c', `{ ${command} 2>&1; echo "code $?" >&3; } 3>&1 | true`], cwd).finished;
  expect(stdout).toBe('');
  const checked = await scaleproof(['check', 'out'], cwd);
  expect(checked.code).toBe(0);
});
