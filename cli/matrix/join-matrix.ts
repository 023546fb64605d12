import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { wholeLines } from '../../gate/append.ts';
import { joinShards } from '../join-shards.ts';
import { createDirectory, createRunDirectory } from '../run-directory.ts';
import { UsageError } from '../usage-error.ts';
import { CELLS_FILE } from './cells.ts';
import { readPlan, writePlan } from './directory.ts';

/**
 * Joins the shards of a matrix: version by version, as the shards of a run.
 * @param out the matrix directory, new or empty; by default a new one
 * @returns the directory; the matrix is not written yet
 * @throws UsageError unless they are all the shards of one matrix
 */
export function joinMatrix(directories: readonly string[], out: string | undefined, startedAt: string): string {
  const parts = directories.map((directory) => ({ directory, plan: readPlan(directory) }));
  const [first] = parts;
  if (first === undefined) throw new UsageError('merge needs the directories of all shards of a matrix');
  const other = parts.find(({ plan }) => !isDeepStrictEqual(plan, first.plan));
  if (other !== undefined)
    throw new UsageError(
      `${first.directory} and ${other.directory} are not shards of the same matrix (matrix-plan.json); run all shards with the same versions and the same code`,
    );
  const { versions } = first.plan;
  const joined = versions.map(({ folder }) => ({ folder, run: joinShards(directories.map((directory) => join(directory, folder))) }));
  const directory = createDirectory(out, { startedAt, prefix: 'matrix-' });
  for (const { folder, run } of joined) {
    const own = join(directory, folder);
    run.writeTo(createRunDirectory(own, startedAt));
    // What is done stays done: the joined matrix can be extended.
    for (const part of directories) {
      const path = join(part, folder, CELLS_FILE);
      if (existsSync(path))
        appendFileSync(
          join(own, CELLS_FILE),
          wholeLines(readFileSync(path))
            .lines.map((line) => `${line}\n`)
            .join(''),
        );
    }
  }
  writePlan(directory, first.plan);
  return directory;
}
