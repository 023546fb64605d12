import type { DescribeVpcsRequest, DescribeVpcsResult, Vpc } from '@aws-sdk/client-ec2';
import { defined } from '../../../model/defined.ts';
import { Ec2Refusal } from '../../../protocols/ec2/refusal.ts';
import { clusterTags } from '../cluster-tags.ts';
import { described, matchFilters, tagAttributes } from '../filters.ts';
import { derivedId } from '../ids.ts';
import { VPC_CIDR } from '../network.ts';
import { ACCOUNT_ID } from '../operation.ts';
import type { Account } from '../operation.ts';
import { cutPage } from '../pages.ts';
import { writeTags } from '../tags.ts';

const PAGE = { min: 5, max: 1_000 };

/** Lists the cluster's VPC, the only one. */
export function describeVpcs({ cluster, network }: Account, request: DescribeVpcsRequest): DescribeVpcsResult {
  const { VpcIds: ids = [], Filters, MaxResults, NextToken } = request;
  const missing = ids.find((id) => id !== network.vpcId);
  if (missing !== undefined) throw new Ec2Refusal('InvalidVpcID.NotFound', `The vpc ID '${missing}' does not exist`);
  const tags = clusterTags(cluster);
  const vpc: Vpc = {
    VpcId: network.vpcId,
    OwnerId: ACCOUNT_ID,
    State: 'available',
    CidrBlock: VPC_CIDR,
    CidrBlockAssociationSet: [
      { AssociationId: derivedId('vpc-cidr-assoc', network.vpcId), CidrBlock: VPC_CIDR, CidrBlockState: { State: 'associated' } },
    ],
    DhcpOptionsId: derivedId('dopt', network.vpcId),
    InstanceTenancy: 'default',
    IsDefault: false,
    BlockPublicAccessStates: { InternetGatewayBlockMode: 'off' },
    Tags: writeTags(tags),
  };
  // Source of the names: DescribeVpcs in the API reference.
  const attributes = {
    ...tagAttributes<Vpc>(() => tags),
    ...described<Vpc, Vpc>(
      {
        cidr: ({ CidrBlock }) => [CidrBlock],
        'cidr-block-association.association-id': ({ CidrBlockAssociationSet = [] }) =>
          CidrBlockAssociationSet.map((one) => one.AssociationId),
        'cidr-block-association.cidr-block': ({ CidrBlockAssociationSet = [] }) => CidrBlockAssociationSet.map((one) => one.CidrBlock),
        'cidr-block-association.state': ({ CidrBlockAssociationSet = [] }) =>
          CidrBlockAssociationSet.map((one) => one.CidrBlockState?.State),
        'dhcp-options-id': ({ DhcpOptionsId }) => [DhcpOptionsId],
        'ipv6-cidr-block-association.association-id': () => [],
        'ipv6-cidr-block-association.ipv6-cidr-block': () => [],
        'ipv6-cidr-block-association.ipv6-pool': () => [],
        'ipv6-cidr-block-association.state': () => [],
        'is-default': ({ IsDefault }) => [IsDefault],
        'owner-id': ({ OwnerId }) => [OwnerId],
        state: ({ State }) => [State],
        'vpc-id': ({ VpcId }) => [VpcId],
      },
      (one) => one,
    ),
  };
  const found = [vpc].filter(matchFilters(Filters, attributes, () => tags));
  const { items, nextToken } = cutPage(found, ({ VpcId = '' }) => VpcId, { MaxResults, NextToken }, PAGE);
  return { Vpcs: [...items], ...defined({ NextToken: nextToken }) };
}
