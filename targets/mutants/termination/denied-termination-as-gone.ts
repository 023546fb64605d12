import { Ec2Error } from '../../../clients/ec2-client.ts';
import type { Context } from '../../../controller/context.ts';
import { createTerminator } from '../../../controller/lifecycle/terminator.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { noCollection } from '../no-collection.ts';

/** The real EC2, but an instance whose termination is denied counts as gone. */
function forgoing({ instances }: Context): Context['instances'] {
  const denied = new Set<string>();
  return {
    ...instances,
    terminate: async (id) => {
      try {
        await instances.terminate(id);
      } catch (error) {
        // The planted bug: a tag-based policy denies access to instances that lost their tags at termination, but to others as well.
        if (!(error instanceof Ec2Error) || error.code !== 'UnauthorizedOperation') throw error;
        denied.add(id);
      }
    },
    find: (id) => (denied.has(id) ? Promise.resolve({ InstanceId: id, State: { Name: 'terminated' } }) : instances.find(id)),
  };
}

export const deniedTerminationAsGone: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:denied-termination-as-gone',
    summary: 'treats an instance that it has no permission to terminate as gone, and releases its Node and claim',
    makeParts: (context) => ({
      ...createParts(context),
      terminator: createTerminator({ ...context, instances: forgoing(context) }),
      collector: noCollection,
    }),
  }),
  resembles: 'UnauthorizedOperation for an instance that was gone, and for one that was not (karpenter-provider-aws#2100, #1796)',
  caughtBy: {
    scenario: 'faulty-api/denied-terminations',
    check: 'no-leaked-instances',
    code: 'leaked-instance',
    object: 'instance/*',
    seeds: 'every',
  },
};
