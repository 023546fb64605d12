import { fileURLToPath } from 'node:url';
import { once } from 'node:events';
import { expect, test } from '@playwright/test';
import { start } from './command.ts';
import { canSeeProcesses, isRunning, until, withParent } from './processes.ts';

test('what a test starts does not outlive it, even if it is killed', async ({}, testInfo) => {
  test.skip(!canSeeProcesses || withParent('true', [])[0] === 'true', 'the system has no /proc, or no setpriv');
  const command = JSON.stringify(fileURLToPath(new URL('./command.ts', import.meta.url)));
  // Longer than a test may take.
  const code = `import { start } from ${command}; console.log(start('sleep', ['600'], '.').child.pid);`;
  const { child, finished } = start(process.execPath, ['--input-type=module', '--eval', code], testInfo.outputPath());
  const [line] = (await once(child.stdout ?? child, 'data')) as [string];
  const pid = Number(line);
  expect(isRunning(pid)).toBe(true);
  child.kill('SIGKILL');
  await finished;
  await until('what it started is gone', () => !isRunning(pid));
});
