import type {
  DescribeSecurityGroupsRequest,
  DescribeSecurityGroupsResult,
  IpPermission,
  SecurityGroup as SdkSecurityGroup,
} from '@aws-sdk/client-ec2';
import { defined } from '../../../model/defined.ts';
import { Ec2Refusal } from '../../../protocols/ec2/refusal.ts';
import { described, matchFilters, tagAttributes } from '../filters.ts';
import type { Attributes, Shown } from '../filters.ts';
import { ACCOUNT_ID } from '../operation.ts';
import type { Account } from '../operation.ts';
import { cutPage } from '../pages.ts';
import { egressOf, ingressOf, securityGroupsOf } from '../security-groups.ts';
import type { SecurityGroup } from '../security-groups.ts';
import { writeTags } from '../tags.ts';

const PAGE = { min: 5, max: 1_000 };

/** The filters on one direction of rules. Source of the names: DescribeSecurityGroups in the API reference. */
const RULE_VALUES: Readonly<Record<string, (rule: IpPermission) => readonly Shown[]>> = {
  cidr: ({ IpRanges = [] }) => IpRanges.map(({ CidrIp }) => CidrIp),
  'from-port': ({ FromPort }) => [FromPort],
  'group-id': ({ UserIdGroupPairs = [] }) => UserIdGroupPairs.map(({ GroupId }) => GroupId),
  'group-name': ({ UserIdGroupPairs = [] }) => UserIdGroupPairs.map(({ GroupName }) => GroupName),
  'ipv6-cidr': ({ Ipv6Ranges = [] }) => Ipv6Ranges.map(({ CidrIpv6 }) => CidrIpv6),
  'prefix-list-id': ({ PrefixListIds = [] }) => PrefixListIds.map(({ PrefixListId }) => PrefixListId),
  protocol: ({ IpProtocol }) => [IpProtocol],
  'to-port': ({ ToPort }) => [ToPort],
  'user-id': ({ UserIdGroupPairs = [] }) => UserIdGroupPairs.map(({ UserId }) => UserId),
};

const tagsOf = ({ tags }: SecurityGroup): SecurityGroup['tags'] => tags;

/** Lists the security groups of the VPC in the order of their ids. */
export function describeSecurityGroups(account: Account, request: DescribeSecurityGroupsRequest): DescribeSecurityGroupsResult {
  const { cluster, network } = account;
  const { GroupIds: ids = [], GroupNames: names = [], Filters, MaxResults, NextToken } = request;
  const groups = [...securityGroupsOf(account)].sort((a, b) => (a.id < b.id ? -1 : 1));
  const malformed = ids.find((id) => !id.startsWith('sg-'));
  if (malformed !== undefined) throw new Ec2Refusal('InvalidGroupId.Malformed', `Invalid id: "${malformed}" (expecting "sg-...")`);
  const missing = [
    ...ids.filter((id) => !groups.some((group) => group.id === id)),
    ...names.filter((name) => !groups.some((group) => group.name === name)),
  ][0];
  if (missing !== undefined) throw new Ec2Refusal('InvalidGroup.NotFound', `The security group '${missing}' does not exist`);
  const attributes: Attributes<SecurityGroup> = {
    ...tagAttributes(tagsOf),
    description: ({ description }) => [description],
    'group-id': ({ id }) => [id],
    'group-name': ({ name }) => [name],
    'owner-id': () => [ACCOUNT_ID],
    'vpc-id': () => [network.vpcId],
    ...ruleAttributes('ip-permission', ingressOf),
    ...ruleAttributes('egress.ip-permission', egressOf),
  };
  const matches = matchFilters(Filters, attributes, tagsOf);
  const found = groups.filter(
    (group) => (ids.length + names.length === 0 || ids.includes(group.id) || names.includes(group.name)) && matches(group),
  );
  const { items, nextToken } = cutPage(found, ({ id }) => id, { MaxResults, NextToken }, PAGE);
  const write = (group: SecurityGroup): SdkSecurityGroup => ({
    GroupId: group.id,
    GroupName: group.name,
    SecurityGroupArn: `arn:aws:ec2:${cluster.region}:${ACCOUNT_ID}:security-group/${group.id}`,
    Description: group.description,
    OwnerId: ACCOUNT_ID,
    VpcId: network.vpcId,
    IpPermissions: ingressOf(group),
    IpPermissionsEgress: egressOf(),
    Tags: writeTags(group.tags),
  });
  return { SecurityGroups: items.map(write), ...defined({ NextToken: nextToken }) };
}

function ruleAttributes(prefix: string, rulesOf: (group: SecurityGroup) => readonly IpPermission[]): Attributes<SecurityGroup> {
  const values = Object.entries(RULE_VALUES).map(([name, valuesOf]) => {
    const ofAll = (rules: readonly IpPermission[]): readonly Shown[] => rules.flatMap(valuesOf);
    return [`${prefix}.${name}`, ofAll] as const;
  });
  return described(Object.fromEntries(values), rulesOf);
}
