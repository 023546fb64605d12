import { join } from 'node:path';
import { makeFolders } from '../model/make-folders.ts';
import { LOCK_FILE, tryDirectory } from '../runtime/directory-lock.ts';
import { UsageError } from './usage-error.ts';

/**
 * Takes a directory that one process has for itself (see `runtime/directory-lock.ts`), and makes it if need be.
 * @param rule what is to be had by one at a time, for the refusal
 * @returns what gives it back; who forgets it gives it back, too, at some time
 * @throws UsageError where somebody has it, or it can't be made
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
