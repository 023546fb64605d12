import type { Instance } from '@aws-sdk/client-ec2';
import { isLive } from '../../controller/capacity/instances.ts';
import type { Context } from '../../controller/context.ts';
import type { Collector } from '../../controller/lifecycle/collector.ts';

/** Collects like the right one, and ends each live instance of the account besides that the planted bug takes for a leak. */
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
