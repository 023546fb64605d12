import { createParts } from '../../../controller/parts.ts';
import { isDaemonPod } from '../../../controller/provisioning/pods.ts';
import { createReferenceTarget } from '../../reference.ts';
import { launchingAlsoFor } from './extra-launches.ts';
import type { Mutant } from '../mutant.ts';

export const launchesForDaemonsetPods: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:launches-for-daemonset-pods',
    summary: 'launches nodes for DaemonSet pods that do not fit: they keep waiting, and each new node gets a DaemonSet pod of its own',
    makeParts: (context) => {
      const right = createParts(context);
      // The planted bug: a DaemonSet pod is bound to an existing node, and another node brings its own.
      const staticCapacity = launchingAlsoFor(context, right, () =>
        [...context.state.unboundPods()].filter(isDaemonPod).map((pod) => ({ ...pod, spec: { ...pod.spec, affinity: {} } })),
      );
      return { ...right, staticCapacity };
    },
  }),
  resembles: 'nodes were launched in a loop for a pod that none of them helped (karpenter-provider-aws#5406)',
  caughtBy: {
    scenario: 'provisioning/new-daemonset',
    check: 'no-launch-for-impossible-pods',
    code: 'launch-for-impossible-pod',
    object: 'instance/*',
    seeds: 'every',
  },
};
