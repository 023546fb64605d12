import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE_NAME = 'scaleproof';

/**
 * The folder of this package, which contains `fixtures/`: sources run from it directly, compiled code from below its
 * `dist/`.
 * @param from module URL to start from
 * @throws Error when no parent folder is the package
 */
export function packageRoot(from: string = import.meta.url): string {
  for (let folder = dirname(fileURLToPath(from)); ; folder = dirname(folder)) {
    if (isPackage(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder)) throw new Error(`no package.json of ${PACKAGE_NAME} above ${fileURLToPath(from)}`);
  }
}

function isPackage(path: string): boolean {
  return existsSync(path) && (JSON.parse(readFileSync(path, 'utf8')) as { name?: unknown }).name === PACKAGE_NAME;
}
