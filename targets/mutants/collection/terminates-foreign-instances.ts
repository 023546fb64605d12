import { KARPENTER } from '../../../controller/api.ts';
import { tagOf } from '../../../controller/capacity/instances.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import { collectingAlso } from './extra-collection.ts';
import type { Mutant } from '../mutant.ts';

export const terminatesForeignInstances: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:terminates-foreign-instances',
    summary: 'treats every instance without its tag as a leak and terminates it, no matter who owns it',
    makeParts: (context) => {
      const right = createParts(context);
      // The planted bug: every untagged instance counts as leaked.
      const collector = collectingAlso(context, right.collector, (instance) => tagOf(instance, KARPENTER.clusterTag) === undefined);
      return { ...right, collector };
    },
  }),
  resembles:
    "a clean-up of untagged instances, which terminated other users' instances in the account every day (karpenter-provider-aws#4156)",
  caughtBy: {
    scenario: 'registration/slow-kubelets',
    check: 'foreign-instances',
    code: 'foreign-instance-ended',
    object: 'instance/*',
    seeds: 'every',
  },
};
