import type { Policy } from '../../gate/policy.ts';
import { defined } from '../../model/defined.ts';
import type { SideName } from '../../reports/gate.ts';
import type { Shard } from '../../reports/report-input.ts';
import { runTargets } from '../compare/run-targets.ts';
import type { Console } from '../console.ts';
import { UsageError } from '../usage-error.ts';
import { askable, seedsOfNextLook } from './run-gate.ts';
import type { Targets } from './run-gate.ts';
import { policyOfOneLook, writeGateShard } from './shard.ts';
import type { GateShard } from './shard.ts';
import { sourcesDigest } from './sources.ts';

/**
 * Runs one shard of a gate: its part of the pairs of a single look. It does not decide, and so does not end early.
 * @param at a new directory for the runs of both sides, and the start time
 * @throws UsageError when the sides can't be compared, or there are fewer pairs than shards
 * @throws the signal's reason when it is aborted
 */
export async function runGateShard(
  sides: Targets,
  { shard, policy: given }: { readonly shard: Shard; readonly policy: Policy },
  { directory, startedAt }: { readonly directory: string; readonly startedAt: string },
  console: Console,
): Promise<void> {
  const policy = policyOfOneLook(given);
  const { chosen, notes } = await askable(sides);
  const seeds = seedsOfNextLook(policy, 0, chosen.length);
  const pairs = chosen.length * seeds;
  if (pairs < shard.of) throw new UsageError(`--shard ${shard.number}/${shard.of}: there are only ${pairs} pairs; use fewer shards`);
  const named = (side: SideName): GateShard['baseline'] => ({ target: sides[side].label, ...defined({ version: sides.versions?.[side] }) });
  const [baseline, candidate] = [named('baseline'), named('candidate')];
  writeGateShard(directory, { baseline, candidate, sources: sourcesDigest(), policy, notes });
  await runTargets(
    [
      { letter: 'baseline', target: sides.baseline },
      { letter: 'candidate', target: sides.candidate },
    ],
    {
      chosen,
      manifests: sides.selection.manifests,
      seed: sides.seed,
      trialsOf: () => seeds,
      nodesOf: () => sides.selection.nodes,
      shard,
      workers: sides.workers,
      sideNames: 'letter',
    },
    { directory, startedAt, signal: sides.signal },
    console,
  );
  sides.signal.throwIfAborted();
}
