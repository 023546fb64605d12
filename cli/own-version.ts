import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../model/package-root.ts';

/** The version of this package. */
export function ownVersion(): string {
  return (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string }).version;
}
