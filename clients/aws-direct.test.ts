import * as ec2 from '@aws-sdk/client-ec2';
import * as sqs from '@aws-sdk/client-sqs';
import { NormalizedSchema } from '@smithy/core/schema';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import type { ClusterConfig } from '../model/cluster.ts';
import { ZONES, loadCatalogue } from '../model/instance-catalogue.ts';
import type { Operation } from '../model/operation.ts';
import { AwsCall } from '../protocols/aws-call/call.ts';
import { operationOf } from '../protocols/aws-call/operation-schema.ts';
import { Ec2Codec } from '../protocols/ec2/codec.ts';
import type { ClockScope } from '../runtime/clock.ts';
import { createRandom } from '../runtime/random.ts';
import { createRealTimeline, createVirtualTimeline } from '../runtime/timeline.ts';
import { serveWire } from '../wire/http-server.ts';
import { createHttpWire } from '../wire/http-wire.ts';
import { WireError, asText } from '../wire/wire.ts';
import type { Wire, WireRequest, WireResponse } from '../wire/wire.ts';
import { createEc2 } from '../world/aws/ec2.ts';
import { AwsServices } from '../world/aws/services.ts';
import { SqsBackend } from '../world/aws/sqs/backend.ts';
import { SqsProtocol } from '../world/aws/sqs/protocol.ts';
import { Queues } from '../world/aws/sqs/queues.ts';
import type { SdkOptions } from './aws-sdk.ts';
import type { Ec2Client } from './ec2-client.ts';
import { createDirectEc2, createSdkClient, warmUp } from './ec2-sdk.ts';
import type { Ec2Sender } from './ec2-sdk.ts';
import { createEc2Client, ec2ClientBy } from './ec2.ts';
import type { SqsClient } from './sqs-client.ts';
import { createDirectSqs, createSqsSdkClient, sqsClientBy } from './sqs.ts';
import type { SqsSender } from './sqs.ts';

const REGION = 'us-east-1';

/** Runs a body in virtual time, with a clock for the client and one for the world. */
async function inVirtualTime(body: (client: ClockScope, world: ClockScope) => Promise<void>): Promise<void> {
  await warmUp();
  const timeline = createVirtualTimeline({ startMs: Date.parse('2026-01-01T00:00:00Z'), random: createRandom(1).fork('timers') });
  await timeline.run(body(timeline.scope('target'), timeline.scope('world')));
}

/** What a wire got. */
interface Sent {
  readonly request: WireRequest;
  readonly operation: Operation;
  readonly body: string;
}

/** Sends a command's input by the SDK's client and directly. */
type SendBoth = (input: object) => Promise<{ readonly sdk: Sent; readonly direct: Sent }>;

async function withBoth(service: 'ec2' | 'sqs', action: string, body: (send: SendBoth) => Promise<void>): Promise<void> {
  await inVirtualTime(async (clock, world) => {
    const codec = service === 'ec2' ? new Ec2Codec() : new SqsProtocol({ clock: world, random: createRandom(1) });
    let seen: Sent | undefined;
    const wire: Wire = (request) => {
      seen = { request, operation: codec.describe(request), body: asText(request.body ?? '') };
      return Promise.reject(new WireError('ECONNRESET', 'that is enough'));
    };
    const options: SdkOptions = { wire, clock, region: REGION, timeoutMs: 1_000 };
    const clients = service === 'ec2' ? ec2Senders(options) : sqsSenders(options);
    const commands = (service === 'ec2' ? ec2 : sqs) as unknown as Readonly<Record<string, new (input: object) => object>>;
    const Command = commands[`${action}Command`] ?? missing();
    const sendBy = async (client: object, input: object): Promise<Sent> => {
      seen = undefined;
      const { send } = client as { send(command: object): Promise<unknown> };
      await expect(clock.call(action, () => send.call(client, new Command(input)))).rejects.toThrow('that is enough');
      return seen ?? missing();
    };
    await body(async (input) => ({ sdk: await sendBy(clients.sdk, input), direct: await sendBy(clients.direct, input) }));
  });
}

interface Senders<Sender> {
  readonly sdk: Sender;
  readonly direct: Sender;
}

function ec2Senders(options: SdkOptions): Senders<Ec2Sender> {
  const sdk = createSdkClient(options);
  return { sdk, direct: createDirectEc2(options, sdk) };
}

