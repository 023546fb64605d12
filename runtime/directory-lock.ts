import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';

/**
 * An exclusive lock on a directory. The operating system holds it, through a file in the directory, and releases it when the process
 * ends, also when it is killed: there are no stale locks. Node can lock files only through SQLite. Opening and closing the lock file in
 * the process that holds the lock, even just to copy the file, releases it (fcntl's rule).
 */

/** Empty, and never removed: a process that has just opened it would be left with a deleted file. */
export const LOCK_FILE = 'lock.db';
/** SQLite's result code SQLITE_BUSY. */
const BUSY = 5;

/**
 * Locks an existing directory.
 * @returns a function that releases the lock (garbage collecting it does so too, at some time); undefined if another process holds it
 * @throws Error when the directory can't be locked
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
    // Not imported at the top: Node 22 prints a warning for it, and most commands lock nothing.
    const { DatabaseSync: Database } = process.getBuiltinModule('node:sqlite');
    database = new Database(path, { timeout: 0 });
    // Nothing is ever written, so no journal file is needed.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    // SQLite takes only a shared lock on a read-only file.
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
