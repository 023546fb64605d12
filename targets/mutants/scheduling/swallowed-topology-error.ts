import { createParts } from '../../../controller/parts.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import type { TopologySpreadConstraint } from '../../../model/kube.ts';
import { spreadProblem } from '../../../model/topology.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the right one, but a spread constraint that is invalid or can't be met ends the planning of its whole batch without a word. */
function swallowing(right: Simulator): Simulator {
  return {
    simulate: (input) => {
      try {
        for (const pod of input.pods) {
          const problem = (pod.spec.topologySpreadConstraints ?? []).map(spreadProblem).find((found) => found !== undefined);
          if (problem !== undefined) throw new Error(`${problem.field}: ${problem.message}`);
        }
        const plan = right.simulate(input);
        const unmet = plan.refusals.find(({ pod }) => pod.spec.topologySpreadConstraints?.some(isRequired) === true);
        if (unmet !== undefined) throw new Error(unmet.reason);
        return plan;
      } catch {
        // The planted bug: the error is swallowed, and the launch continues with an empty plan.
        return { launches: [], nominations: new Map(), refusals: [] };
      }
    },
  };
}

const isRequired = ({ whenUnsatisfiable }: TopologySpreadConstraint): boolean => whenUnsatisfiable === 'DoNotSchedule';

export const swallowedTopologyError: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:swallowed-topology-error',
    summary: 'swallows the error of a topology spread that is invalid or cannot be met: no pod of the batch gets a node',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, validator: { problem: () => undefined }, simulator: swallowing(right.simulator) };
    },
  }),
  resembles: 'one bad pod in a batch keeps every pod of the batch from being provisioned (karpenter-provider-aws#2189, #1021)',
  caughtBy: {
    scenario: 'scheduling/unmet-spread',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/healthy-*',
    seeds: 'every',
  },
};