function sqsSenders(options: SdkOptions): Senders<SqsSender> {
  const sdk = createSqsSdkClient(options);
  return { sdk, direct: createDirectSqs(options, sdk) };
}

function missing(): never {
  throw new Error('it is missing');
}

/** Structures that are deeper than this stay empty. */
const MAX_DEPTH = 5;

/** Inputs of the SDK's type for a schema: any members, also empty ones and some that are undefined. */
function inputsOf(schema: NormalizedSchema, depth = 0): fc.Arbitrary<unknown> {
  if (schema.isStructSchema()) {
    if (depth > MAX_DEPTH) return fc.constant({});
    const members = [...schema.structIterator()];
    const tokens = members.filter(([, member]) => member.isIdempotencyToken()).map(([name]) => name);
    const some = members.map(([name, member]) => {
      const one = inputsOf(member, depth + 1);
      return [name, tokens.includes(name) ? one : fc.option(one, { nil: undefined })] as const;
    });
    return fc.record(Object.fromEntries(some), { requiredKeys: tokens, noNullPrototype: true });
  }
  if (schema.isListSchema()) return fc.array(inputsOf(schema.getValueSchema(), depth + 1), { maxLength: 3 });
  if (schema.isMapSchema()) return fc.dictionary(fc.string({ maxLength: 3 }), inputsOf(schema.getValueSchema(), depth + 1), { maxKeys: 2 });
  if (schema.isBlobSchema()) return fc.uint8Array({ maxLength: 5 });
  if (schema.isBooleanSchema()) return fc.boolean();
  if (schema.isNumericSchema()) return fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
  if (schema.isTimestampSchema()) return fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') });
  return fc.oneof(fc.constantFrom('', 'm5.large', ' a&b=c+d%20;\r\n', 'ä€😀', '1.5'), fc.string({ unit: 'grapheme', maxLength: 6 }));
}

const EC2_ACTIONS = [
  'CreateFleet',
  'CreateLaunchTemplate',
  'CreateTags',
  'DeleteLaunchTemplate',
  'DescribeInstanceTypeOfferings',
  'DescribeInstanceTypes',
  'DescribeInstances',
  'DescribeLaunchTemplates',
  'DescribeSpotPriceHistory',
  'TerminateInstances',
];
const SQS_ACTIONS = ['DeleteMessageBatch', 'GetQueueUrl', 'ReceiveMessage'];
const ACTIONS = [...EC2_ACTIONS.map((action) => ['ec2', action] as const), ...SQS_ACTIONS.map((action) => ['sqs', action] as const)];

for (const [service, action] of ACTIONS) {
  test(`${service}:${action}: a direct request says what the SDK's says`, async () => {
    const { input: schema } = operationOf(service === 'ec2' ? ec2 : sqs, action) ?? missing();
    await withBoth(service, action, async (send) => {
      let decoded = 0;
      await fc.assert(
        fc.asyncProperty(inputsOf(NormalizedSchema.of(schema)), async (input) => {
          const { sdk, direct } = await send(input as object);
          expect(direct.operation).toEqual(sdk.operation);
          expect(JSON.stringify(direct.operation)).toBe(JSON.stringify(sdk.operation));
          expect(direct.body).toBe(sdk.body);
          expect(sdk.request).toMatchObject({ method: direct.request.method, path: direct.request.path, headers: direct.request.headers });
          if (direct.request.decoded !== undefined) decoded += 1;
        }),
        { numRuns: 50, seed: 1 },
      );
      expect(decoded).toBeGreaterThan(25);
    });
  });
}

test('what a form would refuse is sent as a form', async () => {
  await withBoth('ec2', 'DescribeInstances', async (send) => {
    for (const input of [{ MaxResults: Number.NaN }, { DryRun: 'perhaps' }, { InstanceIds: [{}] }, { Filters: 'all' }]) {
      const { sdk, direct } = await send(input);
      expect(direct.request.decoded).toBeUndefined();
      expect(direct.body).toBe(sdk.body);
      expect(direct.operation).toEqual(sdk.operation);
    }
    const ended = { InstanceIds: ['\ud800'] };
    await expect(send(ended)).rejects.toThrow();
  });
});

