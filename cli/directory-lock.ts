import { linkSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolders } from './make-folders.ts';
import { UsageError } from './usage-error.ts';

/**
 * A directory that one process has for itself: a file in it has the holder's number. What a killed one left is taken over. Processes
 * of other machines and containers can't be seen from here.
 */

const NAME = 'lock';
/** While somebody takes over what a killed one left, so that no two do, each from the other. */
const TAKE_OVER = 'lock.take-over';
/** Each time a file of a killed process is removed; more than that are no chance. */
const MAX_ATTEMPTS = 10;

/** What this process holds: a file with its number alone may be that of a predecessor in a container, of which this one is the next. */
const held = new Set<string>();

/**
 * Takes a directory, and makes it if need be.
 * @param rule what is to be had by one at a time, for the refusal
 * @returns what gives it back
 * @throws UsageError where somebody has it, or it can't be made
 */
export function lockDirectory(directory: string, rule: string): () => void {
  const own = join(directory, `${NAME}.${process.pid}`);
  const refuse = (holder: number, path: string): never => {
    throw new UsageError(`${directory} is in use by process ${holder}: ${rule}; if that process is something else, remove ${path}`);
  };
  try {
    makeFolders(directory);
    // Whole before it is the lock: one without a number would be nobody's.
    writeFileSync(own, String(process.pid));
    try {
      return take(realpathSync(directory), own, refuse);
    } finally {
      rmSync(own, { force: true });
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`the directory ${directory} can't be used: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function take(directory: string, own: string, refuse: (holder: number, path: string) => never): () => void {
  const [path, takeOver] = [join(directory, NAME), join(directory, TAKE_OVER)];
  const refuseIfHeld = (file: string): void => {
    const holder = livingHolderOf(file);
    if (holder !== undefined) refuse(holder, file);
  };
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    if (isLinked(own, path)) {
      held.add(path);
      return () => {
        // Somebody may have removed it by hand, and another may have the directory now.
        if (held.delete(path) && holderOf(path) === process.pid) rmSync(path, { force: true });
      };
    }
    refuseIfHeld(path);
    if (isLinked(own, takeOver)) {
      // Another one may have taken it over since.
      if (livingHolderOf(path) === undefined) rmSync(path, { force: true });
      rmSync(takeOver, { force: true });
    } else {
      refuseIfHeld(takeOver);
      rmSync(takeOver, { force: true });
    }
  }
  throw new UsageError(`${path} can't be had: others come first each time`);
}

/** Whether the file has the name now, which nobody had. */
function isLinked(file: string, name: string): boolean {
  try {
    linkSync(file, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Undefined where nobody has it, or who had it was killed. */
function livingHolderOf(path: string): number | undefined {
  const pid = holderOf(path);
  if (pid === undefined) return undefined;
  if (pid === process.pid) return held.has(path) ? pid : undefined;
  try {
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? pid : undefined;
  }
}

/** Undefined where there is none, or it says nothing that could be a process. */
function holderOf(path: string): number | undefined {
  let pid: number;
  try {
    pid = Number(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
}
