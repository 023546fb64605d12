import type { DescribeSpotInstanceRequestsRequest, DescribeSpotInstanceRequestsResult, SpotInstanceRequest } from '@aws-sdk/client-ec2';
import { defined } from '../../../model/defined.ts';
import { Ec2Refusal } from '../../../protocols/ec2/refusal.ts';
import type { Caller } from '../../../wire/backend.ts';
import { matchFilters } from '../filters.ts';
import type { Attributes } from '../filters.ts';
import { spotRequestId } from '../instance-view.ts';
import type { InstanceRecord } from '../instances.ts';
import type { Account } from '../operation.ts';
import { cutPage } from '../pages.ts';
import { toSdkType } from '../sdk-types.ts';

const PAGE = { min: 5, max: 1_000 };

const ATTRIBUTES: Attributes<InstanceRecord> = {
  'availability-zone': ({ zone }) => [zone],
  'instance-id': ({ id }) => [id],
  'launched-availability-zone': ({ zone }) => [zone],
  'spot-instance-request-id': (record) => [spotRequestId(record)],
  state: (record) => [stateOf(record)],
  'status-code': (record) => [statusOf(record)],
  type: () => ['one-time'],
};

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
  const matches = matchFilters(Filters, ATTRIBUTES);
  const asked = spot.filter((record) => (ids.length === 0 || ids.includes(spotRequestId(record))) && matches(record));
  const sorted = asked.sort((a, b) => (spotRequestId(a) < spotRequestId(b) ? -1 : 1));
  const { items, nextToken } = cutPage(sorted, spotRequestId, { MaxResults, NextToken }, PAGE);
  return { SpotInstanceRequests: items.map(write), ...defined({ NextToken: nextToken }) };
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

function write(record: InstanceRecord): SpotInstanceRequest {
  return {
    SpotInstanceRequestId: spotRequestId(record),
    InstanceId: record.id,
    CreateTime: new Date(record.launchedAtMs),
    LaunchedAvailabilityZone: record.zone,
    LaunchSpecification: { ImageId: record.imageId, InstanceType: toSdkType(record.instanceType), SubnetId: record.subnetId },
    ProductDescription: 'Linux/UNIX',
    State: stateOf(record),
    Status: { Code: statusOf(record), UpdateTime: new Date(record.endingAtMs ?? record.launchedAtMs) },
    Type: 'one-time',
  };
}
