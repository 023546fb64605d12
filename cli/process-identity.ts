import { readFileSync } from 'node:fs';
import type { Clock } from '../runtime/clock.ts';

/** Between two looks at a process. */
const LOOK_MS = 500;
/** Fields of `/proc/PID/stat` after the name, which may hold blanks and brackets and ends with the last `)` (proc_pid_stat(5)). */
const [STATE, START_TIME] = [0, 19] as const;

/**
 * What tells a running process from all others, also from a later one with its id. On systems without `/proc`, that is only the id.
 * @returns undefined if there is no such process. A zombie is none.
 */
export function identityOf(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux') return process.kill(pid, 0) ? `${pid}` : undefined;
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return /[ZX]/.test(fields[STATE] ?? '') ? undefined : `${pid} ${fields[START_TIME]}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Processes of other users may not be signalled.
    if (code === 'EPERM') return `${pid}`;
    // The file may go while it is read.
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}

/** Resolves within half a second after the process is gone, however it ended. Rejects when the signal is aborted first. */
export async function untilGone(pid: number, identity: string, clock: Clock, signal: AbortSignal): Promise<void> {
  while (identityOf(pid) === identity) await clock.sleep(LOOK_MS, signal);
}
