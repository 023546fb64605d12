import type { Context } from '../../../controller/context.ts';
import { createParts } from '../../../controller/parts.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the correct one, but first looks up the Node of every pod that a spread may have to count. */
function findingNodes({ state }: Context, right: Simulator): Simulator {
  return {
    simulate: (input) => {
      const isSpread = input.pods.some(({ spec }) => spec.topologySpreadConstraints !== undefined);
      const names = isSpread ? state.pods.list().flatMap(({ spec }) => spec.nodeName ?? []) : [];
      const missing = names.find((name) => name !== '' && state.nodes.get(name) === undefined);
      // The planted bug: one pod whose Node is gone aborts the planning for all others.
      if (missing !== undefined) throw new Error(`getting node ${missing}: not found`);
      return right.simulate(input);
    },
  };
}

export const blockedByMissingNode: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:blocked-by-missing-node',
    summary: 'plans nothing while any pod is bound to a Node that does not exist',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: findingNodes(context, right.simulator) };
    },
  }),
  resembles: 'pods bound to a missing node kept all others from being provisioned (karpenter#640, karpenter-provider-aws#4661)',
  caughtBy: {
    scenario: 'scheduling/pod-on-missing-node',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/web-*',
    seeds: 'every',
  },
};
