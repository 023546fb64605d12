import { readFileSync } from 'node:fs';
import { parseThreadStat } from '../../runtime/processor-time.ts';
import type { ProcessUsage } from '../target.ts';

/** The most memory that a process had, in kB (proc_pid_status(5)). */
const PEAK = /^VmHWM:\s+(\d+) kB$/m;

/**
 * What the only child of a process has used of the machine, without its own children. Only Linux says.
 * @returns undefined where it can't be seen, and once the child is gone
 */
export function usageOfChild(parent: number): ProcessUsage | undefined {
  try {
    const child = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim();
    // A process that has ended and was not waited for has no memory.
    const peak = PEAK.exec(readFileSync(`/proc/${child}/status`, 'utf8'))?.[1];
    if (peak === undefined) return undefined;
    return { cpuMs: parseThreadStat(readFileSync(`/proc/${child}/stat`, 'utf8')), memory: 'resident', peakMiB: Number(peak) / 1_024 };
  } catch {
    return undefined;
  }
}
