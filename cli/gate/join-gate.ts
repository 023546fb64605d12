import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { GateOutcome } from '../../gate/outcome.ts';
import { nextLook } from '../../gate/policy.ts';
import type { Policy } from '../../gate/policy.ts';
import { SIDES } from '../../reports/gate.ts';
import { joinShards } from '../join-shards.ts';
import { createDirectory, createRunDirectory } from '../run-directory.ts';
import { UsageError } from '../usage-error.ts';
import { judgeRuns } from './run-gate.ts';
import { readGateShard } from './shard.ts';

/** A gate that was decided, and its directory. */
export interface DecidedGate {
  readonly outcome: GateOutcome;
  readonly directory: string;
  /** The names of its sides, as the user gave them. */
  readonly names: { readonly baseline: string; readonly candidate: string };
}

/**
 * Joins the shards of a gate, and decides.
 * @param out the gate's directory, new or empty; by default a new one
 * @throws UsageError unless they are all the shards of one gate
 */
export function joinGate(directories: readonly string[], out: string | undefined, startedAt: string): DecidedGate {
  const shards = directories.map((directory) => ({ directory, shard: readGateShard(directory) }));
  const [first] = shards;
  if (first === undefined) throw new UsageError('merge needs the directories of all shards of a gate');
  const other = shards.find(({ shard }) => !isDeepStrictEqual(shard, first.shard));
  if (other !== undefined)
    throw new UsageError(
      `${first.directory} and ${other.directory} are not shards of the same gate: their sides or policies differ; run all shards with the same flags`,
    );
  const joined = SIDES.map((side) => ({ side, run: joinShards(directories.map((directory) => join(directory, side))) }));
  const directory = createDirectory(out, { startedAt, prefix: 'gate-' });
  for (const { side, run } of joined) run.writeTo(createRunDirectory(join(directory, side), startedAt));
  const { policy, notes, baseline, candidate } = first.shard;
  const runs = { baseline: join(directory, 'baseline'), candidate: join(directory, 'candidate') };
  const outcome = judgeRuns(runs, policy, { runs: [directory], notes });
  return { outcome: { ...outcome, notes: [...outcome.notes, ...nextLookOf(outcome, policy)] }, directory, names: { baseline, candidate } };
}

/** How to get more pairs, if they may decide: a sentence, or none. */
function nextLookOf({ decision: { verdict, episodes } }: GateOutcome, policy: Policy): string[] {
  const next = nextLook(policy.episodes, episodes.seen);
  if (verdict !== 'inconclusive' || next === undefined) return [];
  return [`a gate in shards compares only once: for ${next} pairs, run the shards with a policy whose episodes.first is ${next}`];
}
