import { nameOf } from '../../../controller/api.ts';
import { createEmptiness } from '../../../controller/disruption/emptiness.ts';
import { isDisrupted } from '../../../controller/lifecycle/registrar.ts';
import { createParts } from '../../../controller/parts.ts';
import { isNodePod } from '../../../controller/provisioning/pods.ts';
import type { Node } from '../../../model/kube.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const leftoverTaint: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:leftover-taint',
    summary: 'removes taints of its previous process only from empty nodes: a node with pods stays tainted forever',
    makeParts: (context) => {
      const { state } = context;
      const right = createParts(context);
      const isUsed = (node: Node): boolean => [...state.podsOn(nameOf(node))].some((pod) => !isNodePod(pod));
      // The planted bug: only empty nodes are checked for leftover taints.
      const nodesOf = (providerId: string): Node[] => state.nodesOf(providerId).filter((node) => !isDisrupted(node) || !isUsed(node));
      return { ...right, emptiness: createEmptiness({ ...context, state: { ...state, nodesOf } }, right.disruption) };
    },
  }),
  resembles: 'nodes stayed cordoned when the autoscaler had been restarted while it disrupted them (karpenter#585)',
  caughtBy: {
    scenario: 'consolidation/killed-meanwhile',
    check: 'consolidation',
    code: 'not-consolidated',
    object: 'world',
    seeds: 'some',
    needs: 'crash',
  },
};
