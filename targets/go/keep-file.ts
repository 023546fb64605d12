import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolders } from '../../model/make-folders.ts';

/**
 * Keeps a file of a cache for processes to come. It takes the place of what is there at once, since others may read it. A cache that
 * can't be written is no reason to fail: a disk is full, or belongs to somebody else.
 */
export function keepFile(path: string, bytes: Uint8Array): void {
  const unfinished = `${path}.${process.pid}`;
  try {
    makeFolders(dirname(path));
    writeFileSync(unfinished, bytes);
    renameSync(unfinished, path);
  } catch {
    rmSync(unfinished, { force: true });
  }
}
