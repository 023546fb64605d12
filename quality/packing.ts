import { cpSync, readdirSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { expect } from '@playwright/test';
import { start, usersEnvironment } from '../cli/testing/command.ts';
import { root } from './sources.ts';

/** What a fresh clone does not have. */
const NOT_CLONED = ['.git', 'dist', 'node_modules', 'playwright-report', 'runs', 'test-results'];

/**
 * Packs a copy of the project: a build of its own, whoever else builds.
 * @param clone where the copy goes: a path that is free
 * @param destination an empty folder for the package
 * @returns the file name of the package, in that folder
 */
export async function packCopy(clone: string, destination: string): Promise<string> {
  cpSync(root, clone, { recursive: true, filter: (path) => !NOT_CLONED.includes(relative(root, path)) });
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
  await succeed('npm', ['pack', '--pack-destination', destination], clone);
  const [tarball = ''] = readdirSync(destination);
  return tarball;
}

/** Runs a program that has to succeed. @returns its standard output */
export function succeed(program: string, args: readonly string[], cwd: string): Promise<string> {
  return exitWith(0, program, args, cwd);
}

/** Runs a program with the Node that runs the tests. @returns its standard output */
export async function exitWith(expected: number, program: string, args: readonly string[], cwd: string): Promise<string> {
  const environment = usersEnvironment();
  const path = [dirname(process.execPath), environment['PATH'] ?? ''].join(delimiter);
  const { code, stdout, stderr } = await start(program, args, cwd, { ...environment, PATH: path }).finished;
  expect(code, `${program} ${args.join(' ')}\n${stdout}\n${stderr}`).toBe(expected);
  return stdout;
}
