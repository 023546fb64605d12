import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { z } from 'zod';
import type { Programs } from './programs.ts';

/** Identifies a process among all that ever had its id. */
export const processIdentitySchema = z.strictObject({
  pid: z.int().positive(),
  /** When it started, as the system reports it. */
  started: z.string(),
  host: z.string(),
  /** Of the system's boot and of the PID namespace, if the system reports them. */
  boot: z.string(),
  namespace: z.string(),
});
export type ProcessIdentity = z.infer<typeof processIdentitySchema>;

/** `elsewhere`: on another host or in another container, where its id means nothing here. */
export type Life = 'alive' | 'dead' | 'elsewhere';

const PS_LIMIT_MS = 10_000;
/** Field 22 of /proc/PID/stat, counted from the one after the name: ticks since boot (man 5 proc_pid_stat). */
const STARTTIME = 19;

/** Whether the system has /proc. */
const hasProc = (): boolean => existsSync('/proc/self/stat');

/** This process. @throws Error when the system does not report when it started */
export async function identityOfThis(programs: Programs): Promise<ProcessIdentity> {
  const started = await startOf(process.pid, programs);
  if (started === undefined) throw new Error("can't determine when this process started: the system has neither /proc nor `ps`");
  return { pid: process.pid, started, ...thisHost() };
}

/** Whether the process is alive: its id is in use, by a process with the same start time. */
export async function lifeOf(identity: ProcessIdentity, programs: Programs): Promise<Life> {
  const here = thisHost();
  if (identity.host !== here.host) return 'elsewhere';
  if (identity.boot !== here.boot) return 'dead';
  if (identity.namespace !== here.namespace) return 'elsewhere';
  return (await startOf(identity.pid, programs)) === identity.started ? 'alive' : 'dead';
}

function thisHost(): Pick<ProcessIdentity, 'host' | 'boot' | 'namespace'> {
  return {
    host: hostname(),
    boot: textOr('', () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    namespace: textOr('', () => readlinkSync('/proc/self/ns/pid')),
  };
}

/** When a process started, as the system reports it: it tells the process from a later one with its id. Undefined if there is none, or a zombie. */
export async function startOf(pid: number, programs: Programs): Promise<string | undefined> {
  if (hasProc()) {
    const stat = textOr('', () => readFileSync(`/proc/${pid}/stat`, 'utf8'));
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === undefined || state === '' || state === 'Z' || state === 'X' ? undefined : rest[STARTTIME - 1];
  }
  const { code, stdout } = await programs.run('ps', ['-o', 'lstart=', '-p', String(pid)], { limitMs: PS_LIMIT_MS });
  return code === 0 ? stdout.trim() : undefined;
}

/** A process with a label. */
export interface LabelledProcess {
  readonly pid: number;
  readonly started: string;
  /** Its command line. */
  readonly command: string;
}

/**
 * This user's processes, except this one, that were started with `name=value` in their environment. Needs /proc (Linux);
 * elsewhere none is found.
 */
export function processesLabelled(name: string, value: string): LabelledProcess[] {
  if (!hasProc()) return [];
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .flatMap((entry) => {
      const environment = textOr('', () => readFileSync(`/proc/${entry}/environ`, 'utf8'));
      if (!environment.split('\0').includes(`${name}=${value}`)) return [];
      const stat = textOr('', () => readFileSync(`/proc/${entry}/stat`, 'utf8'));
      const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[STARTTIME] ?? '';
      const command = textOr('', () => readFileSync(`/proc/${entry}/cmdline`, 'utf8'))
        .split('\0')
        .join(' ')
        .trim();
      return [{ pid: Number(entry), started, command }];
    });
}

function textOr(fallback: string, read: () => string): string {
  try {
    return read();
  } catch {
    // Exited meanwhile, or another user's.
    return fallback;
  }
}
