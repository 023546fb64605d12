import { createEmptiness } from '../../../controller/disruption/emptiness.ts';
import { createParts } from '../../../controller/parts.ts';
import { isDaemonPod } from '../../../controller/provisioning/pods.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const daemonsetPodsKeepNodes: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:daemonset-pods-keep-nodes',
    summary: 'treats a node as in use while only DaemonSet pods are left on it',
    makeParts: (context) => {
      const { nominations, state } = context;
      const right = createParts(context);
      // The planted bug: any pod keeps its node, even a DaemonSet's.
      const has = (node: string): boolean => nominations.has(node) || [...state.podsOn(node)].some(isDaemonPod);
      return { ...right, emptiness: createEmptiness({ ...context, nominations: { ...nominations, has } }, right.disruption) };
    },
  }),
  resembles: 'nodes did not count as empty while DaemonSet pods ran there (karpenter#1475)',
  caughtBy: { scenario: 'provisioning/daemonset-overhead', check: 'scale-in', code: 'not-ended', object: 'instance/*', seeds: 'every' },
};
