import { z } from 'zod';
import { defineFault } from './fault.ts';

const params = z.strictObject({});

/** Requests that name the group's id are refused; a filter should find nothing, but still finds it here. */
const DESCRIBE = 'ec2:DescribeSecurityGroups';

/**
 * Someone deletes the security group that the target launches into: every launch is refused until the group is created again.
 * Legal: EC2 allows deleting a group that no interface uses, so use this where no instance runs. The heal restores the same id,
 * although a new group would have a new one.
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

/** Group ids that a request names. */
function asked(input: unknown): readonly unknown[] {
  const { GroupIds } = (input ?? {}) as { readonly GroupIds?: unknown };
  return Array.isArray(GroupIds) ? GroupIds : [];
}
