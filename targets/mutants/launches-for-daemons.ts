import { uidOf } from '../../controller/api.ts';
import type { Context } from '../../controller/context.ts';
import { createParts } from '../../controller/parts.ts';
import { createClaim } from '../../controller/provisioning/new-claim.ts';
import { readNodes } from '../../controller/provisioning/nodes.ts';
import { isDaemonPod } from '../../controller/provisioning/pods.ts';
import { PoolReader } from '../../controller/provisioning/pools.ts';
import type { StaticCapacity } from '../../controller/provisioning/static-capacity.ts';
import type { Simulator } from '../../controller/scheduling/types.ts';
import { namespaceLabels } from '../../controller/state.ts';
import { createReferenceTarget } from '../reference.ts';
import type { Mutant } from './mutant.ts';

/** Beside what the right one does, launches for pods of DaemonSets that found no room. */
function withDaemons(context: Context, right: StaticCapacity, simulator: Simulator): StaticCapacity {
  const pools = new PoolReader(context);
  const known = new Set<string>();
  return {
    sweep: async () => {
      await right.sweep();
      const waiting = context.state.pods
        .list()
        .filter((pod) => isDaemonPod(pod) && (pod.spec.nodeName ?? '') === '' && !known.has(uidOf(pod)));
      for (const pod of waiting) known.add(uidOf(pod));
      // The planted bug: such a pod is bound to a node that is there, and another one brings its own.
      const pods = waiting.map((pod) => ({ ...pod, spec: { ...pod.spec, affinity: {} } }));
      const input = { pods, pools: pools.read(), nodes: readNodes(context), namespaces: namespaceLabels(context.state) };
      const { launches } = simulator.simulate(input);
      for (const launch of launches) await createClaim(context, launch, 'provisioned');
    },
  };
}

export const launchesForDaemons: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:launches-for-daemons',
    summary: 'launches nodes for pods of a DaemonSet that find no room: they wait on, and each new node has one of its own',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, staticCapacity: withDaemons(context, right.staticCapacity, right.simulator) };
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
