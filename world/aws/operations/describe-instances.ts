import type { DescribeInstancesRequest, DescribeInstancesResult } from '@aws-sdk/client-ec2';
import { Ec2Refusal } from '../../../protocols/ec2/refusal.ts';
import { matchFilters, tagAttributes } from '../filters.ts';
import type { Attributes } from '../filters.ts';
import { dnsNameOf, findInstances, securityGroupIds, writeReservations, writeState } from '../instance-view.ts';
import type { InstanceRecord } from '../instances.ts';
import type { Account } from '../operation.ts';
import { cutPage } from '../pages.ts';

const PAGE = { min: 5, max: 1_000 };

const tagsOf = (record: InstanceRecord): InstanceRecord['tags'] => record.tags;

const ATTRIBUTES: Attributes<InstanceRecord> = {
  ...tagAttributes(tagsOf),
  architecture: ({ architecture }) => [architecture],
  'availability-zone': ({ zone }) => [zone],
  'client-token': ({ clientToken }) => [clientToken],
  'image-id': ({ imageId }) => [imageId],
  'instance-id': ({ id }) => [id],
  'instance-lifecycle': ({ capacityType }) => (capacityType === 'spot' ? ['spot'] : []),
  'instance-state-code': ({ state }) => [String(writeState(state).Code)],
  'instance-state-name': ({ state }) => [state],
  'instance-type': ({ instanceType }) => [instanceType],
  'instance.group-id': (record) => securityGroupIds(record),
  'launch-time': ({ launchedAtMs }) => [new Date(launchedAtMs).toISOString()],
  'private-dns-name': (record) => [dnsNameOf(record)],
  'private-ip-address': ({ state, privateIp }) => (state === 'terminated' ? [] : [privateIp]),
  'reservation-id': ({ reservationId }) => [reservationId],
  'subnet-id': ({ state, subnetId }) => (state === 'terminated' ? [] : [subnetId]),
};

/** Lists instances in the order of their launch; terminated ones for about an hour. */
export function describeInstances(account: Account, request: DescribeInstancesRequest): DescribeInstancesResult {
  const { InstanceIds: ids = [], Filters, MaxResults, NextToken } = request;
  if (ids.length > 0 && MaxResults !== undefined) {
    throw new Ec2Refusal('InvalidParameterCombination', 'The parameter instancesSet cannot be used with the parameter maxResults');
  }
  const matches = matchFilters(Filters, ATTRIBUTES, tagsOf);
  const asked = ids.length === 0 ? account.instances.list() : findInstances(account, [...new Set(ids)]).sort(bySequence);
  const { items, nextToken } = cutPage(asked.filter(matches), sequenceKey, { MaxResults, NextToken }, PAGE);
  return { Reservations: writeReservations(account, items), ...(nextToken === undefined ? {} : { NextToken: nextToken }) };
}

function bySequence(a: InstanceRecord, b: InstanceRecord): number {
  return a.sequence - b.sequence;
}

/** Sorts by code units as sequences do by number. */
function sequenceKey({ sequence }: InstanceRecord): string {
  return String(sequence).padStart(12, '0');
}
