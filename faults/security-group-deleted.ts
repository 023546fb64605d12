import { z } from 'zod';
import { defineFault } from './fault.ts';

const params = z.strictObject({});

/** What asks for groups by their ids is refused; a filter would find none, and here still finds it. */
const DESCRIBE = 'ec2:DescribeSecurityGroups';

/**
 * Somebody deletes the security group that the target launches into: every launch is refused, until it is made again. Legal: EC2
 * lets a group go that no interface uses any more, so it belongs where no instance runs. The same id comes back with the heal, where
 * a new group would have a new one.
 */
export const securityGroupDeleted = defineFault({
  name: 'security-group-deleted',
  summary: 'the security group of the launched nodes is deleted by someone else',
  params,
  legal: true,
  capabilities: () => ['capacity.set', 'wire.aws'],
  color: '#9a3412',
  describe: () => 'the security group of the nodes is deleted by someone else: launches are refused with InvalidGroup.NotFound',
  inject: (_given, { arm, ports, cluster, fired }) => {
    const code = 'InvalidGroup.NotFound';
    const message = `The security group '${cluster.securityGroupId}' does not exist`;
    const allow = ports.capacity.refuse({ selector: {}, refusal: { code, message }, fired });
    const show = arm({
      trigger: {
        match: { operations: [DESCRIBE], where: ({ input }) => asked(input).includes(cluster.securityGroupId) },
        when: { kind: 'always' },
        moment: 'before',
      },
      effect: { kind: 'refuse', refusal: { status: 400, code, message } },
      fired,
    });
    return () => {
      show();
      return allow();
    };
  },
});

/** Ids of groups that a request names. */
function asked(input: unknown): readonly unknown[] {
  const { GroupIds } = (input ?? {}) as { readonly GroupIds?: unknown };
  return Array.isArray(GroupIds) ? GroupIds : [];
}
