import { createParts } from '../../../controller/parts.ts';
import type { PodToPlace, Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the correct one, but takes no notice of the names of nodes. */
function withoutFields(right: Simulator): Simulator {
  // The planted bug: a term may have fields beside expressions.
  const planned = (pod: PodToPlace): PodToPlace => {
    const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
    return terms.some(({ matchFields }) => matchFields !== undefined) ? { ...pod, spec: { ...pod.spec, affinity: {} } } : pod;
  };
  return { simulate: (input) => right.simulate({ ...input, pods: input.pods.map(planned) }) };
}

export const ignoredNodeNames: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-node-names',
    summary: 'ignores that a pod requires a Node by name, and launches for it',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: withoutFields(right.simulator) };
    },
  }),
  resembles: 'a pod that required a Node by the name of one that was gone ended the autoscaler (autoscaler#8097)',
  caughtBy: {
    scenario: 'scheduling/missing-node-by-name',
    check: 'no-launch-for-impossible-pods',
    code: 'launch-for-impossible-pod',
    object: 'instance/*',
    seeds: 'every',
  },
};
