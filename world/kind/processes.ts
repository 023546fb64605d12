import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { z } from 'zod';
import type { Programs } from './programs.ts';

/** Which process it is, among all that ever had its id. */
export const processIdentitySchema = z.strictObject({
  pid: z.int().positive(),
  /** When it began, as the system tells it. */
  started: z.string(),
  host: z.string(),
  /** Of the system's start and of the ids' namespace, where the system tells them. */
  boot: z.string(),
  namespace: z.string(),
});
export type ProcessIdentity = z.infer<typeof processIdentitySchema>;

/** `elsewhere`: its id means nothing here, on another host or in another container. */
export type Life = 'alive' | 'dead' | 'elsewhere';

const PS_LIMIT_MS = 10_000;
/** Field 22 of /proc/PID/stat, counted from the one after the name: ticks from the system's start (man 5 proc_pid_stat). */
const STARTTIME = 19;

/** Whether the system tells of its processes in files. */
const hasProc = (): boolean => existsSync('/proc/self/stat');

/** This process. @throws Error when the system does not tell when it began */
export async function identityOfThis(programs: Programs): Promise<ProcessIdentity> {
  const started = await startOf(process.pid, programs);
  if (started === undefined) throw new Error('the system does not tell when this process began: neither /proc nor `ps` is there');
  return { pid: process.pid, started, ...thisHost() };
}

/** Whether the process lives: its id is in use, by a process that began when it did. */
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

/** Undefined when there is no such process, or one that has ended and waits for its parent to notice. */
async function startOf(pid: number, programs: Programs): Promise<string | undefined> {
  if (hasProc()) {
    const stat = textOr('', () => readFileSync(`/proc/${pid}/stat`, 'utf8'));
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === undefined || state === '' || state === 'Z' || state === 'X' ? undefined : rest[STARTTIME - 1];
  }
  const { code, stdout } = await programs.run('ps', ['-o', 'lstart=', '-p', String(pid)], { limitMs: PS_LIMIT_MS });
  return code === 0 ? stdout.trim() : undefined;
}

/** A process that carries a label. */
export interface LabelledProcess {
  readonly pid: number;
  readonly started: string;
  /** Its command line. */
  readonly command: string;
}

/**
 * The processes of this user, but for this one, that were started with `name=value` in their environment. Only where the
 * system tells of its processes in files (Linux); elsewhere none is found.
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
    // Gone meanwhile, or another user's.
    return fallback;
  }
}
