import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import { withoutLimitOf } from './forgotten-limits.ts';
import type { Mutant } from '../mutant.ts';

export const forgottenProcessors: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:forgotten-processors',
    summary: 'enforces pool limits for memory and nodes, but not for CPUs',
    makeParts: (context) => {
      const right = createParts(context);
      // The planted bug.
      return { ...right, simulator: withoutLimitOf('cpu', right.simulator) };
    },
  }),
  resembles: 'more CPUs than the limit of the pool allowed (karpenter-provider-aws#3215)',
  caughtBy: {
    scenario: 'provisioning/processor-limit',
    check: 'pool-limits',
    code: 'limit-exceeded',
    object: 'instance/*',
    seeds: 'every',
  },
};
