import { readFileSync } from 'node:fs';

/** Length of a clock tick in `/proc`: Linux reports processor time to user space in hundredths of a second on every machine. */
const TICK_MS = 10;
/** Fields of `/proc/PID/stat` after the name, which may hold blanks and brackets and ends with the last `)` (proc_pid_stat(5)). */
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;

/** Processor time since a process began, user and system, in milliseconds. */
export interface ProcessorTime {
  /** Of the main thread. */
  readonly mainCpuMs: number;
  /** Of all threads. */
  readonly cpuMs: number;
}

/**
 * The processor time of this process; may be called from any thread. Only Linux reports the main thread's; elsewhere the
 * whole process stands for it, which includes garbage collection and compilation in other threads.
 */
export function processorTime(): ProcessorTime {
  const { user, system } = process.cpuUsage();
  const cpuMs = (user + system) / 1_000;
  if (process.platform !== 'linux') return { mainCpuMs: cpuMs, cpuMs };
  // The main thread has the id of its process.
  return { mainCpuMs: parseThreadStat(readFileSync(`/proc/self/task/${process.pid}/stat`, 'utf8')), cpuMs };
}

/**
 * The processor time of a thread from its line in `/proc`, in milliseconds.
 * @throws Error if it is not such a line
 */
export function parseThreadStat(line: string): number {
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS]);
  if (!Number.isFinite(ticks)) throw new Error(`this is not a line of /proc/PID/stat: ${line}`);
  return ticks * TICK_MS;
}
