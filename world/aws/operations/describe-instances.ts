import type { DescribeInstancesRequest, DescribeInstancesResult } from '@aws-sdk/client-ec2';
import { defined } from '../../../model/defined.ts';
import { Ec2Refusal } from '../../../protocols/ec2/refusal.ts';
import { matchFilters, valuesOfFilter } from '../filters.ts';
import { instanceAttributes, instanceTags } from '../instance-filters.ts';
import { readInstances, writeReservations } from '../instance-view.ts';
import type { InstanceRecord } from '../instances.ts';
import type { Account } from '../operation.ts';
import type { Caller } from '../../../wire/backend.ts';
import { cutPage } from '../pages.ts';

const PAGE = { min: 5, max: 1_000 };

/** Lists instances in the order of their launch; terminated ones for about an hour. */
export function describeInstances(account: Account, request: DescribeInstancesRequest, { span }: Caller): DescribeInstancesResult {
  const { InstanceIds: ids = [], Filters, MaxResults, NextToken } = request;
  if (ids.length > 0 && MaxResults !== undefined) {
    throw new Ec2Refusal('InvalidParameterCombination', 'The parameter instancesSet cannot be used with the parameter maxResults');
  }
  const matches = matchFilters(Filters, instanceAttributes(account), instanceTags);
  const asked =
    ids.length === 0
      ? account.instances.readAll(span, valuesOfFilter(Filters, 'instance-id'))
      : readInstances(account, [...new Set(ids)], span).sort(bySequence);
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
