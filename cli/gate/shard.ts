import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { parsePolicy } from '../../gate/policy.ts';
import type { Policy } from '../../gate/policy.ts';
import { UsageError } from '../usage-error.ts';

/** The file of a gate's shard, beside its two runs. */
const SHARD_FILE = 'gate-shard.json';

const fileSchema = z.strictObject({
  /** The names of the sides, as the user gave them. */
  baseline: z.string(),
  candidate: z.string(),
  policy: z.unknown(),
  notes: z.array(z.string()),
});

/** What all shards of a gate share, and its joined decision needs. */
export interface GateShard extends Readonly<Omit<z.infer<typeof fileSchema>, 'policy'>> {
  readonly policy: Policy;
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
