import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRealTimeline } from '../../runtime/timeline.ts';

const LOOK_PERIOD_MS = 100;
const MAX_LOOKS = 600;

/** Where Linux tells of its processes; nowhere else are there tests of what is left running. */
export const canSeeProcesses = existsSync('/proc/self/stat');

/** Looks until it is so. @throws Error that says what was waited for, after a bounded number of looks */
export async function until(what: string, isSo: () => boolean): Promise<void> {
  const clock = createRealTimeline().scope('test');
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    if (isSo()) return;
    await clock.sleep(LOOK_PERIOD_MS);
  }
  throw new Error(`waited in vain until ${what}`);
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

/** Whether it runs. Who has ended and whose end nobody has asked for yet does not. */
export function isRunning(pid: number): boolean {
  const state = statOf(pid)?.[0];
  return state !== undefined && state !== 'Z' && state !== 'X';
}

function parentOf(pid: number): number | undefined {
  const parent = statOf(pid)?.[1];
  return parent === undefined ? undefined : Number(parent);
}

/** State, parent's id and the rest: what follows the name, which may hold anything, in parentheses. */
function statOf(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
