import { createParts } from '../../../controller/parts.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import type { Resources } from '../../../model/resources.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the correct one, as if only CPU and memory limited the pods of a node. */
function withoutPodLimit(right: Simulator): Simulator {
  // The planted bug: pods also need addresses.
  const unlimited = (resources: Resources): Resources => ({ ...resources, pods: Number.MAX_SAFE_INTEGER });
  return {
    simulate: (input) => {
      const nodes = input.nodes.map((node) => ({ ...node, free: unlimited(node.free) }));
      const pools = input.pools.map((pool) => ({
        ...pool,
        options: pool.options.map((option) => ({ ...option, room: unlimited(option.room) })),
      }));
      return right.simulate({ ...input, nodes, pools });
    },
  };
}

export const ignoredMaxPods: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-max-pods',
    summary: 'ignores the maximum number of pods per node: pods beyond it wait for a node that never has room',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: withoutPodLimit(right.simulator) };
    },
  }),
  resembles: '"Too many pods" on the nodes, and no other node for those that waited (karpenter#2080)',
  caughtBy: {
    scenario: 'provisioning/pods-per-node',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/*',
    seeds: 'every',
  },
};
