import type { DescribeSubnetsRequest, DescribeSubnetsResult, Subnet as SdkSubnet } from '@aws-sdk/client-ec2';
import { defined } from '../../../model/defined.ts';
import { Ec2Refusal } from '../../../protocols/ec2/refusal.ts';
import { dnsNameOptions } from '../hostnames.ts';
import { matchFilters, tagAttributes } from '../filters.ts';
import type { Attributes } from '../filters.ts';
import { clusterTags } from '../cluster-tags.ts';
import type { Subnet } from '../network.ts';
import { ACCOUNT_ID } from '../operation.ts';
import type { Account } from '../operation.ts';
import { cutPage } from '../pages.ts';
import { writeTags } from '../tags.ts';
import { zoneIdOf } from '../zones.ts';

const PAGE = { min: 5, max: 1_000 };

/** Lists the cluster's subnets in the order of their ids. All have the cluster's tags, by which autoscalers find them. */
export function describeSubnets({ cluster, network, quotas, hostnames }: Account, request: DescribeSubnetsRequest): DescribeSubnetsResult {
  const { SubnetIds: ids = [], Filters, MaxResults, NextToken } = request;
  const tags = clusterTags(cluster);
  const attributes: Attributes<Subnet> = {
    ...tagAttributes(() => tags),
    'availability-zone': ({ zone }) => [zone],
    'availability-zone-id': ({ zone }) => [zoneIdOf(zone)],
    'cidr-block': ({ cidr }) => [cidr],
    state: () => ['available'],
    'subnet-id': ({ id }) => [id],
    'vpc-id': () => [network.vpcId],
  };
  const missing = ids.find((id) => !network.subnets.some((subnet) => subnet.id === id));
  if (missing !== undefined) throw new Ec2Refusal('InvalidSubnetID.NotFound', `The subnet ID '${missing}' does not exist`);
  const matches = matchFilters(Filters, attributes, () => tags);
  const found = network.subnets.filter((subnet) => (ids.length === 0 || ids.includes(subnet.id)) && matches(subnet));
  const sorted = [...found].sort((a, b) => (a.id < b.id ? -1 : 1));
  const { items, nextToken } = cutPage(sorted, ({ id }) => id, { MaxResults, NextToken }, PAGE);
  const write = ({ id, zone, cidr }: Subnet): SdkSubnet => ({
    SubnetId: id,
    SubnetArn: `arn:aws:ec2:${cluster.region}:${ACCOUNT_ID}:subnet/${id}`,
    VpcId: network.vpcId,
    OwnerId: ACCOUNT_ID,
    State: 'available',
    CidrBlock: cidr,
    AvailableIpAddressCount: quotas.addresses.free(id),
    AvailabilityZone: zone,
    AvailabilityZoneId: zoneIdOf(zone),
    DefaultForAz: false,
    MapPublicIpOnLaunch: false,
    PrivateDnsNameOptionsOnLaunch: dnsNameOptions(hostnames.ofSubnet(zone)),
    Tags: writeTags(tags),
  });
  return { Subnets: items.map(write), ...defined({ NextToken: nextToken }) };
}
