import { batchLimits } from './batch-limits.ts';
import { deafAfterError } from './deaf-after-error.ts';
import { deletedPods } from './deleted-pods.ts';
import { doubleLaunch } from './double-launch.ts';
import { foreignKiller } from './foreign-killer.ts';
import { forgetfulToken } from './forgetful-token.ts';
import { forgottenDaemons } from './forgotten-daemons.ts';
import { freshToken } from './fresh-token.ts';
import { hammering } from './hammering.ts';
import { hastyEnd } from './hasty-end.ts';
import { hastyFinalizer } from './hasty-finalizer.ts';
import { hastyTimeout } from './hasty-timeout.ts';
import { ignoredInterruption } from './ignored-interruption.ts';
import { keptTemplates } from './kept-templates.ts';
import type { Mutant } from './mutant.ts';
import { nodeNameIdentity } from './node-name-identity.ts';
import { nodeObjectRace } from './node-object-race.ts';
import { staleDescribe } from './stale-describe.ts';
import { swallowedTopologyError } from './swallowed-topology-error.ts';
import { unmaskedOfferings } from './unmasked-offerings.ts';

/** Every planted bug. */
export const mutants: readonly Mutant[] = [
  swallowedTopologyError,
  nodeObjectRace,
  freshToken,
  hastyFinalizer,
  forgetfulToken,
  nodeNameIdentity,
  staleDescribe,
  hastyTimeout,
  forgottenDaemons,
  batchLimits,
  unmaskedOfferings,
  hammering,
  deletedPods,
  ignoredInterruption,
  hastyEnd,
  doubleLaunch,
  deafAfterError,
  keptTemplates,
  foreignKiller,
];
