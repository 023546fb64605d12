import { z } from 'zod';
import { defined } from '../model/defined.ts';
import { defineFault } from './fault.ts';

const params = z.strictObject({
  zones: z.array(z.string().min(1)).min(1).optional().describe('subnets of these zones; by default all'),
  remaining: z.number().int().nonnegative().default(0).describe('free addresses left in each subnet; a terminated instance frees its own'),
  counts: z
    .enum(['refusals', 'reuse'])
    .default('refusals')
    .describe(
      'what counts as firing: launches that were refused for lack of an address, or instances that reused the address of an earlier one',
    ),
});

/**
 * Subnets run out of addresses: InsufficientFreeAddressesInSubnet, and DescribeSubnets reports how many are left. Addresses
 * that were never used are taken first: once the rest is used up, every further instance gets an earlier instance's address
 * and, where nodes are named by address, its node name. Legal: subnets are finite.
 */
export const addressExhaustion = defineFault({
  name: 'address-exhaustion',
  summary: 'subnets have few or no free addresses left, and freed addresses are reused',
  params,
  legal: true,
  visible: true,
  capabilities: () => ['capacity.quota'],
  color: '#9a3412',
  describe: ({ zones, remaining, counts }) => {
    const left = `each subnet of ${zones?.join(', ') ?? 'every zone'} has ${remaining} free addresses left`;
    return counts === 'refusals' ? left : `${left}, and instances reuse freed addresses`;
  },
  inject: ({ zones, remaining, counts }, { ports, fired }) =>
    ports.quota.limitAddresses({
      remaining,
      ...defined({ zones }),
      ...(counts === 'refusals'
        ? { fired: (span) => fired(span) }
        : { fired: () => undefined, reused: (instance, before) => fired(undefined, `${instance} got the address of ${before}`) }),
    }),
});
