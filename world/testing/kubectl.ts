import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import { createRandom } from '../../runtime/random.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { createEmbeddedWorld } from '../embedded.ts';
import type { EmbeddedOptions } from '../embedded.ts';
import { openSockets } from '../sockets.ts';

/** One kubectl command. */
export interface Command {
  readonly args: readonly string[];
  /** What it reads from standard input. */
  readonly stdin?: string;
}

/** What a command left behind. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type Kubectl = (command: Command) => Promise<Outcome>;

/** No command of a session waits longer than a minute. */
const TIMEOUT_MS = 120_000;
/** The largest output is that of discovery. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** kubectl, if it is not the one on PATH. */
export const KUBECTL = process.env['KUBECTL'] ?? 'kubectl';

/** The version of the program, such as `v1.34.4`; undefined if it can't be run. */
export function versionOf(program: string): string | undefined {
  const { stdout, error } = spawnSync(program, ['version', '--client', '--output=json'], { encoding: 'utf8' });
  if (error !== undefined) return undefined;
  return (JSON.parse(stdout) as { clientVersion: { gitVersion: string } }).clientVersion.gitVersion;
}

/** Runs the program with a kubeconfig. @param folder for its caches, so that the user's are left alone */
export function kubectlOn(program: string, kubeconfig: string, folder: string): Kubectl {
  const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: folder, KUBECACHEDIR: join(folder, 'cache') };
  return ({ args, stdin }) =>
    new Promise<Outcome>((resolve, reject) => {
      const child = execFile(
        program,
        args,
        { env, timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, encoding: 'utf8' },
        (error, stdout, stderr) => {
          const code = error === null ? 0 : error.code;
          // Killed by the limit, or not started: no answer of kubectl.
          if (typeof code !== 'number') reject(error ?? new Error('no exit code'));
          else resolve({ code, stdout, stderr });
        },
      );
      child.stdin?.end(stdin ?? '');
    });
}

/**
 * Runs kubectl against the sockets of an embedded world, in real time.
 * @param folder its kubeconfig, home and caches
 * @param options.started whether its parts run; otherwise nothing but the commands changes objects
 */
export async function withKubectl(
  folder: string,
  { started, ...options }: EmbeddedOptions & { readonly started: boolean },
  work: (kubectl: Kubectl) => Promise<void>,
): Promise<void> {
  const fail = (error: unknown): never => {
    throw error;
  };
  const world = createEmbeddedWorld(
    {
      timeline: createRealTimeline(),
      random: createRandom(1),
      recorder: { record: () => 0 },
      onKill: () => undefined,
      onFailure: fail,
      onFlood: fail,
    },
    options,
  );
  await mkdir(folder, { recursive: true });
  const kubeconfigPath = join(folder, 'kubeconfig');
  if (started) await world.start();
  const sockets = await openSockets({ world, principal: 'scenario', kubeconfigPath, log: () => undefined });
  try {
    await work(kubectlOn(KUBECTL, kubeconfigPath, folder));
  } finally {
    await sockets.close();
    await world.stop();
  }
}
