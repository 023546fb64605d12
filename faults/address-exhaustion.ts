import { z } from 'zod';
import type { Fault } from './fault.ts';

const params = z.strictObject({
  /** By default all. */
  zones: z.array(z.string().min(1)).min(1).optional(),
  /** Addresses that each subnet still has; an instance that ends gives its own back. */
  remaining: z.number().int().nonnegative().default(0),
});

/**
 * Subnets run out of addresses: InsufficientFreeAddressesInSubnet, and DescribeSubnets says how many are left. With one
 * left, the next instance mostly gets the address, and so the node name, of the last. Legal: subnets are finite.
 */
export const addressExhaustion: Fault<z.infer<typeof params>, z.input<typeof params>> = {
  name: 'address-exhaustion',
  summary: 'subnets have few or no free addresses left',
  params,
  legal: true,
  capabilities: () => ['capacity.quota'],
  color: '#9a3412',
  describe: ({ zones, remaining }) => `the subnets of ${zones?.join(', ') ?? 'every zone'} have ${remaining} free addresses left each`,
  inject: ({ zones, remaining }, { ports, fired }) =>
    ports.quota.limitAddresses({ remaining, ...(zones === undefined ? {} : { zones }), fired: (span) => fired(span) }),
};
