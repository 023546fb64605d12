import { createCollector } from '../../controller/lifecycle/collector.ts';
import { KARPENTER } from '../../controller/api.ts';
import { isLive } from '../../controller/capacity/instances.ts';
import { createParts } from '../../controller/parts.ts';
import { createReferenceTarget } from '../reference.ts';
import type { Mutant } from './mutant.ts';

export const foreignKiller: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:foreign-killer',
    summary: 'takes every instance without its tag for a leak and ends it, whosever it is',
    makeParts: (context) => {
      const { ec2, instances } = context;
      const collector = createCollector(context);
      return {
        ...createParts(context),
        collector: {
          collectClaims: () => collector.collectClaims(),
          collectInstances: async () => {
            await collector.collectInstances();
            // The planted bug: what nobody tagged must be a leak.
            const untagged = (await ec2.describeInstances({})).filter(
              (instance) => isLive(instance) && instance.Tags?.some(({ Key }) => Key === KARPENTER.clusterTag) !== true,
            );
            for (const { InstanceId: id } of untagged) if (id !== undefined) await instances.terminate(id);
          },
        },
      };
    },
  }),
  resembles: 'a clean-up by the absence of tags, which ended every day what others ran in the account (karpenter-provider-aws#4156)',
  caughtBy: {
    scenario: 'registration/slow-kubelets',
    check: 'foreign-instances',
    code: 'foreign-instance-ended',
    object: 'instance/*',
    seeds: 'every',
  },
};
