import { createParts } from '../../../controller/parts.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The planted bug: each plan begins from scratch. */
function forgetful(right: Simulator): Simulator {
  return { simulate: ({ places: _, ...input }) => right.simulate(input) };
}

export const forgetsPlans: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:forgets-plans',
    summary:
      'plans anew for all waiting pods: one that can run anywhere takes the node on its way for another, which then gets a second one',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: forgetful(right.simulator) };
    },
  }),
  resembles: 'pods that became pending together got more nodes than they needed (karpenter#3121)',
  caughtBy: {
    scenario: 'pools/mixed-architectures',
    check: 'launches-needed',
    code: 'unneeded-launch',
    object: 'instance/*',
    seeds: 'every',
  },
};
