import type { Instance } from '@aws-sdk/client-ec2';
import { isLive } from '../../../controller/capacity/instances.ts';
import { isDeleting } from '../../../controller/api.ts';
import type { NodeClaim } from '../../../controller/api.ts';
import { deleteClaim } from '../../../controller/claims.ts';
import type { Context } from '../../../controller/context.ts';
import type { Collector } from '../../../controller/lifecycle/collector.ts';

/** Collects like the correct one, and also terminates every live instance of the account that the planted bug takes for a leak. */
export function collectingAlso({ ec2, instances }: Context, right: Collector, isLeak: (instance: Instance) => boolean): Collector {
  return {
    collectClaims: () => right.collectClaims(),
    collectInstances: async () => {
      await right.collectInstances();
      const leaks = (await ec2.describeInstances({})).filter((instance) => isLive(instance) && isLeak(instance));
      for (const { InstanceId: id } of leaks) if (id !== undefined) await instances.terminate(id);
    },
  };
}

/**
 * Collects like the correct one, and also deletes every claim whose instance the planted bug takes for gone.
 * @param look is called once per round, and resolves to whether the instance of a claim is gone
 */
export function losingAlso(context: Context, right: Collector, look: () => Promise<(claim: NodeClaim) => boolean>): Collector {
  return {
    collectInstances: () => right.collectInstances(),
    collectClaims: async () => {
      const isGone = await look();
      for (const claim of context.state.claims.list()) {
        if (!isDeleting(claim) && isGone(claim)) await deleteClaim(context, claim, 'its instance does not exist any more');
      }
      await right.collectClaims();
    },
  };
}
