import { createParts } from '../../../controller/parts.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import type { Resources } from '../../../model/resources.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the correct one, as if every node had an endless disk. */
function withoutDisks(right: Simulator): Simulator {
  // The planted bug: pods also need room on the disk.
  const endless = (resources: Resources): Resources => ({ ...resources, 'ephemeral-storage': Number.MAX_SAFE_INTEGER });
  return {
    simulate: (input) => {
      const nodes = input.nodes.map((node) => ({ ...node, free: endless(node.free) }));
      const pools = input.pools.map((pool) => ({
        ...pool,
        options: pool.options.map((option) => ({ ...option, room: endless(option.room) })),
      }));
      return right.simulate({ ...input, nodes, pools });
    },
  };
}

export const ignoredEphemeralStorage: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-ephemeral-storage',
    summary: 'ignores requests of ephemeral storage: it plans pods on nodes whose disk is too small for all of them',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: withoutDisks(right.simulator) };
    },
  }),
  resembles: 'ephemeral storage was not considered when pods were packed onto nodes (karpenter-provider-aws#1563)',
  caughtBy: {
    scenario: 'scheduling/ephemeral-storage',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/builder-*',
    seeds: 'every',
  },
};
