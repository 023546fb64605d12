import { createParts } from '../../../controller/parts.ts';
import type { Refusal, Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the correct one, but has no words for pods that require a Node by name. */
function withoutWords(right: Simulator): Simulator {
  const told = ({ pod, reason }: Refusal): Refusal => {
    const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
    // The planted bug: the filter that looks at names gives no reason of its own.
    return { pod, reason: terms.some(({ matchFields }) => matchFields !== undefined) ? '' : reason };
  };
  return {
    simulate: (input) => {
      const plan = right.simulate(input);
      return { ...plan, refusals: plan.refusals.map(told) };
    },
  };
}

export const namelessReasons: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:nameless-reasons',
    summary: 'says of a pod that requires a Node by name that it is not served, but not why',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: withoutWords(right.simulator) };
    },
  }),
  resembles:
    'the event of a pod whose Node was gone ended in "pod didn\'t trigger scale-up: ", since that filter had no reasons (autoscaler#8097)',
  caughtBy: {
    scenario: 'scheduling/missing-node-explained',
    check: 'unserved-explained',
    code: 'unexplained',
    object: 'pods/default/pinned-*',
    seeds: 'every',
  },
};
