import { uidOf } from '../../../controller/api.ts';
import { createParts } from '../../../controller/parts.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

const WELL_KNOWN = /kubernetes\.io\/|karpenter\./;

/** Plans like the correct one, but at first ignores user labels in node selectors. */
function hopeful(right: Simulator): Simulator {
  const tried = new Set<string>();
  return {
    simulate: (input) => {
      const pods = input.pods.map((pod) => {
        const { nodeSelector = {} } = pod.spec;
        if (tried.has(uidOf(pod)) || Object.keys(nodeSelector).every((key) => WELL_KNOWN.test(key))) return pod;
        tried.add(uidOf(pod));
        // The planted bug: it launches on the chance that a node might get the label later.
        return { ...pod, spec: { ...pod.spec, nodeSelector: {} } };
      });
      return right.simulate({ ...input, pods });
    },
  };
}

export const launchesForUnknownLabels: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:launches-for-unknown-labels',
    summary: 'launches once for each pod whose node selector names a label that no pool has',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: hopeful(right.simulator) };
    },
  }),
  resembles: 'nodes were launched for pods that could not run on them, along with necessary launches (karpenter-provider-aws#1905)',
  caughtBy: {
    scenario: 'scheduling/impossible-pods',
    check: 'no-launch-for-impossible-pods',
    code: 'launch-for-impossible-pod',
    object: 'instance/*',
    seeds: 'every',
  },
};
