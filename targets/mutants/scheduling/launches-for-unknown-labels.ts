import { uidOf } from '../../../controller/api.ts';
import { createParts } from '../../../controller/parts.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

const WELL_KNOWN = /kubernetes\.io\/|karpenter\./;

/** Plans like the right one, but looks at pods with labels of their users' a first time as if they asked for none. */
function hopeful(right: Simulator): Simulator {
  const tried = new Set<string>();
  return {
    simulate: (input) => {
      const pods = input.pods.map((pod) => {
        const { nodeSelector = {} } = pod.spec;
        if (tried.has(uidOf(pod)) || Object.keys(nodeSelector).every((key) => WELL_KNOWN.test(key))) return pod;
        tried.add(uidOf(pod));
        // The planted bug: a node may get a label after it was launched, so why not try.
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
  resembles: 'nodes launched for pods that could not run on them, in the midst of launches that were needed (karpenter-provider-aws#1905)',
  caughtBy: {
    scenario: 'scheduling/impossible-pods',
    check: 'no-launch-for-impossible-pods',
    code: 'launch-for-impossible-pod',
    object: 'instance/*',
    seeds: 'every',
  },
};
