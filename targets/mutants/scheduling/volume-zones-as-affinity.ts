import type { Context } from '../../../controller/context.ts';
import { createParts } from '../../../controller/parts.ts';
import type { PodToPlace, Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

function planned({ volumeTerms, ...pod }: PodToPlace): PodToPlace {
  const { affinity } = pod.spec;
  if (volumeTerms === undefined || affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution) return { ...pod, volumeTerms };
  // The planted bug: only nodes where the volume is count for the spread, as if the pod itself asked for them.
  const nodeAffinity = {
    ...affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [...volumeTerms] },
  };
  return { ...pod, spec: { ...pod.spec, affinity: { ...affinity, nodeAffinity } } };
}

function withAffinity(right: Simulator): Simulator {
  return { simulate: (input) => right.simulate({ ...input, pods: input.pods.map(planned) }) };
}

export const volumeZonesAsAffinity: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:volume-zones-as-affinity',
    summary: 'takes the zones of volumes for an affinity of the pod, so other zones do not count for its spread',
    makeParts: (context: Context) => {
      const right = createParts(context);
      return { ...right, simulator: withAffinity(right.simulator) };
    },
  }),
  resembles: 'zones of volumes separated pods that a spread constraint counts together, so nodes broke the spread (karpenter#1239)',
  caughtBy: {
    scenario: 'pools/volume-zone-is-full',
    check: 'no-launch-for-impossible-pods',
    code: 'launch-for-impossible-pod',
    object: 'instance/*',
    seeds: 'every',
  },
};
