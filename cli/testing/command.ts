import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../model/package-root.ts';
import { DEFAULT_COLUMNS } from '../console.ts';
import type { Console } from '../console.ts';
import { main } from '../main.ts';
import { withParent } from './processes.ts';

/** The command, for `node`. */
export const BIN = join(packageRoot(), 'bin/scaleproof.js');

/** The working directory of the tests. */
const HOME = process.cwd();

/** How a command ended, and what it printed. */
export interface Finished {
  /** Exit code, or undefined when a signal killed it. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Variables to set, or with `undefined` to remove. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of the test runner that a user does not have. */
const RUNNERS: Environment = {
  NODE_OPTIONS: undefined,
  CI: undefined,
  NO_COLOR: undefined,
  FORCE_COLOR: undefined,
  PW_DISABLE_TS_ESM: undefined,
};

/** The environment of a user. */
export function usersEnvironment(): NodeJS.ProcessEnv {
  // Node's compile cache halves the start time of each command in these tests.
  return { ...process.env, ...RUNNERS, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') };
}

/** Starts a program in a folder, with empty standard input. It does not outlive the test's process (see `withParent`). */
export function start(
  program: string,
  args: readonly string[],
  cwd: string,
  env = usersEnvironment(),
): { readonly child: ChildProcess; readonly finished: Promise<Finished> } {
  const child = spawn(...withParent(program, args), { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
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

/** Does work with some environment variables changed. One at a time. */
export async function withEnvironment<T>(changes: Environment, work: () => Promise<T>): Promise<T> {
  const before = Object.keys(changes).map((name) => [name, process.env[name]] as const);
  const set = ([name, value]: readonly [string, string | undefined]): void => {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  };
  Object.entries(changes).forEach(set);
  try {
    return await work();
  } finally {
    before.forEach(set);
  }
}

/** Whether a command runs in this process. Working directory and environment belong to it until then. */
let isRunning = false;

/**
 * Runs the command in this process, which saves the second in which it starts: for tests without signals, pipes and user code that
 * ends processes. One at a time.
 * @param cwd the working directory; by default that of the tests
 * @param environment changes of a user's environment
 */
export async function scaleproofHere(args: readonly string[], cwd = HOME, environment: Environment = {}): Promise<Finished> {
  if (isRunning) throw new Error(`one command at a time: another one is still running in ${process.cwd()}`);
  isRunning = true;
  let stdout = '';
  let stderr = '';
  const console: Console = {
    out: (text) => (stdout += text),
    err: (text) => (stderr += text),
    interactive: false,
    color: false,
    columns: DEFAULT_COLUMNS,
  };
  try {
    process.chdir(cwd);
    const code = await withEnvironment({ ...RUNNERS, ...environment }, () => main(args, console));
    return { code, stdout, stderr };
  } finally {
    process.chdir(HOME);
    isRunning = false;
  }
}
