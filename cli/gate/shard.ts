import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { PolicyError, parsePolicy } from '../../gate/policy.ts';
import type { Policy } from '../../gate/policy.ts';
import { UsageError } from '../usage-error.ts';

/** The file of a gate's shard, beside its two runs. */
const SHARD_FILE = 'gate-shard.json';

/** A side as the user named it. The version is given for targets from files. */
const sideSchema = z.strictObject({ target: z.string(), version: z.string().optional() });

const fileSchema = z.strictObject({
  baseline: sideSchema,
  candidate: sideSchema,
  /** SHA-256 of all code that a trial may run. */
  sources: z.string(),
  policy: z.unknown(),
  notes: z.array(z.string()),
});

/** What all shards of a gate have in common: its decision needs no more than this and their runs. */
export interface GateShard extends Readonly<Omit<z.infer<typeof fileSchema>, 'policy'>> {
  readonly policy: Policy;
}

/**
 * The policy of a gate in shards: it looks once, so that look has the whole error rate.
 * @throws UsageError if one look could never promote
 */
export function policyOfOneLook(policy: Policy): Policy {
  const { episodes } = policy;
  try {
    return parsePolicy({ ...policy, episodes: { ...episodes, max: episodes.first } });
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    throw new UsageError(`--shard: a gate in shards looks only once, so its episodes.max is episodes.first; with that ${error.message}`);
  }
}

/** Whether a directory is that of a gate's shard. */
export function isGateShard(directory: string): boolean {
  return existsSync(join(directory, SHARD_FILE));
}

/** Writes it beside the runs. */
export function writeGateShard(directory: string, shard: GateShard): void {
  writeFileSync(join(directory, SHARD_FILE), `${JSON.stringify(shard, undefined, 2)}\n`);
}

/** @throws UsageError if it can't be read */
export function readGateShard(directory: string): GateShard {
  const path = join(directory, SHARD_FILE);
  if (!existsSync(path))
    throw new UsageError(`${directory} is not a shard of a gate: it has no ${SHARD_FILE}; merge takes shards of one gate or of one run`);
  try {
    const { policy, ...shard } = fileSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
    return { ...shard, policy: parsePolicy(policy, path) };
  } catch {
    throw new UsageError(`${path} can't be read: it is damaged, or of another version of Scaleproof; run the shard again`);
  }
}
