import { DEFAULT_PREFIX } from '../../world/real/tenant/tenant.ts';
import { UsageError } from '../usage-error.ts';
import type { ExistingOptions } from './existing.ts';

/** The values of `--mode`. */
export const MODES = ['routed', 'observed'] as const;

/** Most instances of a trial, by default. */
export const DEFAULT_MAX_INSTANCES = 50;
/** Together with the names of the run and of a pool, it must be a DNS label of at most 63 characters. */
const PREFIX = /^[a-z]([a-z0-9-]{0,18}[a-z0-9])?$/;

/** Flags that only `--world existing` has. */
export interface ExistingFlags {
  readonly mode?: (typeof MODES)[number] | undefined;
  readonly prefix?: string | undefined;
  readonly maxInstances?: number | undefined;
  readonly yes?: boolean | undefined;
  readonly plan?: boolean | undefined;
}

/** @throws UsageError for a prefix that names can't start with */
export function readExistingFlags(flags: ExistingFlags): Pick<ExistingOptions, 'mode' | 'prefix' | 'maxInstances' | 'yes' | 'planOnly'> {
  const { mode = 'routed', prefix = DEFAULT_PREFIX, maxInstances = DEFAULT_MAX_INSTANCES, yes = false, plan = false } = flags;
  if (!PREFIX.test(prefix)) throw new UsageError(`--prefix ${prefix}: it must be at most 20 of a-z, 0-9 and -, and start with a letter`);
  return { mode, prefix, maxInstances, yes, planOnly: plan };
}

/** @throws UsageError when one of these flags is used with another world */
export function refuseExistingFlags(flags: ExistingFlags): void {
  const { mode, prefix, maxInstances, yes, plan } = flags;
  const given = {
    mode,
    prefix,
    'max-instances': maxInstances,
    yes: yes === true ? true : undefined,
    plan: plan === true ? true : undefined,
  };
  for (const [flag, value] of Object.entries(given))
    if (value !== undefined) throw new UsageError(`--${flag} is for --world existing, a cluster that others use too`);
}
