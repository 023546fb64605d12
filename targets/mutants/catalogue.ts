import { freshToken } from './fresh-token.ts';
import { hastyFinalizer } from './hasty-finalizer.ts';
import type { Mutant } from './mutant.ts';
import { nodeObjectRace } from './node-object-race.ts';
import { swallowedTopologyError } from './swallowed-topology-error.ts';

/** Every planted bug. */
export const mutants: readonly Mutant[] = [swallowedTopologyError, nodeObjectRace, freshToken, hastyFinalizer];
