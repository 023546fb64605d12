import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRealTimeline } from '../../runtime/timeline.ts';

const POLL_PERIOD_MS = 100;
const MAX_POLLS = 600;

/** Whether the system has /proc, which tests for leftover processes need. */
export const canSeeProcesses = existsSync('/proc/self/stat');

/** Polls until a condition is true. @throws Error with the condition, after a bounded number of polls */
export async function until(what: string, isSo: () => boolean): Promise<void> {
  const clock = createRealTimeline().scope('test');
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    if (isSo()) return;
    await clock.sleep(POLL_PERIOD_MS);
  }
  throw new Error(`waited in vain until ${what}`);
}

/** util-linux has it, other systems don't: the program runs as this very process, and the kernel stops it with the one that started it. */
const WITH_PARENT = ['setpriv', '--pdeathsig', 'TERM'] as const;
const hasSetpriv = spawnSync(WITH_PARENT[0], [...WITH_PARENT.slice(1), 'true']).status === 0;

/** A command whose process gets SIGTERM when the test's own process is gone, even if that was killed. */
export function withParent(program: string, args: readonly string[]): readonly [string, string[]] {
  return hasSetpriv ? [WITH_PARENT[0], [...WITH_PARENT.slice(1), program, ...args]] : [program, [...args]];
}

/** The ids of all processes that descend from this one. */
export function descendantsOf(pid: number): number[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), parentOf(Number(name))]),
  );
  const found = [pid];
  for (const ancestor of found) {
    for (const [child, parent] of parents) if (parent === ancestor) found.push(child);
  }
  return found.slice(1);
}

/** Whether a process runs. A zombie does not. */
export function isRunning(pid: number): boolean {
  const state = statOf(pid)?.[0];
  return state !== undefined && state !== 'Z' && state !== 'X';
}

function parentOf(pid: number): number | undefined {
  const parent = statOf(pid)?.[1];
  return parent === undefined ? undefined : Number(parent);
}

/** The fields after the name: state, the parent's id and so on. The name is in parentheses and can contain any character. */
function statOf(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
