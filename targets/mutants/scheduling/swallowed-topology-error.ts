import { createParts } from '../../../controller/parts.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import { spreadProblem } from '../../../model/topology.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the correct one, but an invalid spread constraint silently aborts the planning of its whole batch. */
function swallowing(right: Simulator): Simulator {
  return {
    simulate: (input) => {
      try {
        for (const pod of input.pods) {
          const problem = (pod.spec.topologySpreadConstraints ?? []).map(spreadProblem).find((found) => found !== undefined);
          if (problem !== undefined) throw new Error(`${problem.field}: ${problem.message}`);
        }
        return right.simulate(input);
      } catch {
        // The planted bug: the error is swallowed, and the launch continues with an empty plan.
        return { launches: [], nominations: new Map(), refusals: [] };
      }
    },
  };
}

export const swallowedTopologyError: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:swallowed-topology-error',
    summary: 'swallows the error of an invalid topology spread: no pod of the batch gets a node',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, validator: { problem: () => undefined }, simulator: swallowing(right.simulator) };
    },
  }),
  resembles: 'one bad pod in a batch keeps every pod of the batch from being provisioned (karpenter-provider-aws#2189, #1021)',
  caughtBy: {
    scenario: 'scheduling/negative-max-skew',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/healthy-*',
    seeds: 'every',
  },
};
