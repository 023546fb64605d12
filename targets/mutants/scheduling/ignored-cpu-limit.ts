import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import { launcherBeyondLimits } from '../launch/limits-checked-once.ts';
import { withoutLimitOf } from './ignored-limits.ts';
import type { Mutant } from '../mutant.ts';

export const ignoredCpuLimit: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-cpu-limit',
    summary: 'enforces pool limits for memory and nodes, but not for CPUs',
    makeParts: (context) => {
      const right = createParts(context);
      // The planted bug.
      return { ...right, simulator: withoutLimitOf('cpu', right.simulator), launcher: launcherBeyondLimits(context) };
    },
  }),
  resembles: 'more CPUs than the limit of the pool allowed (karpenter-provider-aws#3215)',
  caughtBy: {
    scenario: 'provisioning/cpu-limit',
    check: 'pool-limits',
    code: 'limit-exceeded',
    object: 'instance/*',
    seeds: 'every',
  },
};
