import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../runtime/clock.ts';
import { ProgramError } from '../target.ts';
import type { ProcessUsage } from '../target.ts';
import { LastWords, LineSplitter } from './lines.ts';
import { usageOfChild } from './program-usage.ts';

/** What to run, and how. */
export interface ProgramOrder {
  /** The program and its arguments; no shell reads them. */
  readonly command: readonly string[];
  readonly directory: string;
  /** Its complete environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Its standard input; by default empty. */
  readonly input?: string;
  /** Removed with its contents once the program has exited, for whatever reason. */
  readonly folder: string;
}

/** A running program. */
export interface Program {
  /** Resolves with its exit code once it has exited and its output has been read; 128 and the signal's number after a signal. */
  readonly ended: Promise<number>;
  /** Its last output, from standard error if there was any: some lines, truncated. Empty without output. */
  lastWords(): string;
  /** What it has used of the machine, as last looked at; undefined until then, and where that can't be seen. */
  usage(): ProcessUsage | undefined;
  /** Tells it to stop, like a kubelet: SIGTERM to the program itself. */
  stop(): void;
  /** Kills it and everything that it started, except what left its process group. Resolves when it is gone. */
  kill(): Promise<void>;
}

/** How long after a program's exit its leftover children may keep its output open. */
const OUTPUT_GRACE_MS = 1_000;
/** How often it is looked at what a program uses. */
const USAGE_PERIOD_MS = 1_000;

/**
 * Starts a program under a keeper (see `keeper.ts`), which outlives this process just long enough to kill the program.
 * @param onLine called with each line of its output
 */
export function startProgram(order: ProgramOrder, clock: Clock, onLine: (line: string) => void): Program {
  const file = fileURLToPath(new URL(`./keeper${extname(import.meta.url)}`, import.meta.url));
  // Its own session: killing this process's group leaves the keeper running, so that it can clean up.
  const keeper = spawn(process.execPath, ['--no-warnings', file], { stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  let isLetGo = false;
  const said = { out: new LastWords(), err: new LastWords() };
  for (const [stream, words] of [
    [keeper.stdout, said.out],
    [keeper.stderr, said.err],
  ] as const) {
    const lines = new LineSplitter((line) => {
      words.hear(line);
      if (!isLetGo) onLine(line);
    });
    stream.setEncoding('utf8').on('data', (text: string) => lines.push(text));
    stream.on('end', () => lines.end());
  }
  const gone = new Promise<number>((resolve, reject) => {
    keeper.once('exit', (code, signal) => {
      if (code === null) reject(new ProgramError(`its keeper was killed by ${String(signal)}`));
      else resolve(code);
    });
    keeper.once('error', (error) => reject(new ProgramError(`its keeper could not be started: ${error.message}`)));
  });
  const closed = once(keeper, 'close').catch(() => undefined);
  // The keeper may exit before it has read its order.
  keeper.stdin.on('error', () => undefined).write(`${JSON.stringify(order)}\n`);
  const end = async (): Promise<number> => {
    const code = await gone;
    await Promise.race([closed, clock.sleep(OUTPUT_GRACE_MS)]);
    for (const stream of [keeper.stdout, keeper.stderr]) stream.destroy();
    return code;
  };
  const ended = end();
  ended.catch(() => undefined);
  let usage: ProcessUsage | undefined;
  const over = new AbortController();
  const watch = async (): Promise<void> => {
    while (keeper.exitCode === null && keeper.signalCode === null) {
      usage = (keeper.pid === undefined ? undefined : usageOfChild(keeper.pid)) ?? usage;
      await clock.sleep(USAGE_PERIOD_MS, over.signal);
    }
  };
  void watch().catch(() => undefined);
  void gone.catch(() => undefined).then(() => over.abort());
  return {
    ended,
    usage: () => usage,
    lastWords: () => said.err.text() || said.out.text(),
    stop: () => void keeper.stdin.write('stop\n'),
    kill: async () => {
      isLetGo = true;
      keeper.stdin.end();
      await gone.catch(() => undefined);
      for (const stream of [keeper.stdout, keeper.stderr]) stream.destroy();
    },
  };
}
