import { z } from 'zod';
import { defined } from '../model/defined.ts';
import { defineFault } from './fault.ts';

const params = z.strictObject({
  zones: z.array(z.string().min(1)).min(1).optional().describe('subnets of these zones; by default all'),
});

/**
 * New instances, and so their nodes, are named by their ids (`i-0abc.ec2.internal`) instead of their addresses. Legal: users
 * choose so for each subnet ("Amazon EC2 instance hostname types").
 */
export const instanceIdHostnames = defineFault({
  name: 'instance-id-hostnames',
  summary: 'subnets name instances, and so nodes, by instance id instead of by address',
  params,
  legal: true,
  visible: true,
  capabilities: () => ['hostnames.set'],
  color: '#0f766e',
  describe: ({ zones }) => `instances in ${zones?.join(', ') ?? 'every zone'} are named by their ids`,
  inject: ({ zones }, { ports, fired }) =>
    ports.hostnames.nameByInstance({ ...defined({ zones }), fired: (instance) => fired(undefined, instance) }),
});
