import type { Simulator } from '../../../controller/scheduling/types.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the correct one, as if there were no DaemonSets. */
function withoutDaemons(right: Simulator): Simulator {
  return {
    simulate: (input) => {
      // The planted bug: DaemonSet pods still take their share of every node.
      const pools = input.pools.map((pool) => ({
        ...pool,
        options: pool.options.map((option) => ({ ...option, room: option.type.allocatable })),
      }));
      return right.simulate({ ...input, pools });
    },
  };
}

export const ignoredDaemonsets: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-daemonsets',
    summary: 'ignores the overhead of DaemonSets: its nodes are too small for the pods they are launched for',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: withoutDaemons(right.simulator) };
    },
  }),
  resembles: 'nodes whose allocatable was less than computed were launched again and again (karpenter-provider-aws#1959)',
  caughtBy: {
    scenario: 'provisioning/daemonset-overhead',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/*',
    seeds: 'every',
  },
};
