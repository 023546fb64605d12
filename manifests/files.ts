import { readFileSync, readdirSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { join } from 'node:path';
import { LoadError } from '../harness/load-error.ts';

const EXTENSIONS = ['.yaml', '.yml', '.json'];
/** A folder without manifests for a cluster. */
const SKIPPED = 'node_modules';
/** Enough for a directory of manifests, but not for a whole disk. */
const MAX_FILES = 2_000;
const MAX_FILE_BYTES = 8 * 2 ** 20;
/** Of nested directories; a loop of links ends here. */
const MAX_DEPTH = 32;

/**
 * The manifest files in a directory and its subdirectories, in the order of their paths. Hidden ones are skipped, links are followed.
 * @throws LoadError when it is not a directory, has no files, too many or too large ones, or can't be read
 */
export function manifestFiles(directory: string): string[] {
  const status = readable(directory, () => statSync(directory, { throwIfNoEntry: false }));
  if (status === undefined) throw new LoadError(`${directory} does not exist; name the directory that holds your manifests`);
  if (!status.isDirectory()) throw new LoadError(`${directory} is not a directory; name the directory that holds your manifests`);
  const files = filesIn(directory, 0);
  if (files.length === 0) throw new LoadError(`${directory} holds no manifests: no file that ends in ${EXTENSIONS.join(', ')}`);
  if (files.length > MAX_FILES) throw new LoadError(`${directory} holds ${files.length} files; at most ${MAX_FILES} are read`);
  return files;
}

/** A file's text. @throws LoadError when it can't be read, or is not UTF-8 */
export function readManifestFile(path: string): string {
  const bytes = readable(path, () => readFileSync(path));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new LoadError(`${path} is not UTF-8, which manifests have to be; save it as such`);
  }
}

function filesIn(directory: string, depth: number): string[] {
  if (depth > MAX_DEPTH) throw new LoadError(`${directory} is nested deeper than ${MAX_DEPTH} directories; do links form a loop?`);
  return readable(directory, () => readdirSync(directory))
    .filter((name) => !name.startsWith('.') && name !== SKIPPED)
    .sort()
    .flatMap((name) => {
      const path = join(directory, name);
      const isNamedAsOne = EXTENSIONS.some((extension) => name.endsWith(extension));
      const status = isNamedAsOne ? readable(path, () => statSync(path)) : statusOfOther(path);
      if (status?.isDirectory() === true) return filesIn(path, depth + 1);
      if (!isNamedAsOne || status === undefined) return [];
      refuseOddFile(path, status);
      return [path];
    });
}

/** The status of a file that is not a manifest; it may be a broken link. */
function statusOfOther(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function refuseOddFile(path: string, status: Stats): void {
  if (!status.isFile()) throw new LoadError(`${path} is neither a file nor a directory; remove it, or give it another name`);
  if (status.size > MAX_FILE_BYTES) throw new LoadError(`${path} has ${status.size} bytes; at most ${MAX_FILE_BYTES} are read`);
}

/** @throws LoadError that names the file that can't be read, and why: its permissions, a broken link */
function readable<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const [why, what] = REASONS[code] ?? [code, 'fix it'];
    throw new LoadError(`${path} can't be read: ${why}; ${what}, or remove it`);
  }
}

const REASONS: Readonly<Record<string, readonly [why: string, what: string]>> = {
  EACCES: ['permission denied (EACCES)', 'make it readable'],
  EPERM: ['operation not permitted (EPERM)', 'make it readable'],
  ENOENT: ['it is a broken link (ENOENT)', 'fix the link'],
  ELOOP: ['its links form a loop (ELOOP)', 'fix the link'],
  ENOTDIR: ['it is a broken link (ENOTDIR)', 'fix the link'],
};
