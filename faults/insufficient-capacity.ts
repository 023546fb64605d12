import { z } from 'zod';
import { defineFault } from './fault.ts';
import { describeOfferings, offeringParams, selectorOf } from './offering-params.ts';

const params = z.strictObject({
  ...offeringParams,
  remaining: z.number().int().nonnegative().default(0).describe('instances left in each affected offering'),
  errors: z
    .enum(['one', 'tried', 'all', 'unfulfillable'])
    .default('one')
    .describe("which of the requested offerings the fleet's errors name; EC2 usually names one, also with the code UnfulfillableCapacity"),
});

/**
 * Offerings run out of capacity, reported as EC2 does: a fleet's response contains errors besides the launched instances.
 * Legal: EC2 guarantees no capacity.
 */
export const insufficientCapacity = defineFault({
  name: 'insufficient-capacity',
  summary: 'offerings (by type, zone and capacity type) have little or no capacity left',
  params,
  legal: true,
  withholds: (given) => selectorOf(given),
  capabilities: () => ['capacity.set'],
  color: '#d97706',
  fis: ['aws:ec2:api-insufficient-instance-capacity-error', 'aws:ec2:asg-insufficient-instance-capacity-error'],
  describe: (given) => {
    const { remaining, errors } = given;
    return `${describeOfferings(given)}: ${remaining === 0 ? 'none' : `${remaining} each`} left (errors name: ${errors})`;
  },
  inject: (given, { ports, fired }) =>
    ports.capacity.limit({
      selector: selectorOf(given),
      remaining: given.remaining,
      naming: given.errors,
      fired: (span) => fired(span),
    }),
});
