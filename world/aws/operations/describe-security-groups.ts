import type { DescribeSecurityGroupsRequest, DescribeSecurityGroupsResult, SecurityGroup } from '@aws-sdk/client-ec2';
import { Ec2Refusal } from '../../../protocols/ec2/refusal.ts';
import { clusterTags } from '../cluster-tags.ts';
import { matchFilters, tagAttributes } from '../filters.ts';
import type { Attributes } from '../filters.ts';
import { ACCOUNT_ID } from '../operation.ts';
import type { Account } from '../operation.ts';
import { writeTags } from '../tags.ts';

/** Lists the cluster's only security group. Its rules are omitted: nothing here has ports. */
export function describeSecurityGroups(
  { cluster, network }: Account,
  request: DescribeSecurityGroupsRequest,
): DescribeSecurityGroupsResult {
  const { GroupIds: ids = [], GroupNames: names = [], Filters } = request;
  const tags = clusterTags(cluster);
  const group = { id: cluster.securityGroupId, name: `${cluster.name}-nodes` };
  const attributes: Attributes<typeof group> = {
    ...tagAttributes(() => tags),
    'group-id': ({ id }) => [id],
    'group-name': ({ name }) => [name],
    'vpc-id': () => [network.vpcId],
  };
  const missing = [...ids.filter((id) => id !== group.id), ...names.filter((name) => name !== group.name)][0];
  if (missing !== undefined) throw new Ec2Refusal('InvalidGroup.NotFound', `The security group '${missing}' does not exist`);
  const matches = matchFilters(Filters, attributes, () => tags);
  const write = ({ id, name }: typeof group): SecurityGroup => ({
    GroupId: id,
    GroupName: name,
    Description: `nodes of ${cluster.name}`,
    OwnerId: ACCOUNT_ID,
    VpcId: network.vpcId,
    Tags: writeTags(tags),
  });
  return { SecurityGroups: [group].filter(matches).map(write) };
}
