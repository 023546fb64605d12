import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { UsageError } from './usage-error.ts';

/**
 * The text of a file that the user named.
 * @param what the file is, as in `the policy file`
 * @throws UsageError where it can't be read
 */
export function readUserFile(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new UsageError(`the ${what} file ${path} does not exist`);
    if (code === 'EISDIR') throw new UsageError(`${path} is a directory; name a ${what} file`);
    throw new UsageError(`the ${what} file ${path} can't be read: ${message}`);
  }
}

/** What YAML says; null if there is none. @throws UsageError that names the file it is of */
export function parseUserYaml(source: string, path: string): unknown {
  try {
    return parse(source) as unknown;
  } catch (error) {
    throw new UsageError(`${path}: it is no YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
}
