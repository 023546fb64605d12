import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { expect } from '@playwright/test';
import { start, usersEnvironment } from '../../cli/testing/command.ts';
import type { Finished } from '../../cli/testing/command.ts';
import { root } from '../sources.ts';

/** Files that a fresh clone does not have. */
const NOT_CLONED = ['.git', 'dist', 'node_modules', 'playwright-report', 'runs', 'test-results'];

/** Packs a copy of the clone, so that other builds do not interfere. @param folder where to create the copy @returns the tarball */
export async function pack(folder: string): Promise<string> {
  const clone = join(folder, 'clone');
  const packed = join(folder, 'packed');
  mkdirSync(packed);
  cpSync(root, clone, { recursive: true, filter: (path) => !NOT_CLONED.includes(relative(root, path)) });
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
  await succeed('npm', ['pack', '--pack-destination', packed], clone);
  const [tarball = ''] = readdirSync(packed);
  return join(packed, tarball);
}

/** Installs a tarball in a project, with what the project depends on. */
export async function install(project: string, tarball: string): Promise<void> {
  const flags = ['--no-save', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  await succeed('npm', ['install', ...flags, tarball], project);
}

/** Runs a program and expects success. @returns its standard output */
export function succeed(program: string, args: readonly string[], cwd: string): Promise<string> {
  return exitWith(0, program, args, cwd);
}

/** Runs a program with the Node that runs the tests. @param variables in addition to a user's environment @returns its standard output */
export async function exitWith(...call: Parameters<typeof finishWith>): Promise<string> {
  return (await finishWith(...call)).stdout;
}

/** The same. @returns all that it printed */
export async function finishWith(
  expected: number,
  program: string,
  args: readonly string[],
  cwd: string,
  variables: NodeJS.ProcessEnv = {},
): Promise<Finished> {
  const environment = { ...usersEnvironment(), ...variables };
  const path = [dirname(process.execPath), environment['PATH'] ?? ''].join(delimiter);
  const finished = await start(program, args, cwd, { ...environment, PATH: path }).finished;
  const { code, stdout, stderr } = finished;
  expect(code, `${program} ${args.join(' ')}\n${stdout}\n${stderr}`).toBe(expected);
  return finished;
}
