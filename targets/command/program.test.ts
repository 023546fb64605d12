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

test('a program gets its arguments as they are, its environment and nothing else; its folder goes when it ends', async ({}, info) => {
  const { program, said, folder } = startStub(info, ['environment', '$HOME; rm -rf *'], { environment: { A: 'b' } });
  expect(await ended(program)).toBe(0);
  expect(JSON.parse(said[0] ?? '')).toEqual({ A: 'b', args: ['$HOME; rm -rf *'] });
  expect(existsSync(folder)).toBe(false);
});

test('it reads its input, and its exit code and last words are told', async ({}, info) => {
  const echo = startStub(info, ['echo', 'apply'], { input: '[1]' });
  expect(await ended(echo.program)).toBe(0);
  expect(echo.said).toEqual(['[1] apply']);
  const exit = startStub(info, ['exit', '7']);
  expect(await ended(exit.program)).toBe(7);
  expect(exit.program.lastWords()).toBe('no configuration');
});

test('one that ends by a signal has the code that a container would have', async ({}, info) => {
  const { program, said } = startStub(info, ['idle']);
  await until('it has started', () => said.length > 0);
  program.stop();
  expect(await ended(program)).toBe(143);
});

test('one that can’t be started says why', async ({}, info) => {
  const folder = join(info.outputPath(), 'folder');
  mkdirSync(folder, { recursive: true });
  const program = startProgram({ command: ['/no/such'], directory: info.outputPath(), environment: {}, folder }, clock, () => undefined);
  expect(await ended(program)).toBe(127);
  expect(program.lastWords()).toContain('ENOENT');
});

test('killed, it and its children are gone, whatever they do with signals', async ({}, info) => {
  test.skip(!canSeeProcesses, 'what is left running is looked up in /proc, which is not here');
  const { program, said, folder } = startStub(info, ['family']);
  await until('it has started', () => said.length > 0);
  const family = (said[0] ?? '').split(' ').map(Number);
  expect(family.map(isRunning)).toEqual([true, true]);
  program.stop();
  await program.kill();
  await until('nobody is left', () => !family.some(isRunning));
  expect(existsSync(folder)).toBe(false);
});
