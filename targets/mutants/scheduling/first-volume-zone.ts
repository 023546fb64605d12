import { createParts } from '../../../controller/parts.ts';
import type { PodToPlace, Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the correct one, but where the first term of a volume says. */
function withFirstTerms(right: Simulator): Simulator {
  // The planted bug: a volume can be attached wherever any of its terms holds.
  const planned = ({ volumeTerms, ...pod }: PodToPlace): PodToPlace =>
    volumeTerms === undefined ? pod : { ...pod, volumeTerms: volumeTerms.slice(0, 1) };
  return { simulate: (input) => right.simulate({ ...input, pods: input.pods.map(planned) }) };
}

export const firstVolumeZone: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:first-volume-zone',
    summary: 'takes the first zone of a volume for its only one, so pods that are not allowed there get no node',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: withFirstTerms(right.simulator) };
    },
  }),
  resembles: 'only the first of the alternative topologies of a volume counted, so its pod was not served elsewhere (karpenter#2742)',
  caughtBy: {
    scenario: 'pools/volume-of-two-zones',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/*',
    seeds: 'every',
  },
};
