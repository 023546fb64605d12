import type { Ec2Client } from '../../../clients/ec2-client.ts';
import { isThrottling } from '../../../controller/launch/fleet-outcome.ts';
import { createLauncher } from '../../../controller/launch/launcher.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Immediate retries of one launch before it is abandoned for a while. */
const TRIES = 500;

/** The real EC2, but throttled requests are retried at once. */
function impatient(ec2: Ec2Client): Pick<Ec2Client, 'createFleet'> {
  return {
    createFleet: async (input) => {
      for (let tries = 1; ; tries += 1) {
        try {
          return await ec2.createFleet(input);
        } catch (error) {
          // The planted bug: no backoff.
          if (!isThrottling(error) || tries >= TRIES) throw error;
        }
      }
    },
  };
}

export const retriesWithoutBackoff: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:retries-without-backoff',
    summary: 'retries throttled launches at once, again and again: the request bucket never refills, and the whole account is throttled',
    makeParts: (context) => ({
      ...createParts(context),
      launcher: createLauncher({ ...context, ec2: { ...context.ec2, ...impatient(context.ec2) } }),
    }),
  }),
  resembles: 'retries in lockstep kept an account throttled (karpenter-provider-aws#9175, #8923)',
  caughtBy: {
    scenario: 'api-pressure/throttled-launches',
    check: 'request-amplification',
    code: 'request-hammered',
    object: 'ec2:CreateFleet',
    seeds: 'every',
  },
};
