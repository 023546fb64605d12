import { DEFAULT_PREFIX } from '../../world/real/tenant/tenant.ts';
import { UsageError } from '../usage-error.ts';
import type { ExistingOptions } from './existing.ts';

/** The values of `--mode`. */
export const MODES = ['routed', 'observed'] as const;

/** Most instances of a trial, if nobody says otherwise. */
export const DEFAULT_MAX_INSTANCES = 50;
/** With what follows, the run's name and a pool's, it must be a DNS label of 63 characters. */
const PREFIX = /^[a-z]([a-z0-9-]{0,18}[a-z0-9])?$/;

/** The flags of `--world existing` alone. */
export interface ExistingFlags {
  readonly mode?: (typeof MODES)[number] | undefined;
  readonly prefix?: string | undefined;
  readonly maxInstances?: number | undefined;
  readonly yes?: boolean | undefined;
  readonly plan?: boolean | undefined;
}

/** @throws UsageError for a prefix that no name can begin with */
export function readExistingFlags(flags: ExistingFlags): Pick<ExistingOptions, 'mode' | 'prefix' | 'maxInstances' | 'yes' | 'planOnly'> {
  const { mode = 'routed', prefix = DEFAULT_PREFIX, maxInstances = DEFAULT_MAX_INSTANCES, yes = false, plan = false } = flags;
  if (!PREFIX.test(prefix)) throw new UsageError(`--prefix ${prefix}: it must be at most 20 of a-z, 0-9 and -, and begin with a letter`);
  return { mode, prefix, maxInstances, yes, planOnly: plan };
}

/** @throws UsageError when one of them is given in another world */
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
