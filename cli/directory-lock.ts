import { linkSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { identityOfThis, lifeOf, processIdentitySchema } from '../world/kind/processes.ts';
import type { ProcessIdentity } from '../world/kind/processes.ts';
import { createPrograms } from '../world/kind/programs.ts';
import { makeFolders } from './make-folders.ts';
import { UsageError } from './usage-error.ts';

/**
 * A directory that one process has for itself: a file in it says which. What a killed one left is taken over. Processes of other
 * machines and containers can't be seen from here, and what they left is taken for that of killed ones.
 */

const NAME = 'lock';
/** While somebody takes over what a killed one left, so that no two do, each from the other. */
const TAKE_OVER = 'lock.take-over';
/** Each time a file of a killed process is removed; more than that are no chance. */
const MAX_ATTEMPTS = 10;

/**
 * Takes a directory, and makes it if need be.
 * @param rule what is to be had by one at a time, for the refusal
 * @returns what gives it back
 * @throws UsageError where somebody has it, or it can't be made
 */
export async function lockDirectory(directory: string, rule: string): Promise<() => void> {
  const own = join(directory, `${NAME}.${process.pid}`);
  try {
    makeFolders(directory);
    const identity = await identityOfThis(createPrograms());
    // Whole before it is the lock: one that says nothing would be nobody's.
    writeFileSync(own, JSON.stringify(identity));
    try {
      return await take(directory, own, identity, rule);
    } finally {
      rmSync(own, { force: true });
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`the directory ${directory} can't be used: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function take(directory: string, own: string, identity: ProcessIdentity, rule: string): Promise<() => void> {
  // The process may be in another folder when it gives it back.
  const real = realpathSync(directory);
  const [path, takeOver] = [join(real, NAME), join(real, TAKE_OVER)];
  const inUse = ({ pid }: ProcessIdentity): UsageError => new UsageError(`${directory} is in use by process ${pid}: ${rule}`);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    if (isLinked(own, path)) {
      return () => {
        // Somebody may have removed it by hand, and another may have the directory now.
        if (isDeepStrictEqual(holderOf(path), identity)) rmSync(path, { force: true });
      };
    }
    const holder = await livingHolderOf(path);
    if (holder !== undefined) throw inUse(holder);
    if (!isLinked(own, takeOver)) {
      const other = await livingHolderOf(takeOver);
      if (other !== undefined) throw inUse(other);
      // Not removed here: of two that do, the second would remove what the first has put in its place.
      throw new UsageError(`${directory} was being taken over by a process that is no more: ${rule}; remove ${takeOver}`);
    }
    try {
      // Another one may have taken it over since.
      if ((await livingHolderOf(path)) === undefined) rmSync(path, { force: true });
    } finally {
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
async function livingHolderOf(path: string): Promise<ProcessIdentity | undefined> {
  const holder = holderOf(path);
  return holder !== undefined && (await lifeOf(holder, createPrograms())) === 'alive' ? holder : undefined;
}

/** Undefined where there is none, or it says nothing that could be a process. */
function holderOf(path: string): ProcessIdentity | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return identityIn(text);
}

function identityIn(text: string): ProcessIdentity | undefined {
  try {
    return processIdentitySchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
