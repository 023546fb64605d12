import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from 'yaml';
import { UsageError } from './usage-error.ts';

/**
 * The text of a file that the user named.
 * @param what kind of file it is, as in `the policy file`
 * @throws UsageError when it can't be read
 */
export function readUserFile(path: string, what: string): string {
  refuseUnlessFile(path, what);
  return orRefuse(path, what, () => readFileSync(path, 'utf8'));
}

/** The URL of a file that the user named, to import it. @throws UsageError when it does not exist */
export function userFileUrl(path: string, what: string): string {
  refuseUnlessFile(path, what);
  return pathToFileURL(resolve(path)).href;
}

function refuseUnlessFile(path: string, what: string): void {
  if (orRefuse(path, what, () => statSync(path)).isDirectory()) throw new UsageError(`${path} is a directory; name a ${what} file`);
}

function orRefuse<T>(path: string, what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(`the ${what} file ${path} ${code === 'ENOENT' ? 'does not exist' : `can't be read: ${message}`}`);
  }
}

/** The value of YAML; null if it is empty. @throws UsageError that names the file */
export function parseUserYaml(source: string, path: string): unknown {
  try {
    return parse(source) as unknown;
  } catch (error) {
    throw new UsageError(`${path}: not valid YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
}
