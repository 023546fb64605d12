import type { DescribeInstanceStatusRequest, DescribeInstanceStatusResult, InstanceStatus, SummaryStatus } from '@aws-sdk/client-ec2';
import { defined } from '../../../model/defined.ts';
import { Ec2Refusal } from '../../../protocols/ec2/refusal.ts';
import type { Caller } from '../../../wire/backend.ts';
import { matchFilters } from '../filters.ts';
import type { Attributes } from '../filters.ts';
import { readInstances, writeState } from '../instance-view.ts';
import type { InstanceRecord } from '../instances.ts';
import type { Account } from '../operation.ts';
import { cutPage } from '../pages.ts';
import { zoneIdOf } from '../zones.ts';
import { bySequence, sequenceKey } from './describe-instances.ts';

const PAGE = { min: 5, max: 1_000 };
const IDS_MAX = 100;
/** The status checks of a new instance take some minutes to pass. */
const CHECKS_MS = 120_000;

interface Checked {
  readonly record: InstanceRecord;
  readonly status: SummaryStatus;
  readonly reachability: 'passed' | 'initializing' | undefined;
}

/** All checks (system, instance, attached volumes) have the same status. There are no scheduled events: their filters match nothing. */
const ATTRIBUTES: Attributes<Checked> = {
  'attached-ebs-status.reachability': ({ reachability }) => (reachability === undefined ? [] : [reachability]),
  'attached-ebs-status.status': ({ status }) => [status],
  'availability-zone': ({ record }) => [record.zone],
  'availability-zone-id': ({ record }) => [zoneIdOf(record.zone)],
  'event.code': () => [],
  'event.description': () => [],
  'event.instance-event-id': () => [],
  'event.not-after': () => [],
  'event.not-before': () => [],
  'event.not-before-deadline': () => [],
  'instance-state-code': ({ record }) => [String(writeState(record.state).Code)],
  'instance-state-name': ({ record }) => [record.state],
  'instance-status.reachability': ({ reachability }) => (reachability === undefined ? [] : [reachability]),
  'instance-status.status': ({ status }) => [status],
  'operator.managed': () => ['false'],
  'operator.principal': () => [],
  'system-status.reachability': ({ reachability }) => (reachability === undefined ? [] : [reachability]),
  'system-status.status': ({ status }) => [status],
};

/** Lists status checks of running instances; of all instances with IncludeAllInstances. */
export function describeInstanceStatus(
  account: Account,
  request: DescribeInstanceStatusRequest,
  { span }: Caller,
): DescribeInstanceStatusResult {
  const { InstanceIds: ids = [], IncludeAllInstances: isAll = false, Filters, MaxResults, NextToken } = request;
  if (ids.length > 0 && MaxResults !== undefined) {
    throw new Ec2Refusal('InvalidParameterCombination', 'The parameter instancesSet cannot be used with the parameter maxResults');
  }
  if (ids.length > IDS_MAX) throw new Ec2Refusal('InvalidParameterValue', `At most ${IDS_MAX} instances can be asked for by one request`);
  const matches = matchFilters(Filters, ATTRIBUTES);
  const nowMs = account.clock.nowMs();
  const asked = ids.length === 0 ? account.instances.readAll(span) : readInstances(account, [...new Set(ids)], span).sort(bySequence);
  const listed = asked
    .filter(({ state }) => isAll || state === 'running')
    .map((record) => check(record, nowMs))
    .filter(matches);
  const { items, nextToken } = cutPage(listed, ({ record }) => sequenceKey(record), { MaxResults, NextToken }, PAGE);
  return { InstanceStatuses: items.map(writeStatus), ...defined({ NextToken: nextToken }) };
}

function check(record: InstanceRecord, nowMs: number): Checked {
  if (record.state !== 'running') return { record, status: 'not-applicable', reachability: undefined };
  const isChecked = nowMs - (record.runningAtMs ?? nowMs) >= CHECKS_MS;
  return isChecked ? { record, status: 'ok', reachability: 'passed' } : { record, status: 'initializing', reachability: 'initializing' };
}

function writeStatus({ record, status, reachability }: Checked): InstanceStatus {
  const summary = {
    Status: status,
    ...defined({ Details: reachability && [{ Name: 'reachability' as const, Status: reachability }] }),
  };
  return {
    InstanceId: record.id,
    AvailabilityZone: record.zone,
    AvailabilityZoneId: zoneIdOf(record.zone),
    InstanceState: writeState(record.state),
    InstanceStatus: summary,
    SystemStatus: summary,
    AttachedEbsStatus: summary,
    Operator: { Managed: false },
    Events: [],
  };
}
