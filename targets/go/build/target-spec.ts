import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { GoTargetFile } from '../../command/target-file.ts';
import { COVERAGE } from './coverage.ts';
import type { GoProgramSpec } from './spec.ts';

/** Digits that distinguish checkouts in an artefact's name. */
const DIGITS = 8;

/**
 * How to build the program of a target's file.
 * @param folder of the file, to which paths are relative
 */
export function specOfTarget({ name, go }: Pick<GoTargetFile, 'name' | 'go'>, folder: string): GoProgramSpec {
  const source = go.source === undefined ? undefined : resolve(folder, go.source);
  const replace = Object.entries(go.replace).map(([module, by]): [string, string] => [module, by.includes('@') ? by : resolve(folder, by)]);
  const version =
    source === undefined ? (go.version ?? '') : `checkout-${createHash('sha256').update(source).digest('hex').slice(0, DIGITS)}`;
  return {
    program: folderName(name),
    version: `${folderName(version)}${go.coverage === undefined ? '' : COVERAGE}`,
    module: go.module,
    package: go.package,
    moduleVersion: go.version,
    source,
    replace: Object.fromEntries(replace),
    overlay: go.overlay,
    coverage: go.coverage,
    goHint: 'the Go that its go.mod names',
  };
}

/** A text as a part of a folder's name. */
function folderName(text: string): string {
  return text.replaceAll(/[^\w.-]+/g, '-').replace(/^\.+/, '') || 'program';
}
