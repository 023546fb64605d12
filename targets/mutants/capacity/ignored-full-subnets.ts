import type { Ec2Client } from '../../../clients/ec2-client.ts';
import { createLauncher } from '../../../controller/launch/launcher.ts';
import { createParts } from '../../../controller/parts.ts';
import { defined } from '../../../model/defined.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** EC2 as if it had no error code for a subnet without addresses. */
function withoutAddressErrors(ec2: Ec2Client): Ec2Client {
  return {
    ...ec2,
    createFleet: async (input) => {
      const output = await ec2.createFleet(input);
      // The planted bug: the error code is unknown, so nothing is learnt from it.
      const Errors = output.Errors?.map((error) =>
        error.ErrorCode === 'InsufficientFreeAddressesInSubnet' ? { ErrorCode: 'Unknown' } : error,
      );
      return { ...output, ...defined({ Errors }) };
    },
  };
}

export const ignoredFullSubnets: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-full-subnets',
    summary: 'does not know that a subnet can run out of addresses: it launches there again and again',
    makeParts: (context) => ({ ...createParts(context), launcher: createLauncher({ ...context, ec2: withoutAddressErrors(context.ec2) }) }),
  }),
  resembles: 'launches into a subnet without free addresses were repeated, while others had some (karpenter-provider-aws#3380)',
  caughtBy: {
    scenario: 'capacity/no-addresses',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/*',
    seeds: 'every',
  },
};
