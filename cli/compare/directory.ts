import { existsSync, readdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../usage-error.ts';

/** Comparisons that begin within one second get a number; more than this many in one second is nobody's hand. */
const MAX_A_SECOND = 1_000;

/**
 * Where a comparison is written: `out`, which must be new or empty, or a new directory in `runs/`. Nothing is made yet.
 * @throws UsageError when `out` can't be used
 */
export function comparisonDirectory(out: string | undefined, startedAt: string): string {
  if (out === undefined) {
    const name = `compare-${startedAt.replaceAll(/[:T]/g, '-').replace(/\..*$/, '')}`;
    for (let number = 1; number <= MAX_A_SECOND; number += 1) {
      const directory = resolve('runs', number === 1 ? name : `${name}-${number}`);
      if (!existsSync(directory)) return directory;
    }
    throw new UsageError(`runs/${name} and its successors exist; name a directory with --out`);
  }
  const directory = resolve(out);
  if (!existsSync(directory)) return directory;
  if (!statSync(directory).isDirectory()) throw new UsageError(`--out ${out} is a file; name a directory that is new or empty`);
  if (readdirSync(directory).length > 0) throw new UsageError(`--out ${out} is not empty; name a directory that is new or empty`);
  return directory;
}
