import { readFileSync } from 'node:fs';

/** Length of a clock tick in `/proc`: Linux reports processor time to user space in hundredths of a second on every machine. */
const TICK_MS = 10;
/** Fields of `/proc/PID/stat` after the name, which may hold blanks and brackets and ends with the last `)` (proc_pid_stat(5)). */
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;

/** The place of the time that a thread was ready to run and did not, in `/proc/PID/schedstat`, in nanoseconds (kernel: sched-stats). */
const WAITED_NS = 1;

/** Processor time since a process began, user and system, in milliseconds. */
export interface ProcessorTime {
  /** Of the main thread. */
  readonly mainCpuMs: number;
  /** How long the main thread was ready to run while other threads of the machine had the processors. */
  readonly waitedMs: number;
  /** Of all threads. */
  readonly cpuMs: number;
}

/**
 * The processor time of this process; may be called from any thread. Only Linux reports the main thread's; elsewhere the
 * whole process stands for it, which includes garbage collection and compilation in other threads, and no wait is known.
 */
export function processorTime(): ProcessorTime {
  const { user, system } = process.cpuUsage();
  const cpuMs = (user + system) / 1_000;
  if (process.platform !== 'linux') return { mainCpuMs: cpuMs, waitedMs: 0, cpuMs };
  // The main thread has the id of its process.
  const thread = `/proc/self/task/${process.pid}`;
  return { mainCpuMs: parseThreadStat(readFileSync(`${thread}/stat`, 'utf8')), waitedMs: waitedMsOf(`${thread}/schedstat`), cpuMs };
}

/** A kernel without scheduler statistics has no such file: then nothing is known of any wait. */
function waitedMsOf(path: string): number {
  let line: string;
  try {
    line = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
  return parseSchedulerStat(line);
}

/**
 * How long a thread has waited for a processor, from its line in `/proc`, in milliseconds.
 * @throws Error if it is not such a line
 */
export function parseSchedulerStat(line: string): number {
  const waitedNs = Number(line.trim().split(' ')[WAITED_NS]);
  if (!Number.isFinite(waitedNs)) throw new Error(`this is not a line of /proc/PID/schedstat: ${line}`);
  return waitedNs / 1e6;
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
