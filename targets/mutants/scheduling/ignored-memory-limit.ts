import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import { launcherBeyondLimits } from '../launch/limits-checked-once.ts';
import { withoutLimitOf } from './ignored-limits.ts';
import type { Mutant } from '../mutant.ts';

export const ignoredMemoryLimit: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-memory-limit',
    summary: 'enforces pool limits for CPUs and nodes, but not for memory',
    makeParts: (context) => {
      const right = createParts(context);
      // The planted bug.
      return { ...right, simulator: withoutLimitOf('memory', right.simulator), launcher: launcherBeyondLimits(context) };
    },
  }),
  resembles: 'memory beyond the limit of the pool (karpenter-provider-aws#1730)',
  caughtBy: { scenario: 'provisioning/memory-limit', check: 'pool-limits', code: 'limit-exceeded', object: 'instance/*', seeds: 'every' },
};
