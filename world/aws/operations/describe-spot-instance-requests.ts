import type { DescribeSpotInstanceRequestsRequest, DescribeSpotInstanceRequestsResult, SpotInstanceRequest } from '@aws-sdk/client-ec2';
import { defined } from '../../../model/defined.ts';
import { Ec2Refusal } from '../../../protocols/ec2/refusal.ts';
import type { Caller } from '../../../wire/backend.ts';
import { matchFilters, tagAttributes } from '../filters.ts';
import type { Attributes } from '../filters.ts';
import { spotRequestId } from '../instance-view.ts';
import type { InstanceRecord } from '../instances.ts';
import type { Account } from '../operation.ts';
import { cutPage } from '../pages.ts';
import { toSdkType } from '../sdk-types.ts';
import { groupsOf } from '../security-groups.ts';
import { writeTags } from '../tags.ts';
import type { Tags } from '../tags.ts';
import { zoneIdOf } from '../zones.ts';
import { wholeSecond } from '../times.ts';

const PAGE = { min: 5, max: 1_000 };
const PRODUCT = 'Linux/UNIX';

/** Source of the names: DescribeSpotInstanceRequests in the API reference. */
const attributesOf = (account: Account): Attributes<InstanceRecord> => ({
  ...tagAttributes(tagsOf),
  'availability-zone-group': () => [],
  'create-time': ({ launchedAtMs }) => [wholeSecond(launchedAtMs).toISOString()],
  'fault-code': () => [],
  'fault-message': () => [],
  'launch-group': () => [],
  'launch.group-id': (record) => groupsOf(account, record).map(({ GroupId = '' }) => GroupId),
  'launch.group-name': (record) => groupsOf(account, record).flatMap(({ GroupName }) => GroupName ?? []),
  'launch.image-id': ({ imageId }) => [imageId],
  'launch.instance-type': ({ instanceType }) => [instanceType],
  'launch.key-name': ({ template }) => (template.KeyName === undefined ? [] : [template.KeyName]),
  'network-interface.subnet-id': ({ subnetId }) => [subnetId],
  'product-description': () => [PRODUCT],
  'spot-price': (record) => [priceOf(account, record)],
  'valid-from': () => [],
  'valid-until': () => [],
  'availability-zone': ({ zone }) => [zone],
  'instance-id': ({ id }) => [id],
  'launched-availability-zone': ({ zone }) => [zone],
  'spot-instance-request-id': (record) => [spotRequestId(record)],
  state: (record) => [stateOf(record)],
  'status-code': (record) => [statusOf(record)],
  type: () => ['one-time'],
});

const tagsOf = ({ partTags }: InstanceRecord): Tags => partTags['spot-instances-request'] ?? {};

/** Lists the requests behind spot instances, one each. Requests without capacity leave none, as with instant fleets. */
export function describeSpotInstanceRequests(
  account: Account,
  request: DescribeSpotInstanceRequestsRequest,
  { span }: Caller,
): DescribeSpotInstanceRequestsResult {
  const { SpotInstanceRequestIds: ids = [], Filters, MaxResults, NextToken } = request;
  const spot = account.instances.readAll(span).filter(({ capacityType }) => capacityType === 'spot');
  const missing = ids.find((id) => !spot.some((record) => spotRequestId(record) === id));
  if (missing !== undefined) {
    throw new Ec2Refusal('InvalidSpotInstanceRequestID.NotFound', `The spot instance request ID '${missing}' does not exist`);
  }
  const matches = matchFilters(Filters, attributesOf(account), tagsOf);
  const asked = spot.filter((record) => (ids.length === 0 || ids.includes(spotRequestId(record))) && matches(record));
  const sorted = asked.sort((a, b) => (spotRequestId(a) < spotRequestId(b) ? -1 : 1));
  const { items, nextToken } = cutPage(sorted, spotRequestId, { MaxResults, NextToken }, PAGE);
  return { SpotInstanceRequests: items.map((record) => write(account, record)), ...defined({ NextToken: nextToken }) };
}

function isOver({ state }: InstanceRecord): boolean {
  return state === 'shutting-down' || state === 'terminated';
}

function stateOf(record: InstanceRecord): 'active' | 'closed' {
  return isOver(record) ? 'closed' : 'active';
}

function statusOf(record: InstanceRecord): string {
  if (!isOver(record)) return 'fulfilled';
  return record.stateReason?.code === 'Server.SpotInstanceTermination' ? 'instance-terminated-by-service' : 'instance-terminated-by-user';
}

const MESSAGES: Readonly<Record<string, string>> = {
  fulfilled: 'Your Spot request is fulfilled.',
  'instance-terminated-by-service': 'Your Spot Instance was terminated because of a change in capacity.',
  'instance-terminated-by-user': 'Your Spot Instance was terminated by a user.',
};

/** The maximum price: without one of the launch, the on-demand price. */
function priceOf({ catalogue }: Account, { template, instanceType }: InstanceRecord): string {
  const { MaxPrice = String(catalogue.types.get(instanceType)?.onDemandUsdPerHour ?? 0) } =
    template.InstanceMarketOptions?.SpotOptions ?? {};
  return Number(MaxPrice).toFixed(6);
}

function write(account: Account, record: InstanceRecord): SpotInstanceRequest {
  return {
    SpotInstanceRequestId: spotRequestId(record),
    InstanceId: record.id,
    CreateTime: wholeSecond(record.launchedAtMs),
    LaunchedAvailabilityZone: record.zone,
    LaunchedAvailabilityZoneId: zoneIdOf(record.zone),
    LaunchSpecification: {
      ImageId: record.imageId,
      InstanceType: toSdkType(record.instanceType),
      SubnetId: record.subnetId,
      SecurityGroups: groupsOf(account, record),
      Placement: { AvailabilityZone: record.zone, AvailabilityZoneId: zoneIdOf(record.zone) },
      Monitoring: { Enabled: record.template.Monitoring?.Enabled ?? false },
      EbsOptimized: record.template.EbsOptimized ?? false,
      ...defined({ KeyName: record.template.KeyName }),
    },
    InstanceInterruptionBehavior: 'terminate',
    ProductDescription: PRODUCT,
    SpotPrice: priceOf(account, record),
    Tags: writeTags(tagsOf(record)),
    State: stateOf(record),
    Status: {
      Code: statusOf(record),
      Message: MESSAGES[statusOf(record)],
      UpdateTime: wholeSecond(record.endingAtMs ?? record.launchedAtMs),
    },
    Type: 'one-time',
  };
}
