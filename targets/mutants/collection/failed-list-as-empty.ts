import type { Instance } from '@aws-sdk/client-ec2';
import { CONDITION, isTrue } from '../../../controller/api.ts';
import { createParts } from '../../../controller/parts.ts';
import { parseProviderId } from '../../../model/provider-id.ts';
import { createReferenceTarget } from '../../reference.ts';
import { losingAlso } from './extra-collection.ts';
import type { Mutant } from '../mutant.ts';

export const failedListAsEmpty: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:failed-list-as-empty',
    summary: 'treats a failed list of instances as an empty one: all nodes are given up as if their instances had ended',
    makeParts: (context) => {
      const right = createParts(context);
      const collector = losingAlso(context, right.collector, async () => {
        // The planted bug: a failed list is treated as an empty one.
        const listed = await context.instances.listOwned().catch((): Instance[] => []);
        const ids = new Set(listed.map(({ InstanceId }) => InstanceId));
        return ({ status }) => isTrue(status?.conditions, CONDITION.registered) && !ids.has(parseProviderId(status?.providerID));
      });
      return { ...right, collector };
    },
  }),
  resembles: 'what the cloud did not report counted as gone, and all nodes were deleted (autoscaler#16, kubernetes/kubernetes#18955)',
  caughtBy: {
    scenario: 'faulty-api/zone-outage',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
  },
};
