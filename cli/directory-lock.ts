import { join } from 'node:path';
import { makeFolders } from '../model/make-folders.ts';
import { LOCK_FILE, tryDirectory } from '../runtime/directory-lock.ts';
import { UsageError } from './usage-error.ts';

/**
 * Locks a directory for this process (see `runtime/directory-lock.ts`), and creates it if needed.
 * @param rule why only one process can use it, for the error message
 * @returns releases the lock; an unreferenced lock is released by garbage collection
 * @throws UsageError when another process holds the lock, or the directory can't be created
 */
export function lockDirectory(directory: string, rule: string): () => void {
  try {
    makeFolders(directory);
  } catch (error) {
    throw new UsageError(`the directory ${directory} can't be used: ${messageOf(error)}`);
  }
  let release: (() => void) | undefined;
  try {
    release = tryDirectory(directory);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
  if (release !== undefined) return release;
  throw new UsageError(`${directory} is in use by another process: ${rule}; \`lsof '${join(directory, LOCK_FILE)}'\` shows which one`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