test('an absent client token is drawn by the SDK, and only in the form', async () => {
  await withBoth('ec2', 'CreateFleet', async (send) => {
    const { direct } = await send({ Type: 'instant' });
    expect(direct.request.decoded).toBeUndefined();
    expect(direct.operation.input).toMatchObject({ ClientToken: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });
});

test('a request keeps nothing of the input that it was made of', async () => {
  await withBoth('ec2', 'DescribeInstances', async (send) => {
    const input = { Filters: [{ Name: 'a', Values: ['1'] }], InstanceIds: ['i-1'] };
    const { direct } = await send(input);
    input.Filters[0]?.Values.push('2');
    input.InstanceIds.push('i-2');
    expect(direct.operation.input).toEqual({ Filters: [{ Name: 'a', Values: ['1'] }], InstanceIds: ['i-1'] });
  });
});

interface Clients {
  readonly ec2: Ec2Client;
  readonly sqs: SqsClient;
  readonly clock: ClockScope;
}

/** What the same calls give by either kind of client, each on a wire of its own. */
async function byBoth(wireOn: (world: ClockScope) => Wire, calls: (clients: Clients) => Promise<unknown>): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const kind of ['sdk', 'direct'] as const) {
    await inVirtualTime(async (clock, world) => {
      const wire = wireOn(world);
      const sent: string[] = [];
      const noting: Wire = (request) => {
        sent.push(`${clock.nowMs()} ${asText(request.body ?? '')}`);
        return wire(request);
      };
      const options = { wire: noting, clock, region: REGION, timeoutMs: 5_000 };
      const ec2 = ec2ClientBy(ec2Senders(options)[kind], { clock, random: createRandom('ec2') });
      const sqs = sqsClientBy(sqsSenders(options)[kind], { clock, random: createRandom('sqs') });
      const result = await calls({ ec2, sqs, clock });
      results.push({ result, sent, endMs: clock.nowMs() });
      ec2.destroy();
      sqs.destroy();
    });
  }
  return results;
}

/** What a call gives: its result, or how it fails. */
async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return { result: await call };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { name, message, code, status } = error as Error & { code?: string; status?: number };
    return { name, message, code, status };
  }
}

function xml(content: string, status = 200, headers: Readonly<Record<string, string>> = {}): WireResponse {
  return { status, headers: { 'content-type': 'text/xml;charset=UTF-8', ...headers }, body: content };
}

function ec2Error(code: string): string {
  return `<?xml version="1.0"?><Response><Errors><Error><Code>${code}</Code><Message>no &amp; never</Message></Error></Errors><RequestID>r</RequestID></Response>`;
}

const INSTANCES = `<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><reservationSet><item><instancesSet><item><instanceId>i-1</instanceId><launchTime>2026-01-02T03:04:05.678Z</launchTime></item></instancesSet></item></reservationSet></DescribeInstancesResponse>`;

const EC2_ANSWERS: Readonly<Record<string, () => WireResponse | Promise<WireResponse>>> = {
  instances: () => xml(INSTANCES),
  'a client error': () => xml(ec2Error('InvalidParameterValue'), 400),
  throttling: () => xml(ec2Error('RequestLimitExceeded'), 503),
  'throttling with a time': () => xml(ec2Error('RequestLimitExceeded'), 503, { 'retry-after': '3' }),
  'throttling with milliseconds': () => xml(ec2Error('Throttling'), 400, { 'x-amz-retry-after': '1500' }),
  'an internal error': () => xml(ec2Error('InternalError'), 500),
  'an error without a code': () => xml('<Response/>', 400),
  'nothing at 404': () => xml('', 404),
  'a redirection': () => xml('', 307),
  'a page of a proxy': () => ({ status: 502, headers: {}, body: '<html><body>Bad gateway' }),
  'an unreadable success': () => xml('fine'),
  'no body': () => xml(''),
  'a body in pieces': () => ({ status: 200, headers: {}, body: piecesOf(INSTANCES) }),
  'a body that breaks': () => ({ status: 200, headers: {}, body: piecesOf(INSTANCES, new WireError('ECONNRESET', 'broken')) }),
  'a broken connection': () => Promise.reject(new WireError('ECONNRESET', 'broken')),
  'a bug': () => Promise.reject(new TypeError('a bug')),
  'no answer': () => new Promise(() => undefined),
};

async function* piecesOf(text: string, end?: Error): AsyncIterable<string> {
  yield await Promise.resolve(text.slice(0, 50));
  yield text.slice(50);
  if (end !== undefined) throw end;
}

