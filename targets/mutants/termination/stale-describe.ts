import type { Context } from '../../../controller/context.ts';
import { createTerminator } from '../../../controller/lifecycle/terminator.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { noCollection } from '../no-collection.ts';

/** EC2 as if new instances were visible immediately. */
function trusting({ instances }: Context): Context['instances'] {
  return {
    ...instances,
    // The planted bug: an instance that is not found soon after its launch counts as terminated.
    find: async (id) => (await instances.find(id)) ?? { InstanceId: id, State: { Name: 'terminated' } },
  };
}

export const staleDescribe: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:stale-describe',
    summary: 'trusts EC2 when it does not find an instance that was just launched: the claim is removed, the instance stays',
    makeParts: (context) => ({
      ...createParts(context),
      terminator: createTerminator({ ...context, instances: trusting(context) }),
      collector: noCollection,
    }),
  }),
  resembles: 'DescribeInstances did not know a new instance yet, and it was forgotten (karpenter#1944)',
  caughtBy: {
    scenario: 'api-pressure/pool-deleted-under-stale-reads',
    check: 'no-leaked-instances',
    code: 'leaked-instance',
    object: 'instance/*',
    seeds: 'every',
    needs: 'interleaving',
  },
};
