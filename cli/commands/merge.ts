import { createRealTimeline } from '../../runtime/timeline.ts';
import type { Console } from '../console.ts';
import { isGateShard } from '../gate/shard.ts';
import { joinGate } from '../gate/join-gate.ts';
import { joinShards } from '../join-shards.ts';
import { isMatrixDirectory } from '../matrix/directory.ts';
import { joinMatrix } from '../matrix/join-matrix.ts';
import { writeMatrix } from '../matrix/write-matrix.ts';
import { createRunDirectory } from '../run-directory.ts';
import { check } from './check.ts';
import { reportGate } from './gate.ts';
import { matrixExit, printMatrix } from './matrix.ts';

export interface MergeOptions {
  readonly out: string | undefined;
  readonly json: boolean;
}

/**
 * `scaleproof merge DIR...`: joins the shards of a run, a gate or a matrix into one directory, and judges them as one.
 * @throws UsageError unless they are all the shards of one run, gate or matrix
 */
export async function merge(directories: readonly string[], { out, json }: MergeOptions, console: Console): Promise<number> {
  const startedAt = new Date(createRealTimeline().scope('command').nowMs()).toISOString();
  if (directories.some(isGateShard)) return reportGate(joinGate(directories, out, startedAt), { json }, console);
  if (directories.some(isMatrixDirectory)) {
    const directory = joinMatrix(directories, out, startedAt);
    const report = writeMatrix(directory);
    printMatrix(report, directory, { json }, console);
    return matrixExit(report);
  }
  const run = joinShards(directories);
  const directory = createRunDirectory(out, startedAt);
  run.writeTo(directory);
  return check(directory, { checks: [], json }, console);
}