for (const [name, answer] of Object.entries(EC2_ANSWERS)) {
  test(`EC2 answers ${name}: both kinds of client give the same, after the same attempts`, async () => {
    const wireOn = (world: ClockScope): Wire => {
      return async () => {
        await world.sleep(10);
        return answer();
      };
    };
    const [sdk, direct] = await byBoth(wireOn, ({ ec2 }) => outcomeOf(ec2.describeInstances({ InstanceIds: ['i-1'] })));
    expect(direct).toEqual(sdk);
  });
}

function json(body: object | string, status = 200, headers: Readonly<Record<string, string>> = {}): WireResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers: { 'content-type': 'application/x-amz-json-1.0', ...headers }, body: text };
}

const MESSAGE = { MessageId: 'm-1', ReceiptHandle: 'r-1', Body: 'hello', MD5OfBody: '5d41402abc4b2a76b9719d911017c592' };
const SQS_ANSWERS: Readonly<Record<string, () => WireResponse>> = {
  nothing: () => json({}),
  'a message': () => json({ Messages: [{ ...MESSAGE, Attributes: { ApproximateReceiveCount: '2' } }] }),
  'a damaged message': () => json({ Messages: [{ ...MESSAGE, Body: 'hullo' }] }),
  'a refusal': () =>
    json({ __type: 'com.amazonaws.sqs#QueueDoesNotExist', message: 'none' }, 400, {
      'x-amzn-query-error': 'AWS.SimpleQueueService.NonExistentQueue;Sender',
    }),
  throttling: () => json({ __type: 'com.amazonaws.sqs#RequestThrottled', message: 'slow' }, 403, { 'retry-after': '2' }),
  'an unknown error': () => json({ __type: 'com.amazon.coral.service#AccessDeniedException' }, 403),
  'a page of a proxy': () => json('<html>', 502),
  'an unreadable success': () => json('fine'),
};

for (const [name, answer] of Object.entries(SQS_ANSWERS)) {
  test(`SQS answers ${name}: both kinds of client give the same, after the same attempts`, async () => {
    const wireOn = (world: ClockScope): Wire => {
      return async () => {
        await world.sleep(10);
        return answer();
      };
    };
    const request = { queueUrl: 'https://sqs.us-east-1.amazonaws.com/123456789012/workers', max: 10, waitSeconds: 1 };
    const [sdk, direct] = await byBoth(wireOn, ({ sqs }) => outcomeOf(sqs.receive(request)));
    expect(direct).toEqual(sdk);
  });
}

const CLUSTER: ClusterConfig = {
  name: 'test',
  region: REGION,
  subnets: Object.fromEntries(ZONES.map((zone, index) => [zone, `subnet-${index}`])),
  securityGroupId: 'sg-1',
  imageIds: { x86_64: 'ami-x86', arm64: 'ami-arm' },
};
const CATALOGUE = loadCatalogue();

/** EC2 and SQS of the embedded world. @param onRequest told whether a request and its answer were decoded */
function worldOn(clock: ClockScope, onRequest: (decoded: readonly [boolean, boolean]) => void): { wire: Wire; queues: Queues } {
  const random = createRandom('world');
  const queues = new Queues({ region: REGION, clock, random: random.fork('queues') });
  queues.create('workers');
  const backend = new AwsServices({
    ec2: createEc2({
      clock,
      random: random.fork('ec2'),
      catalogue: CATALOGUE,
      cluster: CLUSTER,
      recorder: { record: () => 0 },
      readLag: { probability: 0, maxMs: 0 },
    }).backend,
    sqs: new SqsBackend({ queues, clock, random: random.fork('sqs') }),
  });
  const wire: Wire = async (request) => {
    await clock.sleep(20);
    const answer = await backend.handle(request, backend.describe(request), { principal: 'target', incarnation: 1, span: 0 });
    if (answer.status === 200) onRequest([request.decoded instanceof AwsCall, answer.decoded !== undefined]);
    return answer;
  };
  return { wire, queues };
}

