import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its parents, one by one: Node's own recursive mkdir never returns if a file system refuses new folders
 * with ENOENT, as /proc does. Anything that already exists stays as it is, even a file.
 * @throws the file system's error
 */
export function makeFolders(path: string): void {
  if (existsSync(path)) return;
  makeFolders(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!existsSync(path)) throw error;
  }
}
