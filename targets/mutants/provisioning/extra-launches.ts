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
 * Like the correct one, but also launches once for each of some pods.
 * @param waiting the pods that the planted bug treats as pending, as they are planned
 */
export function launchingAlsoFor(
  context: Context,
  right: { readonly staticCapacity: StaticCapacity; readonly simulator: Simulator },
  waiting: () => readonly Pod[],
): StaticCapacity {
  const pools = new PoolReader(context);
  const known = new Set<string>();
  return {
    sweep: async () => {
      await right.staticCapacity.sweep();
      const pods = waiting().filter((pod) => !known.has(uidOf(pod)));
      for (const pod of pods) known.add(uidOf(pod));
      const input = { pods, pools: pools.read(), nodes: readNodes(context), namespaces: namespaceLabels(context.state) };
      const { launches } = right.simulator.simulate(input);
      for (const launch of launches) await createClaim(context, launch, 'provisioned');
    },
  };
}
