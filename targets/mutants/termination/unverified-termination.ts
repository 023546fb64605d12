import type { Context } from '../../../controller/context.ts';
import { createTerminator } from '../../../controller/lifecycle/terminator.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { noCollection } from '../no-collection.ts';

/** EC2 as if a termination request were already the termination. */
function believing({ instances }: Context): Context['instances'] {
  const asked = new Set<string>();
  return {
    ...instances,
    terminate: async (id) => {
      await instances.terminate(id);
      asked.add(id);
    },
    // The planted bug: it never checks whether the instance is terminated.
    find: (id) => (asked.has(id) ? Promise.resolve({ InstanceId: id, State: { Name: 'terminated' } }) : instances.find(id)),
  };
}

export const unverifiedTermination: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:unverified-termination',
    summary: 'releases a claim as soon as it has requested the termination of its instance, even if EC2 does not know the instance yet',
    makeParts: (context) => ({
      ...createParts(context),
      terminator: createTerminator({ ...context, instances: believing(context) }),
      collector: noCollection,
    }),
  }),
  resembles: 'a deletion was assumed before EC2 showed it, and the instance stayed (karpenter-provider-aws#7684)',
  caughtBy: {
    scenario: 'api-pressure/pool-deleted-under-stale-reads',
    check: 'no-leaked-instances',
    code: 'leaked-instance',
    object: 'instance/*',
    seeds: 'every',
    needs: 'interleaving',
  },
};
