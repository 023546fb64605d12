import { createParts } from '../../../controller/parts.ts';
import type { NodeCandidate, Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The planted bug: PreferNoSchedule keeps pods from a node that exists. */
function withHardTaints(node: NodeCandidate): NodeCandidate {
  return {
    ...node,
    taints: node.taints.map((taint) => (taint.effect === 'PreferNoSchedule' ? { ...taint, effect: 'NoSchedule' } : taint)),
  };
}

function fearingSoftTaints(right: Simulator): Simulator {
  return { simulate: (input) => right.simulate({ ...input, nodes: input.nodes.map(withHardTaints) }) };
}

export const softTaintsAsHard: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:soft-taints-as-hard',
    summary: 'takes PreferNoSchedule for NoSchedule on nodes that exist, and launches others',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: fearingSoftTaints(right.simulator) };
    },
  }),
  resembles: 'taints with the effect PreferNoSchedule were treated like NoSchedule (karpenter-provider-aws#1433)',
  caughtBy: {
    scenario: 'registration/soft-foreign-taint',
    check: 'runaway-capacity',
    code: 'runaway-launches',
    object: 'instance/*',
    seeds: 'every',
  },
};
