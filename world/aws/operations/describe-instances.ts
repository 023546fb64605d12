import type { DescribeInstancesRequest, DescribeInstancesResult } from '@aws-sdk/client-ec2';
import { defined } from '../../../model/defined.ts';
import { Ec2Refusal } from '../../../protocols/ec2/refusal.ts';
import { matchFilters, tagAttributes } from '../filters.ts';
import type { Attributes } from '../filters.ts';
import {
  dnsNameOf,
  profileArnOf,
  readInstances,
  securityGroupIds,
  spotRequestId,
  writeReservations,
  writeState,
} from '../instance-view.ts';
import type { InstanceRecord } from '../instances.ts';
import { ACCOUNT_ID } from '../operation.ts';
import type { Account } from '../operation.ts';
import type { Caller } from '../../../wire/backend.ts';
import { cutPage } from '../pages.ts';
import { zoneIdOf } from '../zones.ts';

const PAGE = { min: 5, max: 1_000 };

const tagsOf = (record: InstanceRecord): InstanceRecord['tags'] => record.tags;

/** Filters on what instances of this world have. EC2 has a few more (network interfaces, block devices, CPU options). */
const attributesOf = ({ network }: Account): Attributes<InstanceRecord> => ({
  ...tagAttributes(tagsOf),
  architecture: ({ architecture }) => [architecture],
  'availability-zone': ({ zone }) => [zone],
  'availability-zone-id': ({ zone }) => [zoneIdOf(zone)],
  'client-token': ({ clientToken }) => [clientToken],
  hypervisor: () => ['xen'],
  'iam-instance-profile.arn': (record) => present(profileArnOf(record)),
  'image-id': ({ imageId }) => [imageId],
  'instance-id': ({ id }) => [id],
  'instance-lifecycle': ({ capacityType }) => (capacityType === 'spot' ? ['spot'] : []),
  'instance-state-code': ({ state }) => [String(writeState(state).Code)],
  'instance-state-name': ({ state }) => [state],
  'instance-type': ({ instanceType }) => [instanceType],
  'instance.group-id': (record) => securityGroupIds(record),
  'key-name': ({ template }) => present(template.KeyName),
  'launch-index': ({ launchIndex }) => [String(launchIndex)],
  'launch-time': ({ launchedAtMs }) => [new Date(launchedAtMs).toISOString()],
  'network-interface.subnet-id': ({ state, subnetId }) => (state === 'terminated' ? [] : [subnetId]),
  'owner-id': () => [ACCOUNT_ID],
  'private-dns-name': (record) => [dnsNameOf(record)],
  'private-ip-address': ({ state, privateIp }) => (state === 'terminated' ? [] : [privateIp]),
  'reservation-id': ({ reservationId }) => [reservationId],
  'root-device-type': () => ['ebs'],
  'spot-instance-request-id': (record) => (record.capacityType === 'spot' ? [spotRequestId(record)] : []),
  'state-reason-code': ({ stateReason }) => present(stateReason?.code),
  'subnet-id': ({ state, subnetId }) => (state === 'terminated' ? [] : [subnetId]),
  tenancy: () => ['default'],
  'virtualization-type': () => ['hvm'],
  'vpc-id': ({ state }) => (state === 'terminated' ? [] : [network.vpcId]),
});

function present(value: string | undefined): string[] {
  return value === undefined ? [] : [value];
}

/** Lists instances in the order of their launch; terminated ones for about an hour. */
export function describeInstances(account: Account, request: DescribeInstancesRequest, { span }: Caller): DescribeInstancesResult {
  const { InstanceIds: ids = [], Filters, MaxResults, NextToken } = request;
  if (ids.length > 0 && MaxResults !== undefined) {
    throw new Ec2Refusal('InvalidParameterCombination', 'The parameter instancesSet cannot be used with the parameter maxResults');
  }
  const matches = matchFilters(Filters, attributesOf(account), tagsOf);
  const asked = ids.length === 0 ? account.instances.readAll(span) : readInstances(account, [...new Set(ids)], span).sort(bySequence);
  const { items, nextToken } = cutPage(asked.filter(matches), sequenceKey, { MaxResults, NextToken }, PAGE);
  return { Reservations: writeReservations(account, items), ...defined({ NextToken: nextToken }) };
}

export function bySequence(a: InstanceRecord, b: InstanceRecord): number {
  return a.sequence - b.sequence;
}

/** A key whose order by code units is the order of sequence numbers. */
export function sequenceKey({ sequence }: InstanceRecord): string {
  return String(sequence).padStart(12, '0');
}
