import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolders } from '../../model/make-folders.ts';

/**
 * Stores a file in a cache for later processes. An existing file is replaced atomically, since others may be reading it. A cache
 * that can't be written is not an error: the disk may be full, or belong to another user.
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
