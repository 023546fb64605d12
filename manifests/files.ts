import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LoadError } from '../harness/load.ts';

const EXTENSIONS = ['.yaml', '.yml', '.json'];
/** Folders that hold what no cluster is given. */
const PASSED_OVER = 'node_modules';
/** A directory of manifests, not a disk. */
const MAX_FILES = 2_000;
const MAX_FILE_BYTES = 8 * 2 ** 20;

/**
 * The files of manifests in a directory and the directories in it, in the order of their paths. Hidden ones are passed over.
 * @throws LoadError when it is no directory, or holds none, or too many or too large ones
 */
export function manifestFiles(directory: string): string[] {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new LoadError(`${directory} is no directory; name the one that holds your manifests`);
  }
  const files = filesIn(directory);
  if (files.length === 0) throw new LoadError(`${directory} holds no manifests: no file that ends in ${EXTENSIONS.join(', ')}`);
  if (files.length > MAX_FILES) throw new LoadError(`${directory} holds ${files.length} files; at most ${MAX_FILES} are read`);
  for (const file of files) {
    const { size } = statSync(file);
    if (size > MAX_FILE_BYTES) throw new LoadError(`${file} has ${size} bytes; at most ${MAX_FILE_BYTES} are read`);
  }
  return files;
}

function filesIn(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && name !== PASSED_OVER)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return filesIn(path);
      return EXTENSIONS.some((extension) => entry.name.endsWith(extension)) ? [path] : [];
    });
}
