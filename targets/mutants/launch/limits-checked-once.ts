import type { Context } from '../../../controller/context.ts';
import { createLauncher } from '../../../controller/launch/launcher.ts';
import type { Launcher } from '../../../controller/launch/launcher.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/**
 * The correct launcher, except that it launches every claim that was created, whatever its pool's limits are by then. Wrong plans need it,
 * too: the correct one would put them right.
 */
export function launcherBeyondLimits(context: Context): Launcher {
  return createLauncher(context, { isWithinLimits: () => true });
}

export const limitsCheckedOnce: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:limits-checked-once',
    summary: "checks its pools' limits when it plans, and launches whatever claim turns up after that",
    // The planted bug.
    makeParts: (context) => ({ ...createParts(context), launcher: launcherBeyondLimits(context) }),
  }),
  resembles: 'limits were exceeded by claims created without knowledge of each other (karpenter#2915)',
  caughtBy: {
    scenario: 'provisioning/cpu-limit-with-late-claims',
    check: 'pool-limits',
    code: 'limit-exceeded',
    object: 'instance/*',
    seeds: 'every',
  },
};
