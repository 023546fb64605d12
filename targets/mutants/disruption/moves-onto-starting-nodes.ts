import { createDisruption } from '../../../controller/disruption/disruption.ts';
import { createEmptiness } from '../../../controller/disruption/emptiness.ts';
import { createParts } from '../../../controller/parts.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the correct one, but does not say which nodes the pods need. */
function withoutNominations(right: Simulator): Simulator {
  // The planted bug: whether these nodes are ready is not asked.
  return { simulate: (input) => ({ ...right.simulate(input), nominations: new Map() }) };
}

export const movesOntoStartingNodes: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:moves-onto-starting-nodes',
    summary: 'consolidates pods onto nodes that are still booting: they wait, and the nodes may never come',
    makeParts: (context) => {
      const right = createParts(context);
      const disruption = createDisruption(context, { ...right, simulator: withoutNominations(right.simulator) });
      return { ...right, disruption, emptiness: createEmptiness(context, disruption) };
    },
  }),
  resembles: 'nodes were drained before the ones that should take their pods could run any (karpenter-provider-aws#3979)',
  caughtBy: {
    scenario: 'consolidation/onto-starting-node',
    check: 'undisturbed',
    code: 'node-taken',
    object: 'nodes/*',
    seeds: 'every',
  },
};
