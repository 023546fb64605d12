import { createParts } from '../../../controller/parts.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the right one, and forgets whom it planned nothing for. */
function silent(right: Simulator): Simulator {
  return {
    simulate: (input) => {
      // The planted bug: a limit, a missing label and a zone without capacity look alike from a pod, which is pending.
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
  resembles: 'pods kept from being planned by a bad selector (karpenter#160): why is known at one place alone',
  caughtBy: {
    scenario: 'provisioning/node-limit',
    check: 'unserved-explained',
    code: 'unexplained',
    object: 'pods/default/beyond-*',
    seeds: 'every',
  },
};
