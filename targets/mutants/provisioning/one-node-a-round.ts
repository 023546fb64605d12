import { createParts } from '../../../controller/parts.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the correct one, but where a pool has limits only one node at a time. */
function roundByRound(right: Simulator): Simulator {
  return {
    simulate: (input) => {
      const plan = right.simulate(input);
      const isLimited = input.pools.some(({ remaining }) => Object.keys(remaining).length > 0);
      // The planted bug: the limits leave room for more.
      return isLimited ? { ...plan, launches: plan.launches.slice(0, 1) } : plan;
    },
  };
}

export const oneNodeARound: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:one-node-a-round',
    summary: 'launches one node per round where a pool has limits, however much room they leave',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: roundByRound(right.simulator) };
    },
  }),
  resembles: 'limits were counted wrongly within one batch, there in favour of more nodes (karpenter#2915)',
  caughtBy: {
    scenario: 'provisioning/far-below-limits',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/web-*',
    seeds: 'every',
  },
};
