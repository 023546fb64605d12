import { isDeleting, nameOf } from '../../../controller/api.ts';
import type { Context } from '../../../controller/context.ts';
import { createParts } from '../../../controller/parts.ts';
import { isNodePod } from '../../../controller/provisioning/pods.ts';
import type { Pod } from '../../../model/kube.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Terminating pods on cordoned nodes. The autoscaler itself uses a taint, so the cordon is someone else's. */
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
        // The planted bug: an evicted pod is planned for in addition to its replacement.
        simulator: { simulate: (input) => parts.simulator.simulate({ ...input, pods: [...input.pods, ...endingOnCordoned(context)] }) },
      };
    },
  }),
  resembles: 'capacity was launched for pods that someone else had evicted, in addition to their replacements (karpenter#2452)',
  caughtBy: {
    scenario: 'interruption/second-termination-handler',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
  },
};
