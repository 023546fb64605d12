import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { canSeeProcesses, isRunning, until } from '../../cli/testing/processes.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { startProgram } from './program.ts';
import type { Program } from './program.ts';

const STUB = fileURLToPath(new URL('./testing/stub.ts', import.meta.url));
const clock = createRealTimeline().scope('test');

function startStub(info: TestInfo, args: readonly string[], options: { environment?: Record<string, string>; input?: string } = {}) {
  const folder = info.outputPath('folder');
  mkdirSync(folder, { recursive: true });
  const said: string[] = [];
  const command = [process.execPath, '--no-warnings', STUB, ...args];
  const { environment = {}, ...rest } = options;
  const program = startProgram({ command, directory: info.outputPath(), environment, folder, ...rest }, clock, (line) => said.push(line));
  return { program, said, folder };
}

async function ended({ ended: code }: Program): Promise<number> {
  return code;
}

test('a program gets its arguments unchanged, and only its environment; its folder is removed when it exits', async ({}, info) => {
  const { program, said, folder } = startStub(info, ['environment', '$HOME; rm -rf *'], { environment: { A: 'b' } });
  expect(await ended(program)).toBe(0);
  expect(JSON.parse(said[0] ?? '')).toEqual({ A: 'b', args: ['$HOME; rm -rf *'] });
  expect(existsSync(folder)).toBe(false);
});

test('it reads its input, and its exit code and last output are reported', async ({}, info) => {
  const echo = startStub(info, ['echo', 'apply'], { input: '[1]' });
  expect(await ended(echo.program)).toBe(0);
  expect(echo.said).toEqual(['[1] apply']);
  const exit = startStub(info, ['exit', '7']);
  expect(await ended(exit.program)).toBe(7);
  expect(exit.program.lastWords()).toBe('no configuration');
});

test('a program killed by a signal has the same exit code as a container', async ({}, info) => {
  const { program, said } = startStub(info, ['idle']);
  await until('it has started', () => said.length > 0);
  program.stop();
  expect(await ended(program)).toBe(143);
});

test('what it uses is known while it runs, and as last seen once it is gone', async ({}, info) => {
  test.skip(!canSeeProcesses, 'only Linux says what a process uses');
  const { program, said } = startStub(info, ['idle']);
  await until('it has started', () => said.length > 0 && program.usage() !== undefined);
  program.stop();
  await ended(program);
  expect(program.usage()).toMatchObject({ memory: 'resident' });
  expect(program.usage()?.peakMiB).toBeGreaterThan(1);
});

test("a program that can't be started says why", async ({}, info) => {
  const folder = join(info.outputPath(), 'folder');
  mkdirSync(folder, { recursive: true });
  const program = startProgram({ command: ['/no/such'], directory: info.outputPath(), environment: {}, folder }, clock, () => undefined);
  expect(await ended(program)).toBe(127);
  expect(program.lastWords()).toContain('ENOENT');
});

test('a kill removes the program and its children, even if they ignore signals', async ({}, info) => {
  test.skip(!canSeeProcesses, 'this test needs /proc to find processes that are still running');
  const { program, said, folder } = startStub(info, ['family']);
  await until('it has started', () => said.length > 0);
  const family = (said[0] ?? '').split(' ').map(Number);
  expect(family.map(isRunning)).toEqual([true, true]);
  program.stop();
  await program.kill();
  await until('no process is left', () => !family.some(isRunning));
  expect(existsSync(folder)).toBe(false);
});
