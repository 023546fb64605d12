import type { Context } from '../../../controller/context.ts';
import { createParts } from '../../../controller/parts.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the correct one, but with the original pods. */
function withoutVolumes({ state }: Context, right: Simulator): Simulator {
  return {
    simulate: (input) => {
      // The planted bug: the topology of volumes, which was added to the pods, is dropped again.
      const asTheyCame = new Map(state.pods.list().map((pod) => [pod.metadata.uid, pod]));
      return right.simulate({ ...input, pods: input.pods.map((pod) => asTheyCame.get(pod.metadata.uid) ?? pod) });
    },
  };
}

export const ignoredVolumeZones: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-volume-zones',
    summary: 'launches nodes for pods without checking the zones of their volumes',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: withoutVolumes(context, right.simulator) };
    },
  }),
  resembles: 'nodes were launched in another zone than the volume of their pod (karpenter-provider-aws#1011)',
  caughtBy: {
    scenario: 'pools/volume-zones',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/*',
    seeds: 'every',
  },
};
