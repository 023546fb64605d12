import type { CreateFleetError } from '@aws-sdk/client-ec2';
import type { Ec2Client } from '../../../clients/ec2-client.ts';
import { createLauncher } from '../../../controller/launch/launcher.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The real EC2, but throttling looks like missing capacity. */
function misread(ec2: Ec2Client): Pick<Ec2Client, 'createFleet'> {
  const asDrought = (error: CreateFleetError): CreateFleetError =>
    // The planted bug: a throttling error is treated as a lack of capacity.
    error.ErrorCode === 'RequestLimitExceeded' ? { ...error, ErrorCode: 'UnfulfillableCapacity' } : error;
  return {
    createFleet: async (input) => {
      const output = await ec2.createFleet(input);
      return { ...output, Errors: output.Errors?.map(asDrought) };
    },
  };
}

export const throttlingAsNoCapacity: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:throttling-as-no-capacity',
    summary: 'treats throttling errors of a fleet as a lack of capacity, and falls back to a less preferred pool',
    makeParts: (context) => ({
      ...createParts(context),
      launcher: createLauncher({ ...context, ec2: { ...context.ec2, ...misread(context.ec2) } }),
    }),
  }),
  resembles: 'RequestLimitExceeded among the errors of a fleet counted as insufficient capacity (karpenter-provider-aws#8923, #9175)',
  caughtBy: {
    scenario: 'api-pressure/throttling-inside-fleet-answers',
    check: 'launches-within-pools',
    code: 'launch-from-wrong-pool',
    object: 'instance/*',
    seeds: 'every',
  },
};
