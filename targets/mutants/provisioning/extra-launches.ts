import { uidOf } from '../../../controller/api.ts';
import type { Context } from '../../../controller/context.ts';
import { createClaim } from '../../../controller/provisioning/new-claim.ts';
import { readNodes } from '../../../controller/provisioning/nodes.ts';
import { PoolReader } from '../../../controller/provisioning/pools.ts';
import type { StaticCapacity } from '../../../controller/provisioning/static-capacity.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import { namespaceLabels } from '../../../controller/state.ts';
import type { Pod } from '../../../model/kube.ts';

/**
 * Like the correct one, but also launches once for each pod without a node that the planted bug treats as pending.
 * @param asWaiting the pod as it is planned; undefined for pods without the bug
 */
export function launchingAlsoFor(
  context: Context,
  right: { readonly staticCapacity: StaticCapacity; readonly simulator: Simulator },
  asWaiting: (pod: Pod) => Pod | undefined,
): StaticCapacity {
  const pools = new PoolReader(context);
  const known = new Set<string>();
  return {
    sweep: async () => {
      await right.staticCapacity.sweep();
      const pods = context.state.pods.list().flatMap((pod) => {
        const isNew = (pod.spec.nodeName ?? '') === '' && !known.has(uidOf(pod));
        const waiting = isNew ? asWaiting(pod) : undefined;
        return waiting === undefined ? [] : [waiting];
      });
      for (const pod of pods) known.add(uidOf(pod));
      const input = { pods, pools: pools.read(), nodes: readNodes(context), namespaces: namespaceLabels(context.state) };
      const { launches } = right.simulator.simulate(input);
      for (const launch of launches) await createClaim(context, launch, 'provisioned');
    },
  };
}
