import type { CreateFleetError } from '@aws-sdk/client-ec2';
import type { Ec2Client } from '../../../clients/ec2-client.ts';
import { createLauncher } from '../../../controller/launch/launcher.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The real EC2, but a quota error looks like any other error. */
function withoutQuotas(ec2: Ec2Client): Pick<Ec2Client, 'createFleet'> {
  const misread = (error: CreateFleetError): CreateFleetError =>
    // The planted bug: an exhausted quota is treated as a transient error.
    error.ErrorCode === 'MaxSpotInstanceCountExceeded' ? { ...error, ErrorCode: 'InternalError', LaunchTemplateAndOverrides: {} } : error;
  return {
    createFleet: async (input) => {
      const output = await ec2.createFleet(input);
      return { ...output, Errors: output.Errors?.map(misread) };
    },
  };
}

export const ignoredSpotQuota: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-spot-quota',
    summary: 'repeats the same spot request when the spot quota is used up, and never falls back to on-demand',
    makeParts: (context) => ({
      ...createParts(context),
      launcher: createLauncher({ ...context, ec2: { ...context.ec2, ...withoutQuotas(context.ec2) } }),
    }),
  }),
  resembles: 'MaxSpotInstanceCountExceeded, and no fallback to on-demand (karpenter-provider-aws#5789)',
  caughtBy: { scenario: 'capacity/spot-quota', check: 'success-rate', code: 'pod-not-served', object: 'pods/default/*', seeds: 'every' },
};
