import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../model/package-root.ts';
import { main } from '../main.ts';

/** The command, for `node`. */
export const BIN = join(packageRoot(), 'bin/scaleproof.js');

/** How a command ended, and what it printed. */
export interface Finished {
  /** Exit code, or undefined when a signal killed it. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** The environment of a user, without variables of the test runner. */
export function usersEnvironment(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _options, CI: _ci, NO_COLOR: _noColor, FORCE_COLOR: _forceColor, ...rest } = process.env;
  // Node's compile cache halves the start time of each command in these tests.
  return { ...rest, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') };
}

/** Starts a program in a folder, with empty standard input. */
export function start(
  program: string,
  args: readonly string[],
  cwd: string,
  env = usersEnvironment(),
): { readonly child: ChildProcess; readonly finished: Promise<Finished> } {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
    });
  }
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? undefined, ...printed }));
  });
  return { child, finished };
}

/** Starts the command in a folder, in its own process. */
export function startScaleproof(args: readonly string[], cwd: string): ReturnType<typeof start> {
  return start(process.execPath, [BIN, ...args], cwd);
}

/** Runs the command in a folder, in its own process. */
export function scaleproof(args: readonly string[], cwd: string): Promise<Finished> {
  return startScaleproof(args, cwd).finished;
}

/** Runs the command in this process, which is faster: for tests that need no folder, no signals and no files of users. */
export async function scaleproofHere(args: readonly string[]): Promise<Finished> {
  let stdout = '';
  let stderr = '';
  const code = await main(args, {
    out: (text) => (stdout += text),
    err: (text) => (stderr += text),
    interactive: false,
    color: false,
    columns: 120,
  });
  return { code, stdout, stderr };
}
