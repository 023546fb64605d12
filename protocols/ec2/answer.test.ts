import { expect, test } from '@playwright/test';
import { describeEc2Answer } from './answer.ts';
import { Ec2Codec, encodeRefusal } from './codec.ts';
import { Ec2Refusal } from './refusal.ts';

const codec = new Ec2Codec();
const naming = (Overrides: object): object => ({ LaunchTemplateAndOverrides: { Overrides } });
const LACK = { ErrorCode: 'InsufficientInstanceCapacity', ErrorMessage: 'none left' };

for (const { what, name, status, body, expected } of [
  {
    what: 'a refusal, unescaped',
    name: 'ec2:RunInstances',
    status: 503,
    body: encodeRefusal(new Ec2Refusal('RequestLimitExceeded', 'a < b & "c"', 503), 'id'),
    expected: { code: 'RequestLimitExceeded', note: 'a < b & "c"' },
  },
  { what: "a proxy's page", name: 'ec2:CreateFleet', status: 502, body: 'Bad Gateway', expected: { note: 'Bad Gateway' } },
  { what: 'an empty error', name: 'ec2:CreateFleet', status: 500, body: '', expected: { note: '' } },
  {
    what: 'an empty fleet',
    name: 'ec2:CreateFleet',
    status: 200,
    body: codec.encode('CreateFleet', {}, 'id'),
    expected: { note: 'instances: none' },
  },
  {
    what: 'a fleet with errors beside its instances',
    name: 'ec2:CreateFleet',
    status: 200,
    body: codec.encode(
      'CreateFleet',
      {
        Instances: [{ InstanceIds: ['i-1', 'i-2'] }, { InstanceIds: ['i-3'] }],
        Errors: [LACK, LACK, { ErrorCode: 'InvalidSubnetID.NotFound' }],
      },
      'id',
    ),
    expected: { note: 'instances: i-1, i-2, i-3, errors: InsufficientInstanceCapacity, InvalidSubnetID.NotFound (3)' },
  },
  {
    what: 'a fleet with errors that name offerings, some incompletely',
    name: 'ec2:CreateFleet',
    status: 200,
    body: codec.encode(
      'CreateFleet',
      {
        Errors: [
          { ...LACK, ...naming({ InstanceType: 'm6i.large', AvailabilityZone: 'a', SubnetId: 'subnet-a' }), Lifecycle: 'spot' },
          { ...LACK, ...naming({ InstanceType: 'm6i.large', SubnetId: 'subnet-b' }) },
          { ...LACK, ...naming({ InstanceType: 'm7i.large' }) },
          { ErrorCode: 'VcpuLimitExceeded', ...naming({ InstanceType: 'm6i.large', AvailabilityZone: 'c' }) },
        ],
      },
      'id',
    ),
    expected: {
      note: 'instances: none, errors: InsufficientInstanceCapacity, VcpuLimitExceeded (4)',
      refused: [
        { instanceType: 'm6i.large', zone: 'a', subnet: 'subnet-a', capacityType: 'spot' },
        { instanceType: 'm6i.large', subnet: 'subnet-b' },
      ],
    },
  },
  { what: 'a success answer of another operation', name: 'ec2:DescribeInstances', status: 200, body: '<a/>', expected: {} },
]) {
  test(`the history note of ${what}`, () => {
    expect(describeEc2Answer(name, { status, body })).toEqual(expected);
  });
}
