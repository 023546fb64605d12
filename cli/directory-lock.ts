import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { makeFolders } from './make-folders.ts';
import { UsageError } from './usage-error.ts';

/**
 * A directory that one process has for itself. The system holds the lock, by a file in it, and takes it back when the process ends,
 * however it does: there is nothing that a killed one leaves, and nothing to be judged. Node locks files through SQLite alone.
 */

/** Empty, and left where it is: who removes it takes it from under whoever has just opened it. */
const NAME = 'lock.db';
/** SQLITE_BUSY, of its result codes. */
const BUSY = 5;

/**
 * Takes a directory, and makes it if need be.
 * @param rule what is to be had by one at a time, for the refusal
 * @returns what gives it back
 * @throws UsageError where somebody has it, or it can't be made
 */
export function lockDirectory(directory: string, rule: string): () => void {
  const path = join(directory, NAME);
  let database: DatabaseSync | undefined;
  try {
    makeFolders(directory);
    // SQLite says no more than that it can't open its file.
    accessSync(`${directory}/.`, constants.W_OK);
    // Not imported: Node 22 warns of it, and most commands lock nothing.
    const { DatabaseSync: Database } = process.getBuiltinModule('node:sqlite');
    database = new Database(path, { timeout: 0 });
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    if (isBusy(error)) throw new UsageError(`${directory} is in use by another process: ${rule}; \`lsof ${path}\` tells by which`);
    throw new UsageError(`the directory ${directory} can't be used: ${error instanceof Error ? error.message : String(error)}`);
  }
  const held = database;
  return () => {
    if (held.isOpen) held.close();
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === BUSY;
}
