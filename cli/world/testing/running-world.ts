import { spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { folderWith } from '../../testing/files.ts';
import { BIN, start, usersEnvironment } from '../../testing/command.ts';
import type { Finished } from '../../testing/command.ts';
import type { ReferenceStart } from '../manifests.ts';

type Environment = Readonly<Record<string, string>>;

/** The output of `world up --json`. */
interface Access {
  readonly target: Environment;
  readonly operator: Environment;
  readonly control: string;
  readonly reference: ReferenceStart;
}

/** A world that the command runs in its own process. */
export interface RunningWorld extends Access {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** The test's own empty folder. */
  readonly folder: string;
  /** Runs a program in the folder, with the environment of a user's terminal. */
  run(program: string, args: readonly string[], environment?: Environment): Promise<Finished>;
}

/** Runs a quick world during `work`, and stops it as Ctrl-C does. It ends by itself if this process is killed. @returns how the command ended */
export async function withRunningWorld(
  testInfo: TestInfo,
  work: (world: RunningWorld) => Promise<void>,
  flags: readonly string[] = [],
): Promise<Finished> {
  const folder = folderWith(testInfo);
  const always = ['--quick', '--json', '--while', String(process.pid)];
  const { child, finished } = start(process.execPath, [BIN, 'world', 'up', ...always, ...flags], folder);
  try {
    const access = await firstLine(child, finished);
    await work({
      ...access,
      child,
      finished,
      folder,
      run: (program, args, environment = access.operator) =>
        start(program, args, folder, { ...usersEnvironment(), ...NO_ACCOUNT, ...environment }).finished,
    });
  } finally {
    child.kill('SIGINT');
    await finished;
  }
  return finished;
}

/** Hides the user's own AWS accounts. */
const NO_ACCOUNT = { AWS_CONFIG_FILE: '/dev/null', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' };

/** The first line of output, once the world is up. @throws Error with the error output if the command exits */
export function firstLine(child: ChildProcess, finished: Promise<Finished>): Promise<Access> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n')) resolve(JSON.parse(text) as Access);
    });
    finished.then(({ code, stderr }) => reject(new Error(`the command ended with ${code}: ${stderr}`)), reject);
  });
}

/** Skips the calling test if a program can't be used, and says why. @param args a harmless command to try */
export function skipWithout(program: string, args: readonly string[]): void {
  const why = whyNot(program, args);
  test.skip(why !== undefined, why);
}

function whyNot(program: string, args: readonly string[]): string | undefined {
  const { error, status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (error !== undefined) return `${program} is not installed`;
  return status === 0 ? undefined : `${program} ${args.join(' ')}: ${stderr.trim().split('\n').at(-1)}`;
}
