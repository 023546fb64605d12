import type { DescribeRouteTablesRequest, DescribeRouteTablesResult, RouteTable } from '@aws-sdk/client-ec2';
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
import type { Tags } from '../tags.ts';

const PAGE = { min: 5, max: 100 };
const TO_ANYWHERE = '0.0.0.0/0';

const tagsOf = ({ Tags: tags = [] }: RouteTable): Tags => Object.fromEntries(tags.map(({ Key = '', Value = '' }) => [Key, Value]));

/**
 * Lists the route tables: the VPC's main one, and that of the subnets, which are private: they reach the outside through a NAT
 * gateway, as those of EKS's guides do.
 */
export function describeRouteTables(account: Account, request: DescribeRouteTablesRequest): DescribeRouteTablesResult {
  const { RouteTableIds: ids = [], Filters, MaxResults, NextToken } = request;
  const tables = [...routeTablesOf(account)].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  const missing = ids.find((id) => !tables.some((table) => idOf(table) === id));
  if (missing !== undefined) throw new Ec2Refusal('InvalidRouteTableID.NotFound', `The routeTable ID '${missing}' does not exist`);
  const matches = matchFilters(Filters, ATTRIBUTES, tagsOf);
  const found = tables.filter((table) => (ids.length === 0 || ids.includes(idOf(table))) && matches(table));
  const { items, nextToken } = cutPage(found, idOf, { MaxResults, NextToken }, PAGE);
  return { RouteTables: [...items], ...defined({ NextToken: nextToken }) };
}

/** Source of the names: DescribeRouteTables in the API reference. */
const ATTRIBUTES = {
  ...tagAttributes(tagsOf),
  ...described<RouteTable, RouteTable>(
    {
      'association.gateway-id': () => [],
      'association.main': ({ Associations = [] }) => Associations.map(({ Main }) => Main),
      'association.route-table-association-id': ({ Associations = [] }) => Associations.map((one) => one.RouteTableAssociationId),
      'association.route-table-id': ({ Associations = [] }) => Associations.map(({ RouteTableId }) => RouteTableId),
      'association.subnet-id': ({ Associations = [] }) => Associations.map(({ SubnetId }) => SubnetId),
      'owner-id': ({ OwnerId }) => [OwnerId],
      'route-table-id': ({ RouteTableId }) => [RouteTableId],
      'route.destination-cidr-block': ({ Routes = [] }) => Routes.map((one) => one.DestinationCidrBlock),
      'route.destination-ipv6-cidr-block': () => [],
      'route.destination-prefix-list-id': () => [],
      'route.egress-only-internet-gateway-id': () => [],
      'route.gateway-id': ({ Routes = [] }) => Routes.map(({ GatewayId }) => GatewayId),
      'route.instance-id': () => [],
      'route.nat-gateway-id': ({ Routes = [] }) => Routes.map(({ NatGatewayId }) => NatGatewayId),
      'route.origin': ({ Routes = [] }) => Routes.map(({ Origin }) => Origin),
      'route.state': ({ Routes = [] }) => Routes.map(({ State }) => State),
      'route.transit-gateway-id': () => [],
      'route.vpc-peering-connection-id': () => [],
      'vpc-id': ({ VpcId }) => [VpcId],
    },
    (one) => one,
  ),
};

function idOf({ RouteTableId: id = '' }: RouteTable): string {
  return id;
}

function routeTablesOf({ cluster, network: { vpcId, subnets } }: Account): readonly RouteTable[] {
  const local = { DestinationCidrBlock: VPC_CIDR, GatewayId: 'local', Origin: 'CreateRouteTable', State: 'active' } as const;
  const toNat = {
    DestinationCidrBlock: TO_ANYWHERE,
    NatGatewayId: derivedId('nat', vpcId),
    Origin: 'CreateRoute',
    State: 'active',
  } as const;
  const common = { VpcId: vpcId, OwnerId: ACCOUNT_ID, PropagatingVgws: [] };
  const [main, own] = [derivedId('rtb', `${vpcId} main`), derivedId('rtb', `${vpcId} private`)];
  const associated = { State: 'associated' } as const;
  return [
    {
      ...common,
      RouteTableId: main,
      Associations: [
        { Main: true, RouteTableAssociationId: derivedId('rtbassoc', main), RouteTableId: main, AssociationState: associated },
      ],
      Routes: [local],
      Tags: [],
    },
    {
      ...common,
      RouteTableId: own,
      Associations: subnets.map(({ id }) => ({
        Main: false,
        RouteTableAssociationId: derivedId('rtbassoc', id),
        RouteTableId: own,
        SubnetId: id,
        AssociationState: associated,
      })),
      Routes: [local, toNat],
      Tags: writeTags(clusterTags(cluster)),
    },
  ];
}
