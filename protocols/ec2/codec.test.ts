import {
  CreateFleetCommand,
  CreateLaunchTemplateCommand,
  DescribeInstancesCommand,
  DescribeSpotPriceHistoryCommand,
  EC2Client,
  EC2ServiceException,
} from '@aws-sdk/client-ec2';
import type { CreateFleetRequest, DescribeInstancesResult } from '@aws-sdk/client-ec2';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { Ec2Codec, encodeRefusal } from './codec.ts';
import { Ec2Refusal } from './refusal.ts';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** The real client. Records what it sends; `answer` gives the response. */
function connect(answer: () => { status: number; body: string }): { client: EC2Client; sent: Sent[] } {
  const sent: Sent[] = [];
  const client = new EC2Client({
    region: 'us-east-1',
    credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
    maxAttempts: 1,
    requestHandler: {
      handle: (request: Sent) => {
        sent.push(request);
        const { status, body } = answer();
        return Promise.resolve({ response: { statusCode: status, headers: {}, body: new TextEncoder().encode(body) } });
      },
      destroy: () => undefined,
      metadata: { handlerProtocol: 'http/1.1' },
      updateHttpClientConfig: () => undefined,
      httpHandlerConfigs: () => ({}),
    },
  });
  return { client, sent };
}

// Text that survives XML: the SDK's parser trims white space at the edges of a text and drops empty ones.
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).filter((one) => one === one.trim() && one !== '');
const anyText = fc.string({ unit: 'grapheme', maxLength: 30 });
const count = fc.integer({ min: 0, max: 1_000_000 });

