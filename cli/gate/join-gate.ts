import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { SIDES } from '../../reports/gate.ts';
import { joinShards } from '../join-shards.ts';
import { createDirectory, createRunDirectory } from '../run-directory.ts';
import { UsageError } from '../usage-error.ts';
import type { DecidedGate } from './outcome.ts';
import { judgeRuns } from './run-gate.ts';
import { readGateShard } from './shard.ts';

/**
 * Joins the shards of a gate, and decides.
 * @param out the gate's directory, new or empty; by default a new one
 * @throws UsageError unless they are all the shards of one gate, and each ran to its end
 */
export function joinGate(directories: readonly string[], out: string | undefined, startedAt: string): DecidedGate {
  const shards = directories.map((directory) => ({ directory, shard: readGateShard(directory) }));
  const [first] = shards;
  if (first === undefined) throw new UsageError('merge needs the directories of all shards of a gate');
  const { policy, notes, baseline, candidate } = first.shard;
  const other = shards.find(({ shard }) => !isDeepStrictEqual(shard, first.shard));
  if (other !== undefined)
    throw new UsageError(
      `${first.directory} and ${other.directory} are not shards of the same gate (gate-shard.json); run all shards with the same flags and the same code`,
    );
  // Missing trials are the last or the slow ones, so the others are no fair sample.
  const joined = SIDES.map((side) => {
    return {
      side,
      run: joinShards(
        directories.map((directory) => join(directory, side)),
        { mustHaveEnded: true },
      ),
    };
  });
  const directory = createDirectory(out, { startedAt, prefix: 'gate-' });
  for (const { side, run } of joined) run.writeTo(createRunDirectory(join(directory, side), startedAt));
  const outcome = judgeRuns({ baseline: join(directory, 'baseline'), candidate: join(directory, 'candidate') }, policy, {
    runs: [directory],
    versions: { baseline: baseline.version, candidate: candidate.version },
    notes,
  });
  return { outcome, directory, names: { baseline: baseline.target, candidate: candidate.target } };
}
