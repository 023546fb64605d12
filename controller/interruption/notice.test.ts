import { expect, test } from '@playwright/test';
import { readNotice } from './notice.ts';

const AT = '2026-01-01T00:00:10Z';
const atMs = Date.parse(AT);

function event(source: string, type: string, detail: object): string {
  return JSON.stringify({
    version: '0',
    id: 'x',
    'detail-type': type,
    source,
    account: '1',
    time: AT,
    region: 'us-east-1',
    resources: [],
    detail,
  });
}

const about = { 'instance-id': 'i-1' };
const CASES: readonly [string, string, object, string, readonly string[]][] = [
  ['aws.ec2', 'EC2 Spot Instance Interruption Warning', { ...about, 'instance-action': 'terminate' }, 'spot_interrupted', ['i-1']],
  ['aws.ec2', 'EC2 Instance Rebalance Recommendation', about, 'rebalance_recommendation', ['i-1']],
  ['aws.ec2', 'EC2 Capacity Reservation Instance Interruption Warning', about, 'capacity_reservation_interrupted', ['i-1']],
  ['aws.ec2', 'EC2 Instance State-change Notification', { ...about, state: 'stopped' }, 'instance_stopping', ['i-1']],
  ['aws.ec2', 'EC2 Instance State-change Notification', { ...about, state: 'shutting-down' }, 'instance_terminated', ['i-1']],
  ['aws.ec2', 'EC2 Instance State-change Notification', { ...about, state: 'running' }, 'no_op', ['i-1']],
  [
    'aws.health',
    'AWS Health Event',
    { service: 'EC2', eventTypeCategory: 'scheduledChange', affectedEntities: [{ entityValue: 'i-1' }, { entityValue: 'i-2' }] },
    'scheduled_change',
    ['i-1', 'i-2'],
  ],
  ['aws.health', 'AWS Health Event', { service: 'RDS', eventTypeCategory: 'scheduledChange' }, 'no_op', []],
  ['aws.s3', 'Object Created', {}, 'no_op', []],
];
for (const [source, type, detail, kind, instanceIds] of CASES) {
  test(`${source} ${type} ${JSON.stringify(detail)} is ${kind}`, () => {
    expect(readNotice(event(source, type, detail))).toEqual({ kind, instanceIds, atMs });
  });
}

for (const body of ['', 'not json', '{}', 'null', event('aws.ec2', 'EC2 Spot Instance Interruption Warning', {})]) {
  test(`not an event: ${body.slice(0, 40)}`, () => {
    expect(() => readNotice(body)).toThrow();
  });
}
