import { createParts } from '../../../controller/parts.ts';
import { isNodePod, isProvisionable } from '../../../controller/provisioning/pods.ts';
import { createReferenceTarget } from '../../reference.ts';
import { launchingAlsoFor } from './extra-launches.ts';
import type { Mutant } from '../mutant.ts';

export const launchesForGatedPods: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:launches-for-gated-pods',
    summary: 'launches nodes for pods that their scheduler has not evaluated: with a scheduling gate, or of another scheduler',
    makeParts: (context) => {
      const right = createParts(context);
      const { state } = context;
      // The planted bug: every pod without a node counts as pending.
      const staticCapacity = launchingAlsoFor(context, right, () =>
        [...state.unboundPods()].filter((pod) => !isNodePod(pod) && !isProvisionable(pod, (name) => state.nodes.get(name))),
      );
      return { ...right, staticCapacity };
    },
  }),
  resembles: 'nodes were launched for pods that their scheduler held back until there was quota (autoscaler#9828)',
  caughtBy: {
    scenario: 'scheduling/gated-pods',
    check: 'no-launch-for-impossible-pods',
    code: 'launch-for-impossible-pod',
    object: 'instance/*',
    seeds: 'every',
  },
};