test('a world gives both kinds of client the same, and one of them reads and writes nothing', async () => {
  const decoded: (readonly [boolean, boolean])[] = [];
  let queues: Queues | undefined;
  const wireOn = (clock: ClockScope): Wire => {
    const world = worldOn(clock, (one) => decoded.push(one));
    ({ queues } = world);
    return world.wire;
  };
  const calls = async ({ ec2, sqs, clock }: Clients): Promise<unknown> => {
    const results: unknown[] = [];
    const note = async (call: Promise<unknown>): Promise<void> => void results.push(await outcomeOf(call));
    const data = { ImageId: CLUSTER.imageIds.x86_64, SecurityGroupIds: [CLUSTER.securityGroupId], UserData: btoa('hello') };
    await note(ec2.createLaunchTemplate({ LaunchTemplateName: 'workers', LaunchTemplateData: data }));
    await note(ec2.createLaunchTemplate({ LaunchTemplateName: 'workers', LaunchTemplateData: data }));
    await note(ec2.describeLaunchTemplates({ LaunchTemplateNames: ['workers'] }));
    const fleet = ec2.createFleet({
      Type: 'instant',
      ClientToken: 'token-1',
      LaunchTemplateConfigs: [
        {
          LaunchTemplateSpecification: { LaunchTemplateName: 'workers', Version: '$Latest' },
          Overrides: ZONES.map((zone) => ({ InstanceType: 'm5.large' as const, SubnetId: CLUSTER.subnets[zone] ?? '' })),
        },
      ],
      TargetCapacitySpecification: { TotalTargetCapacity: 2, DefaultTargetCapacityType: 'on-demand' as const },
    });
    await note(fleet.then(({ $metadata: _metadata, ...rest }) => rest));
    const ids = (await fleet).Instances?.flatMap(({ InstanceIds = [] }) => InstanceIds) ?? [];
    await note(ec2.createTags({ Resources: ids, Tags: [{ Key: 'team', Value: 'a & b' }] }));
    await clock.sleep(60_000);
    await note(ec2.describeInstances({ Filters: [{ Name: 'tag:team', Values: ['a & b'] }] }));
    await note(ec2.describeInstances({ InstanceIds: ['i-0123456789abcdef0'] }));
    await note(ec2.describeInstanceTypes({ Filters: [{ Name: 'instance-type', Values: ['m5.*'] }] }));
    await note(ec2.describeInstanceTypes({ MaxResults: 100 }));
    await note(ec2.describeInstanceTypes({ MaxResults: Number.NaN }));
    await note(ec2.describeInstanceTypeOfferings({ LocationType: 'availability-zone' }));
    await note(ec2.describeSpotPriceHistory({ InstanceTypes: ['m5.large'], StartTime: new Date(clock.nowMs()) }));
    await note(ec2.terminateInstances(ids));
    await note(ec2.deleteLaunchTemplate('workers'));
    await note(ec2.deleteLaunchTemplate('workers'));

    await note(sqs.queueUrl('none'));
    const queueUrl = await sqs.queueUrl('workers');
    queues?.byName('workers').send('first');
    const [message] = await sqs.receive({ queueUrl, max: 10, waitSeconds: 20, visibilitySeconds: 5 });
    results.push(message);
    await note(sqs.receive({ queueUrl, max: 1, waitSeconds: 1 }));
    await note(sqs.receive({ queueUrl, max: 11, waitSeconds: 1 }));
    await note(sqs.deleteBatch(queueUrl, [message?.receiptHandle ?? '', 'none']));
    return results;
  };
  const [sdk, direct] = await byBoth(wireOn, calls);
  expect(direct).toEqual(sdk);
  const half = decoded.length / 2;
  expect(decoded.slice(0, half).some(([request]) => request)).toBe(false);
  // CreateTags answers only `true`.
  expect(decoded.slice(half).filter(([request, answer]) => !request || !answer)).toEqual([[true, false]]);
});

test('a program on a socket gets the body, and its written answer is read', async () => {
  const bodies: string[] = [];
  const answer: Wire = ({ body = '' }) => {
    bodies.push(asText(body));
    return Promise.resolve(xml(INSTANCES));
  };
  const server = await serveWire({ wire: answer, log: () => undefined });
  const http = createHttpWire({ baseUrl: server.url });
  const clock = createRealTimeline().scope('client');
  const client = createEc2Client({ wire: http.wire, clock, random: createRandom(1), region: REGION });
  try {
    expect(await client.describeInstances({ InstanceIds: ['i-1'] })).toMatchObject([{ InstanceId: 'i-1' }]);
    expect(bodies).toEqual(['Action=DescribeInstances&Version=2016-11-15&InstanceId.1=i-1']);
  } finally {
    client.destroy();
    http.destroy();
    await server.close();
  }
});
