import type { Instance } from '@aws-sdk/client-ec2';
import { CONDITION, isDeleting, isTrue } from '../../controller/api.ts';
import { deleteClaim } from '../../controller/claims.ts';
import type { Context } from '../../controller/context.ts';
import { createCollector } from '../../controller/lifecycle/collector.ts';
import type { Collector } from '../../controller/lifecycle/collector.ts';
import { createParts } from '../../controller/parts.ts';
import { parseProviderId } from '../../model/provider-id.ts';
import { createReferenceTarget } from '../reference.ts';
import type { Mutant } from './mutant.ts';

/** Collects like the right one, but claims by one look at all instances. @param look resolves to whether an instance is gone */
export function lookingOnce(context: Context, look: () => Promise<(id: string | undefined) => boolean>): Collector {
  const { state } = context;
  const right = createCollector(context);
  return {
    collectInstances: () => right.collectInstances(),
    collectClaims: async () => {
      const isGone = await look();
      for (const claim of state.claims.list()) {
        const isMissing = isGone(parseProviderId(claim.status?.providerID));
        if (isMissing && !isDeleting(claim) && isTrue(claim.status?.conditions, CONDITION.registered)) {
          await deleteClaim(context, claim, 'its instance does not exist any more');
        }
      }
    },
  };
}

export const failedList: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:failed-list',
    summary: 'takes a list of instances that failed for an empty one: all nodes are given up, since the instances of some ended',
    makeParts: (context) => {
      const look = async (): Promise<(id: string | undefined) => boolean> => {
        // The planted bug: a list that failed is an empty one.
        const listed = await context.instances.listOwned().catch((): Instance[] => []);
        const ids = new Set(listed.map(({ InstanceId }) => InstanceId));
        return (id) => !ids.has(id);
      };
      return { ...createParts(context), collector: lookingOnce(context, look) };
    },
  }),
  resembles: 'what the cloud did not tell counted as gone, and all nodes were ended (autoscaler#16, kubernetes/kubernetes#18955)',
  caughtBy: {
    scenario: 'faulty-api/zone-outage',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
  },
};
