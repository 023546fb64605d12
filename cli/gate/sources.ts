import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../model/package-root.ts';

/** The folders with that code. */
export const CODE_FOLDERS: readonly string[] =
  'bin checks clients controller dist explore faults harness history manifests model protocols runtime suites targets wire world'.split(
    ' ',
  );

/** SHA-256 of all code that a trial may run. In a clone that can be any source file, so all of them count. */
export function sourcesDigest(): string {
  const root = packageRoot();
  const all = createHash('sha256');
  const paths = globSync([`{${CODE_FOLDERS.join(',')}}/**/*.{js,ts}`], {
    cwd: root,
    exclude: (path) => /\.test\.|node_modules/.test(path),
  }).sort();
  for (const path of paths) if (statSync(join(root, path)).isFile()) all.update(path).update(readFileSync(join(root, path)));
  return all.digest('hex');
}
