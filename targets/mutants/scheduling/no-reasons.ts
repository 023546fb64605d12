import { createParts } from '../../../controller/parts.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the correct one, but drops the refusals. */
function silent(right: Simulator): Simulator {
  return {
    simulate: (input) => {
      // The planted bug: without the reason, a limit, a missing label and a lack of capacity all look the same for a pending pod.
      return { ...right.simulate(input), refusals: [] };
    },
  };
}

export const noReasons: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:no-reasons',
    summary: 'does not say why a pod waits: not for a limit, a lack of capacity, or a constraint that nothing meets',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: silent(right.simulator) };
    },
  }),
  resembles: 'pods were not planned because of a bad selector (karpenter#160), and only one place knew why',
  caughtBy: {
    scenario: 'provisioning/node-limit',
    check: 'unserved-explained',
    code: 'unexplained',
    object: 'pods/default/beyond-*',
    seeds: 'every',
  },
};
