import { createParts } from '../../../controller/parts.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the correct one, but without the pools' minimum values. */
function withoutMinimums(right: Simulator): Simulator {
  return {
    // The planted bug: claims lack their pool's minimum values, and the launch only uses claims.
    simulate: (input) => right.simulate({ ...input, pools: input.pools.map((pool) => ({ ...pool, minimums: new Map() })) }),
  };
}

export const ignoredMinimumValues: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-minimum-values',
    summary: 'launches even when fewer types or zones are left than the pool requires',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: withoutMinimums(right.simulator) };
    },
  }),
  resembles: 'claims were created without the minValues of their pool, a risk that a review of karpenter#963 raised',
  caughtBy: {
    scenario: 'pools/minimum-values-not-met',
    check: 'launches-within-pools',
    code: 'launch-outside-pools',
    object: 'instance/*',
    seeds: 'every',
  },
};
