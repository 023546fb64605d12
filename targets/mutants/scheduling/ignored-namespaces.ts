import { createParts } from '../../../controller/parts.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import type { Pod } from '../../../model/kube.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

function inOneNamespace<P extends Pod>(pod: P): P {
  return { ...pod, metadata: { ...pod.metadata, namespace: 'default' } };
}

/** Plans like the correct one, as if all running pods were in the same namespace. */
function acrossNamespaces(right: Simulator): Simulator {
  return {
    simulate: (input) =>
      // The planted bug: a spread only counts pods of its own namespace.
      right.simulate({ ...input, nodes: input.nodes.map((node) => ({ ...node, pods: node.pods.map(inOneNamespace) })) }),
  };
}

export const ignoredNamespaces: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-namespaces',
    summary: 'counts pods of other namespaces with the same labels for spreads and affinities',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: acrossNamespaces(right.simulator) };
    },
  }),
  resembles: 'anti-affinity applied to pods of all namespaces by default, and pods stayed pending (kubernetes#45484)',
  caughtBy: {
    scenario: 'scheduling/same-app-in-two-namespaces',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/live-*',
    seeds: 'every',
  },
};
