import { readFile } from 'node:fs/promises';
import { execa } from 'execa';
import type { Options } from 'execa';

/** Processor time and memory of a process so far. */
export interface Usage {
  readonly cpuMs: number;
  readonly rssMiB: number;
}

/** Linux counts processor time in hundredths of a second, for programs. Source: proc_pid_stat(5), sysconf(_SC_CLK_TCK). */
const MS_PER_TICK = 10;
/** Where `utime`, `cutime` and `rss` are, counted from 0 behind the command's name. */
const [UTIME, CUTIME, RSS] = [11, 13, 21];
const PAGES_PER_MIB = 256;

/** The usage of any process, on Linux; NaN elsewhere. */
export async function usageOf(pid: number): Promise<Usage> {
  const fields = await statOf(String(pid));
  return { cpuMs: timeAt(fields, UTIME), rssMiB: (fields[RSS] ?? Number.NaN) / PAGES_PER_MIB };
}

/**
 * Runs a program to its end and measures the processor time of it and of the processes that it waited for; no other child of this
 * process may end meanwhile. On Linux; NaN elsewhere.
 * @throws Error with the end of its error output if it fails
 */
export async function runMeasured(
  program: string,
  args: readonly string[],
  { mayExitWith = [0], ...options }: Options & { readonly mayExitWith?: readonly number[] } = {},
): Promise<{ readonly cpuMs: number; readonly stdout: string }> {
  const before = timeAt(await statOf('self'), CUTIME);
  const { exitCode, stdout, stderr, shortMessage } = await execa(program, args, { ...options, reject: false });
  if (exitCode === undefined || !mayExitWith.includes(exitCode)) throw new Error(`${shortMessage}: ${lastLine(stderr)}`);
  return { cpuMs: timeAt(await statOf('self'), CUTIME) - before, stdout: typeof stdout === 'string' ? stdout : '' };
}

/** The last line of what a program printed, which says why it failed. */
export function lastLine(text: unknown): string {
  return typeof text === 'string' ? (text.trim().split('\n').at(-1) ?? '') : '';
}

async function statOf(process: string): Promise<readonly number[]> {
  const stat = await readFile(`/proc/${process}/stat`, 'utf8').catch(() => '');
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
}

/** In user and system mode. */
function timeAt(fields: readonly number[], at: number): number {
  return ((fields[at] ?? Number.NaN) + (fields[at + 1] ?? Number.NaN)) * MS_PER_TICK;
}
