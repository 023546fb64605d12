import { clusterTag } from '../../../controller/api.ts';
import { tagOf } from '../../../controller/capacity/instances.ts';
import { createParts } from '../../../controller/parts.ts';
import { parseProviderId } from '../../../model/provider-id.ts';
import { createReferenceTarget } from '../../reference.ts';
import { collectingAlso } from './extra-collection.ts';
import type { Mutant } from '../mutant.ts';

export const collectsLaunchesInProgress: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:collects-launches-in-progress',
    summary: 'garbage-collects each instance that no claim records, however new: also those whose launch has not been answered yet',
    makeParts: (context) => {
      const right = createParts(context);
      const collector = collectingAlso(context, right.collector, (instance) => {
        if (tagOf(instance, clusterTag(context.cluster.name)) === undefined) return false;
        const recorded = context.state.claims.list().map(({ status }) => parseProviderId(status?.providerID));
        // The planted bug: neither the instance's age nor launches in progress count.
        return !recorded.includes(instance.InstanceId);
      });
      return { ...right, collector };
    },
  }),
  resembles:
    'Karpenter leaves instances alone for their first 30 s, since their launch may not be recorded yet (karpenter-provider-aws#3646)',
  caughtBy: {
    scenario: 'api-pressure/late-launch-answer',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
    needs: 'interleaving',
  },
};
