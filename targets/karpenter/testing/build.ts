import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../../model/package-root.ts';
import { VERSIONS } from './versions.ts';

/** Builds what the tests run, unless it exists. Prints what it does and how long it takes. @throws Error if it can't be built */
export default function build(): void {
  for (const version of Object.values(VERSIONS)) {
    const { status } = spawnSync(process.execPath, [join(packageRoot(), 'bin/scaleproof.js'), 'target', 'build', version], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    if (status !== 0) throw new Error(`${version} could not be built: exit code ${status ?? 'none'}`);
  }
}
