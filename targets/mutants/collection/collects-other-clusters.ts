import { KARPENTER, clusterTag } from '../../../controller/api.ts';
import { tagOf } from '../../../controller/capacity/instances.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import { collectingAlso } from './extra-collection.ts';
import type { Mutant } from '../mutant.ts';

export const collectsOtherClusters: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:collects-other-clusters',
    summary: 'garbage-collects instances of claims that it does not know, such as those of other clusters in the account',
    makeParts: (context) => {
      const right = createParts(context);
      const collector = collectingAlso(
        context,
        right.collector,
        // The planted bug: every instance of a claim that is not this cluster's counts as leaked.
        (instance) => tagOf(instance, KARPENTER.nodeClaim) !== undefined && tagOf(instance, clusterTag(context.cluster.name)) === undefined,
      );
      return { ...right, collector };
    },
  }),
  resembles: 'nodes of one cluster were terminated by the autoscaler of another (karpenter-provider-aws#7356)',
  caughtBy: {
    scenario: 'registration/slow-kubelets',
    check: 'foreign-instances',
    code: 'foreign-instance-ended',
    object: 'instance/*',
    seeds: 'every',
  },
};
