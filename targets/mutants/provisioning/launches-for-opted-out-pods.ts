import { isDeleting, nameOf } from '../../../controller/api.ts';
import type { Context } from '../../../controller/context.ts';
import { createParts } from '../../../controller/parts.ts';
import { hasOptedOut, isReschedulable } from '../../../controller/provisioning/pods.ts';
import type { Pod } from '../../../model/kube.ts';
import { createReferenceTarget } from '../../reference.ts';
import { launchingAlsoFor } from './extra-launches.ts';
import type { Mutant } from '../mutant.ts';

function optedOutOnLeavingNodes({ state }: Context): Pod[] {
  return state.claims
    .list()
    .filter(isDeleting)
    .flatMap((claim) => state.nodesOf(claim.status?.providerID ?? ''))
    .flatMap((node) => [...state.podsOn(nameOf(node))].filter((pod) => isReschedulable(pod) && hasOptedOut(pod)));
}

export const launchesForOptedOutPods: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:launches-for-opted-out-pods',
    summary: 'launches nodes for pods that opted out of disruption as soon as their node has to go, although they stay there',
    makeParts: (context) => {
      const right = createParts(context);
      // The planted bug: every pod that would be recreated counts as moving.
      return { ...right, staticCapacity: launchingAlsoFor(context, right, () => optedOutOnLeavingNodes(context)) };
    },
  }),
  resembles: 'nodes were launched for pods that stayed on expired nodes, because they had opted out of disruption (karpenter#1928)',
  caughtBy: {
    scenario: 'disruption/opted-out-pods-stay',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
  },
};
