import { z } from 'zod';
import type { Fault } from './fault.ts';

const params = z.strictObject({
  /** Offerings that are hit: those in every list that is given; none given hits everything. */
  instanceTypes: z.array(z.string().min(1)).min(1).optional(),
  zones: z.array(z.string().min(1)).min(1).optional(),
  capacityTypes: z
    .array(z.enum(['spot', 'on-demand']))
    .min(1)
    .optional(),
  /** Instances that each hit offering still has. */
  remaining: z.number().int().nonnegative().default(0),
  /** How many of the pools that were asked for the errors of a fleet name. EC2 mostly names one. */
  errors: z.enum(['one', 'tried', 'all', 'unnamed']).default('one'),
});

/**
 * Offerings run out of capacity, as EC2 says it: a fleet's answer has errors beside the instances that could be had.
 * Legal: EC2 promises no capacity.
 */
export const insufficientCapacity: Fault<z.infer<typeof params>, z.input<typeof params>> = {
  name: 'insufficient-capacity',
  summary: 'offerings (by type, zone, capacity type) have no or little capacity left',
  params,
  legal: true,
  capabilities: () => ['capacity.set'],
  color: '#d97706',
  describe: ({ instanceTypes, zones, capacityTypes, remaining, errors }) => {
    const what = [
      capacityTypes?.join(' and ') ?? 'spot and on-demand',
      'capacity of',
      instanceTypes?.join(', ') ?? 'every type',
      'in',
      zones?.join(', ') ?? 'every zone',
    ].join(' ');
    return `${what}: ${remaining === 0 ? 'none' : `${remaining} each`} left (errors name: ${errors})`;
  },
  inject: ({ instanceTypes, zones, capacityTypes, remaining, errors }, { ports, fired }) =>
    ports.capacity.limit({
      selector: {
        ...(instanceTypes === undefined ? {} : { instanceTypes }),
        ...(zones === undefined ? {} : { zones }),
        ...(capacityTypes === undefined ? {} : { capacityTypes }),
      },
      remaining,
      naming: errors,
      fired: (span) => fired(span),
    }),
};
