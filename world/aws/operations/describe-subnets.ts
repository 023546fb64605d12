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
  const arnOf = (id: string): string => `arn:aws:ec2:${cluster.region}:${ACCOUNT_ID}:subnet/${id}`;
  const attributes: Attributes<Subnet> = {
    ...tagAttributes(() => tags),
    // EC2 has several names for some.
    'availability-zone': ({ zone }) => [zone],
    'availability-zone-id': ({ zone }) => [zoneIdOf(zone)],
    availabilityZone: ({ zone }) => [zone],
    availabilityZoneId: ({ zone }) => [zoneIdOf(zone)],
    'available-ip-address-count': ({ id }) => [String(quotas.addresses.free(id))],
    cidr: ({ cidr }) => [cidr],
    'cidr-block': ({ cidr }) => [cidr],
    cidrBlock: ({ cidr }) => [cidr],
    'customer-owned-ipv4-pool': () => [],
    'default-for-az': () => ['false'],
    defaultForAz: () => ['false'],
    'enable-dns64': () => ['false'],
    'enable-lni-at-device-index': () => [],
    'ipv6-cidr-block-association.association-id': () => [],
    'ipv6-cidr-block-association.ipv6-cidr-block': () => [],
    'ipv6-cidr-block-association.state': () => [],
    'ipv6-native': () => ['false'],
    'map-customer-owned-ip-on-launch': () => ['false'],
    'map-public-ip-on-launch': () => ['false'],
    'outpost-arn': () => [],
    'owner-id': () => [ACCOUNT_ID],
    'private-dns-name-options-on-launch.enable-resource-name-dns-a-record': () => ['false'],
    'private-dns-name-options-on-launch.enable-resource-name-dns-aaaa-record': () => ['false'],
    'private-dns-name-options-on-launch.hostname-type': ({ zone }) => [hostnames.ofSubnet(zone)],
    state: () => ['available'],
    'subnet-arn': ({ id }) => [arnOf(id)],
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
    SubnetArn: arnOf(id),
    VpcId: network.vpcId,
    OwnerId: ACCOUNT_ID,
    State: 'available',
    CidrBlock: cidr,
    AvailableIpAddressCount: quotas.addresses.free(id),
    AvailabilityZone: zone,
    AvailabilityZoneId: zoneIdOf(zone),
    DefaultForAz: false,
    MapPublicIpOnLaunch: false,
    MapCustomerOwnedIpOnLaunch: false,
    AssignIpv6AddressOnCreation: false,
    Ipv6CidrBlockAssociationSet: [],
    Ipv6Native: false,
    EnableDns64: false,
    BlockPublicAccessStates: { InternetGatewayBlockMode: 'off' },
    PrivateDnsNameOptionsOnLaunch: dnsNameOptions(hostnames.ofSubnet(zone)),
    Tags: writeTags(tags),
  });
  return { Subnets: items.map(write), ...defined({ NextToken: nextToken }) };
}