/** Drops undefined members, as the wire does. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

const fleetRequest: fc.Arbitrary<CreateFleetRequest> = fc.record(
  {
    ClientToken: text,
    Type: fc.constantFrom('instant' as const, 'request' as const),
    LaunchTemplateConfigs: fc.array(
      fc.record(
        {
          LaunchTemplateSpecification: fc.record({ LaunchTemplateName: anyText, Version: anyText }),
          Overrides: fc.array(
            fc.record(
              {
                SubnetId: anyText,
                AvailabilityZone: anyText,
                Priority: fc.double({ noNaN: true, noDefaultInfinity: true }),
                WeightedCapacity: count,
              },
              { requiredKeys: ['SubnetId'] },
            ),
            { minLength: 1, maxLength: 12 },
          ),
        },
        { requiredKeys: ['LaunchTemplateSpecification'] },
      ),
      { minLength: 1, maxLength: 12 },
    ),
    TargetCapacitySpecification: fc.record({ TotalTargetCapacity: count }),
    TagSpecifications: fc.array(
      fc.record({
        ResourceType: fc.constant('instance' as const),
        Tags: fc.array(fc.record({ Key: anyText, Value: anyText }), { minLength: 1 }),
      }),
      { minLength: 1 },
    ),
    TerminateInstancesWithExpiration: fc.boolean(),
  },
  { requiredKeys: ['ClientToken', 'LaunchTemplateConfigs', 'TargetCapacitySpecification'] },
);

test('reads what the SDK writes', async () => {
  const codec = new Ec2Codec();
  const { client, sent } = connect(() => ({ status: 200, body: codec.encode('CreateFleet', {}, 'id') }));
  await fc.assert(
    fc.asyncProperty(fleetRequest, async (input) => {
      await client.send(new CreateFleetCommand(input));
      const request = sent.pop();
      expect(request).toBeDefined();
      if (request === undefined) return;
      // -0 is written as 0.
      expect(codec.decode(request)).toEqual({ action: 'CreateFleet', input: plain(input) });
      expect(codec.describe(request)).toEqual({ wire: 'aws', name: 'ec2:CreateFleet', mutating: true, input: plain(input) });
    }),
    { numRuns: 60 },
  );
});

const reservations: fc.Arbitrary<DescribeInstancesResult> = fc.record({
  NextToken: text,
  Reservations: fc.array(
    fc.record({
      ReservationId: text,
      Instances: fc.array(
        fc.record(
          {
            InstanceId: text,
            LaunchTime: fc.date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true }),
            AmiLaunchIndex: count,
            EbsOptimized: fc.boolean(),
            State: fc.record({ Code: count, Name: fc.constant('running' as const) }),
            Tags: fc.array(fc.record({ Key: text, Value: text })),
          },
          { requiredKeys: ['InstanceId'] },
        ),
      ),
    }),
  ),
});

test('writes what the SDK reads', async () => {
  const codec = new Ec2Codec();
  let output: DescribeInstancesResult = {};
  const { client } = connect(() => ({ status: 200, body: codec.encode('DescribeInstances', output, 'id-1') }));
  await fc.assert(
    fc.asyncProperty(reservations, async (generated) => {
      output = generated;
      const { $metadata, ...read } = await client.send(new DescribeInstancesCommand({}));
      expect(plain(read)).toEqual(plain(generated));
      expect($metadata.httpStatusCode).toBe(200);
    }),
    { numRuns: 60 },
  );
});

test('the SDK reads an encoded refusal as an error', async () => {
  const refusal = new Ec2Refusal('RequestLimitExceeded', 'Request limit <exceeded> & so on.', 503);
  const { client } = connect(() => ({ status: refusal.status, body: encodeRefusal(refusal, 'id-1') }));
  const error: unknown = await client.send(new DescribeInstancesCommand({})).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(EC2ServiceException);
  expect(error).toMatchObject({ name: 'RequestLimitExceeded', message: refusal.message, $metadata: { httpStatusCode: 503 } });
});

test('timestamps stay text, user data stays encoded', async () => {
  const codec = new Ec2Codec();
  const { client, sent } = connect(() => ({ status: 200, body: codec.encode('DescribeInstances', {}, 'id') }));
  await client.send(new DescribeSpotPriceHistoryCommand({ StartTime: new Date('2026-01-02T03:04:05.678Z') }));
  await client.send(
    new CreateLaunchTemplateCommand({ LaunchTemplateName: 'a', LaunchTemplateData: { UserData: 'YQ==' }, ClientToken: 't' }),
  );
  expect(sent.map((request) => codec.describe(request).input)).toEqual([
    { StartTime: '2026-01-02T03:04:05.678Z' },
    { LaunchTemplateName: 'a', LaunchTemplateData: { UserData: 'YQ==' }, ClientToken: 't' },
  ]);
});

const post = (body: string): Sent => ({ method: 'POST', path: '/', body });

for (const { name, request, expected } of [
  { name: 'nothing', request: post(''), expected: { wire: 'aws', name: 'unknown', mutating: true } },
  { name: 'an action with odd characters', request: post('Action=a%20b'), expected: { wire: 'aws', name: 'unknown', mutating: true } },
  {
    name: 'an action that EC2 does not have',
    request: post('Action=MakeCoffee&Version=2016-11-15'),
    expected: { wire: 'aws', name: 'ec2:MakeCoffee', mutating: true },
  },
  {
    name: 'an export of the SDK that is not an operation',
    request: post('Action=Instance&Version=2016-11-15'),
    expected: { wire: 'aws', name: 'ec2:Instance', mutating: true },
  },
  {
    name: 'a parameter that can’t be parsed',
    request: post('Action=DescribeInstances&Version=2016-11-15&MaxResults=many'),
    expected: { wire: 'aws', name: 'ec2:DescribeInstances', mutating: false },
  },
  {
    name: 'a dry run',
    request: post('Action=TerminateInstances&Version=2016-11-15&DryRun=true&InstanceId.1=i-1'),
    expected: { wire: 'aws', name: 'ec2:TerminateInstances', mutating: false, input: { DryRun: true, InstanceIds: ['i-1'] } },
  },
  {
    name: 'a query string',
    request: {
      method: 'GET',
      path: '/?Action=DescribeInstances&Version=2016-11-15&InstanceId.2=b&InstanceId.10=c&InstanceId.1=a',
      body: '',
    },
    expected: { wire: 'aws', name: 'ec2:DescribeInstances', mutating: false, input: { InstanceIds: ['a', 'b', 'c'] } },
  },
  {
    name: 'a secret',
    request: post('Action=CopySnapshot&Version=2016-11-15&PresignedUrl=secret&SourceRegion=us-east-1'),
    expected: { wire: 'aws', name: 'ec2:CopySnapshot', mutating: true, input: { SourceRegion: 'us-east-1' } },
  },
]) {
  test(`describes ${name}`, () => {
    expect(new Ec2Codec().describe(request)).toEqual(expected);
  });
}

test('describing never throws', () => {
  const codec = new Ec2Codec();
  const part = fc.constantFrom(
    'Action',
    'Version',
    'DescribeInstances',
    'Filter',
    '1',
    '.',
    '=',
    '&',
    'Name',
    '%',
    'MaxResults',
    '__proto__',
  );
  fc.assert(
    fc.property(
      fc.array(part).map((parts) => parts.join('')),
      (body) => {
        expect(codec.describe(post(`Action=DescribeInstances&Version=2016-11-15&${body}`)).wire).toBe('aws');
      },
    ),
  );
});

for (const [form, code] of [
  ['', 'MissingAction'],
  ['Action=MakeCoffee&Version=2016-11-15', 'InvalidAction'],
  ['Action=DescribeInstances', 'MissingParameter'],
  ['Action=DescribeInstances&Version=2016-11-15&Colour=red', 'UnknownParameter'],
  ['Action=DescribeInstances&Version=2016-11-15&InstanceId=i-1', 'UnknownParameter'],
  ['Action=DescribeInstances&Version=2016-11-15&InstanceId.x=i-1', 'UnknownParameter'],
  ['Action=DescribeInstances&Version=2016-11-15&DryRun=maybe', 'InvalidParameterValue'],
] as const) {
  test(`refuses "${form}" with ${code}`, () => {
    expect(() => new Ec2Codec().decode(post(form))).toThrow(expect.objectContaining({ code, status: 400 }));
  });
}
