import { createParts } from '../../../controller/parts.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the right one, for pools that ask for no choice. */
function withoutMinimums(right: Simulator): Simulator {
  return {
    // The planted bug: claims are made without what their pool demands, and the launch knows claims only.
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
  resembles: 'requirements of claims made without the minValues of their pool, as a review of karpenter#963 feared',
  caughtBy: {
    scenario: 'pools/minimum-values-not-met',
    check: 'launches-within-pools',
    code: 'launch-outside-pools',
    object: 'instance/*',
    seeds: 'every',
  },
};
