import type { Ec2Client } from '../../../clients/ec2-client.ts';
import { createLauncher } from '../../../controller/launch/launcher.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { noCollection } from '../no-collection.ts';

/** EC2 as if a response had either errors or instances. */
function eitherOr(ec2: Ec2Client): Ec2Client {
  return {
    ...ec2,
    createFleet: async (input) => {
      const output = await ec2.createFleet(input);
      // The planted bug: instances are ignored if there are errors.
      return (output.Errors ?? []).length > 0 ? { ...output, Instances: [] } : output;
    },
  };
}

export const partialSuccessAsFailure: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:partial-success-as-failure',
    summary: 'treats a launch whose answer has errors as failed, and ignores the instances in the same answer',
    makeParts: (context) => ({
      ...createParts(context),
      launcher: createLauncher({ ...context, ec2: eitherOr(context.ec2) }),
      collector: noCollection,
    }),
  }),
  resembles: 'a partially fulfilled scale-up was handled as a failed one (autoscaler#5829)',
  caughtBy: {
    scenario: 'capacity/one-instance-per-offering',
    check: 'no-leaked-instances',
    code: 'leaked-instance',
    object: 'instance/*',
    seeds: 'every',
  },
};
