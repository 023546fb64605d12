import { isDeleting, nameOf } from '../../../controller/api.ts';
import type { Context } from '../../../controller/context.ts';
import { createParts } from '../../../controller/parts.ts';
import { isNodePod } from '../../../controller/provisioning/pods.ts';
import type { Pod } from '../../../model/kube.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Pods that end on nodes which were cordoned: not by the autoscaler, which closes its own by a taint. */
function endingOnCordoned({ state }: Context): Pod[] {
  const cordoned = state.nodes.list().filter(({ spec }) => spec?.unschedulable === true);
  return cordoned.flatMap((node) => [...state.podsOn(nameOf(node))].filter((pod) => isDeleting(pod) && !isNodePod(pod)));
}

export const doubleCountedPods: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:double-counted-pods',
    summary: 'treats a cordoned node as gone with all its pods, and counts evicted pods as well as their replacements',
    makeParts: (context) => {
      const parts = createParts(context);
      return {
        ...parts,
        // The planted bug: a pod that was evicted is planned for besides the one that its controller has made in its place.
        simulator: { simulate: (input) => parts.simulator.simulate({ ...input, pods: [...input.pods, ...endingOnCordoned(context)] }) },
      };
    },
  }),
  resembles:
    'capacity launched for pods of a node that was given up, although others stood in for them already, when somebody else saw to their eviction (karpenter#2452)',
  caughtBy: {
    scenario: 'interruption/second-termination-handler',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
  },
};
