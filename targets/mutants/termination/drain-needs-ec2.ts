import type { Context } from '../../../controller/context.ts';
import { createDrainer } from '../../../controller/lifecycle/drain.ts';
import type { Drainer } from '../../../controller/lifecycle/drain.ts';
import { createTerminator } from '../../../controller/lifecycle/terminator.ts';
import { createParts } from '../../../controller/parts.ts';
import { parseProviderId } from '../../../model/provider-id.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Drains like the correct one, if EC2 answers. */
function withEc2({ instances }: Context, right: Drainer): Drainer {
  return {
    cordon: (node) => right.cordon(node),
    drain: async (node, ...limits) => {
      // The planted bug: if it fails, no pod is asked to leave, and the time to do so runs out.
      await instances.find(parseProviderId(node.spec?.providerID) ?? '');
      return right.drain(node, ...limits);
    },
  };
}

export const drainNeedsEc2: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:drain-needs-ec2',
    summary: 'looks an instance up before it evicts any pod from its node: while EC2 refuses that, pods lose their time to terminate',
    makeParts: (context) => ({
      ...createParts(context),
      terminator: createTerminator(context, withEc2(context, createDrainer(context))),
    }),
  }),
  resembles:
    'a denied call of IAM came first, and kept the rest of a removal from being done, there of a node class (karpenter-provider-aws#9185)',
  caughtBy: {
    scenario: 'faulty-api/expired-credentials-grace-period',
    check: 'grace-periods',
    code: 'asked-too-late',
    object: 'pods/default/web-*',
    seeds: 'every',
  },
};
