import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';

/**
 * A directory that one process has for itself. The system holds the lock, by a file in it, and takes it back when the process ends,
 * however it does: a killed one leaves nothing to be judged. Node locks files through SQLite alone. Who opens and closes the file in the
 * process that has it, if only to copy it, gives it back (fcntl's rule).
 */

/** Empty, and left where it is: who removes it takes it from under whoever has just opened it. */
export const LOCK_FILE = 'lock.db';
/** SQLITE_BUSY, of its result codes. */
const BUSY = 5;

/**
 * Takes a directory that is there.
 * @returns what gives it back (who forgets it gives it back, too, at some time); undefined where somebody else has it
 * @throws Error where it can't be locked
 */
export function tryDirectory(directory: string): (() => void) | undefined {
  try {
    accessSync(`${directory}/.`, constants.W_OK);
  } catch (error) {
    throw new Error(`the directory ${directory} can't be used: ${messageOf(error)}`, { cause: error });
  }
  const path = join(directory, LOCK_FILE);
  let database: DatabaseSync | undefined;
  try {
    // Not imported: Node 22 warns of it, and most commands lock nothing.
    const { DatabaseSync: Database } = process.getBuiltinModule('node:sqlite');
    database = new Database(path, { timeout: 0 });
    // Nothing is ever written, so there is nothing to keep beside it.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    // What can only be read is locked for reading, by as many as like.
    accessSync(path, constants.W_OK);
  } catch (error) {
    database?.close();
    if (isBusy(error)) return undefined;
    throw new Error(`${path} can't be locked: ${messageOf(error)}`, { cause: error });
  }
  const held = database;
  return () => {
    if (held.isOpen) held.close();
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === BUSY;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
