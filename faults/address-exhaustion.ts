import { z } from 'zod';
import { defined } from '../model/defined.ts';
import { defineFault } from './fault.ts';

const params = z.strictObject({
  zones: z.array(z.string().min(1)).min(1).optional().describe('subnets of these zones; by default all'),
  remaining: z
    .number()
    .int()
    .nonnegative()
    .default(0)
    .describe('addresses that each subnet still has; an instance that ends gives its own back'),
  counts: z
    .enum(['refusals', 'reuse'])
    .default('refusals')
    .describe('what it fires at: launches that were refused an address, or instances that got the address of another'),
});

/**
 * Subnets run out of addresses: InsufficientFreeAddressesInSubnet, and DescribeSubnets says how many are left. Those that were
 * never in use are held first: once the rest has been given, every further instance gets the address, and where nodes are
 * named by it the node name, of one before it. Legal: subnets are finite.
 */
export const addressExhaustion = defineFault({
  name: 'address-exhaustion',
  summary: 'subnets have few or no free addresses left, and those that are given back are used again',
  params,
  legal: true,
  capabilities: () => ['capacity.quota'],
  color: '#9a3412',
  describe: ({ zones, remaining, counts }) => {
    const left = `the subnets of ${zones?.join(', ') ?? 'every zone'} have ${remaining} free addresses left each`;
    return counts === 'refusals' ? left : `${left}, and instances get those of others`;
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
