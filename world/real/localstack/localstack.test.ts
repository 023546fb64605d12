import { expect, test } from '@playwright/test';
import { createSqsClient } from '../../../clients/sqs.ts';
import { createRandom } from '../../../runtime/random.ts';
import { createRealTimeline } from '../../../runtime/timeline.ts';
import type { Answer, Caller } from '../../../wire/backend.ts';
import { WireError } from '../../../wire/wire.ts';
import type { Wire, WireRequest } from '../../../wire/wire.ts';
import type { MachineSpec } from '../../aws/instance-store.ts';
import { CLUSTER } from '../../embedded.ts';
import { createLocalStack } from './localstack.ts';
import type { LocalStack } from './localstack.ts';
import { FakeLocalStack, URL_OF_FAKE } from './testing/localstack.ts';
import { probeEndpoint } from './probes.ts';

const CALLER: Caller = { principal: 'target', incarnation: 1, span: 7 };
const ZONE = 'us-east-1a';
const SPEC: MachineSpec = {
  instanceType: 'm5.large',
  imageId: CLUSTER.imageIds.x86_64,
  subnetId: CLUSTER.subnets[ZONE] ?? '',
  capacityType: 'spot',
  tags: { 'karpenter.sh/nodepool': 'default', 'aws:ec2:fleet-id': 'fleet-1' },
  userData: 'hello',
};

/** Runs `body` against a trial's part of a LocalStack, started. */
async function withLocalStack(
  body: (parts: { localStack: LocalStack; fake: FakeLocalStack; failures: Error[] }) => Promise<void>,
): Promise<void> {
  const fake = new FakeLocalStack();
  const failures: Error[] = [];
  const clock = createRealTimeline({}).scope('localstack');
  const localStack = createLocalStack({
    endpoint: URL_OF_FAKE,
    wire: fake.wire,
    clock,
    random: createRandom(1),
    cluster: CLUSTER,
    onFailure: (error) => failures.push(error),
  });
  await localStack.start();
  await body({ localStack, fake, failures });
  clock.kill();
}

test('a trial has its own account, with a network in its zones and a queue, and leaves nothing', async () => {
  await withLocalStack(async ({ localStack, fake }) => {
    expect(localStack.account).toMatch(/^\d{12}$/);
    expect(fake.actions()).toEqual(['ListQueues', 'CreateQueue', 'CreateVpc', ...Object.keys(CLUSTER.subnets).map(() => 'CreateSubnet')]);
    expect(new Set(fake.seen.map(({ account }) => account))).toEqual(new Set([localStack.account]));
    await localStack.store.launch(SPEC);
    fake.seen.length = 0;
    await localStack.stop();
    expect(fake.actions()).toEqual([
      'TerminateInstances',
      ...Object.keys(CLUSTER.subnets).map(() => 'DeleteSubnet'),
      'DeleteVpc',
      'DeleteQueue',
    ]);
  });
});

test('a machine is one instance, launched as specified, except for tags that only AWS may set', async () => {
  await withLocalStack(async ({ localStack, fake }) => {
    const machine = await localStack.store.launch(SPEC);
    const input = fake.seen.at(-1)?.input ?? {};
    expect(machine).toEqual({ id: 'i-1', privateIp: '10.0.0.4' });
    expect(input).toEqual({
      MinCount: '1',
      MaxCount: '1',
      InstanceType: SPEC.instanceType,
      ImageId: SPEC.imageId,
      'NetworkInterface.1.DeviceIndex': '0',
      'NetworkInterface.1.SubnetId': `subnet-of-${ZONE}`,
      'NetworkInterface.1.PrivateIpAddress': '10.0.0.4',
      'NetworkInterface.1.DeleteOnTermination': 'true',
      UserData: 'aGVsbG8=',
      'InstanceMarketOptions.MarketType': 'spot',
      'TagSpecification.1.ResourceType': 'instance',
      'TagSpecification.1.Tag.1.Key': 'karpenter.sh/nodepool',
      'TagSpecification.1.Tag.1.Value': 'default',
      ClientToken: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown as string,
    });
  });
});

test("a terminated machine's address is free again, and addresses held by others are not used", async () => {
  await withLocalStack(async ({ localStack: { store }, fake }) => {
    const free = store.freeAddresses(SPEC.subnetId);
    const { id } = await store.launch(SPEC);
    expect(store.freeAddresses(SPEC.subnetId)).toBe(free - 1);
    await store.terminate(id);
    expect(fake.seen.at(-1)).toMatchObject({ action: 'TerminateInstances', input: { 'InstanceId.1': id } });
    const release = store.holdAddresses(SPEC.subnetId, free);
    await expect(store.launch(SPEC)).rejects.toMatchObject({ code: 'InsufficientFreeAddressesInSubnet' });
    release();
    expect(store.freeAddresses(SPEC.subnetId)).toBe(free);
  });
});

test("LocalStack's refusals count as EC2's; any other answer is a failure of the world", async () => {
  await withLocalStack(async ({ localStack: { store }, fake, failures }) => {
    const { id } = await store.launch(SPEC);
    fake.refusals.set('RunInstances', { status: 400, code: 'InvalidSubnetID.NotFound' });
    await expect(store.launch(SPEC)).rejects.toMatchObject({ name: 'Ec2Refusal', code: 'InvalidSubnetID.NotFound', status: 400 });
    fake.refusals.set('RunInstances', { status: 500, code: 'InternalError' });
    await expect(store.launch(SPEC)).rejects.toThrow('LocalStack: an instance could not be launched');
    fake.refusals.set('TerminateInstances', { status: 500, code: 'InternalError' });
    await store.terminate(id);
    expect(failures.map(String)).toEqual([expect.stringContaining(`instance ${id} could not be terminated`)]);
  });
});

test('a message goes through LocalStack: its reception is reported, and its deletion names it', async () => {
  await withLocalStack(async ({ localStack, fake }) => {
    const { backend, queue, queueUrl } = localStack.queue;
    const answers: Answer[] = [];
    const wire = async (request: WireRequest): Promise<Answer> => {
      const answer = await backend.handle(request, backend.describe(request), CALLER);
      answers.push(answer);
      return answer;
    };
    const clock = createRealTimeline({}).scope('target');
    const client = createSqsClient({ wire, clock, random: createRandom(1), region: CLUSTER.region, maxAttempts: 1 });
    const receptions: Caller[] = [];
    queue.send('{"id":"1"}', { onReceived: (caller) => receptions.push(caller) });
    await expect.poll(() => fake.messages.length).toBe(1);

    expect(await client.queueUrl(CLUSTER.name)).toBe(queueUrl);
    const [message] = await client.receive({ queueUrl, max: 10, waitSeconds: 0 });
    expect(message).toMatchObject({ id: 'message-1', body: '{"id":"1"}' });
    expect(receptions).toEqual([CALLER]);
    const handle = message?.receiptHandle ?? '';
    await expect(client.deleteBatch(queueUrl, [handle, 'another'])).rejects.toThrow('InternalError');
    expect(answers.map(({ effect }) => effect)).toEqual([{ kind: 'none' }, { kind: 'none' }, { kind: 'applied', ids: ['message-1'] }]);
    expect(new Set(fake.seen.map(({ account }) => account))).toEqual(new Set([localStack.account]));

    fake.refusals.set('ReceiveMessage', { status: 400, code: 'QueueDoesNotExist' });
    await expect(client.receive({ queueUrl, max: 1, waitSeconds: 0 })).rejects.toMatchObject({ code: 'QueueDoesNotExist' });
    fake.refusals.set('DeleteMessageBatch', { status: 503, code: 'ServiceUnavailable' });
    await expect(client.deleteBatch(queueUrl, [handle])).rejects.toMatchObject({ status: 503 });
    expect(answers.slice(-2).map(({ effect }) => effect)).toEqual([{ kind: 'none' }, { kind: 'unobservable' }]);
    clock.kill();
  });
});

const UNUSABLE: readonly { readonly what: string; readonly wire: Wire; readonly says: RegExp }[] = [
  {
    what: 'nothing answers',
    wire: () => Promise.reject(new WireError('ECONNREFUSED', 'connect ECONNREFUSED')),
    says: /nothing answers at http:\/\/localstack\.test:4566 .*start LocalStack/,
  },
  {
    what: 'something else answers',
    wire: () => Promise.resolve({ status: 200, headers: {}, body: '<html>' }),
    says: /is not a LocalStack: GET \/_localstack\/health answered 200/,
  },
  {
    what: 'it serves no SQS',
    wire: () => Promise.resolve({ status: 200, headers: {}, body: '{"version":"4.14.0","services":{"ec2":"running","sqs":"disabled"}}' }),
    says: /does not serve sqs: start it with SERVICES=ec2,sqs/,
  },
];

for (const { what, wire, says } of UNUSABLE) {
  test(`an endpoint where ${what} is refused with what to do`, async () => {
    const clock = createRealTimeline({}).scope('localstack');
    const site = { endpoint: URL_OF_FAKE, wire, clock, random: createRandom(1), cluster: CLUSTER };
    await expect(createLocalStack({ ...site, onFailure: () => undefined }).start()).rejects.toThrow(says);
    await expect(probeEndpoint({ ...site, region: CLUSTER.region })).rejects.toThrow(says);
    clock.kill();
  });
}

test('probes report their evidence, and why they were inconclusive', async () => {
  const fake = new FakeLocalStack();
  const clock = createRealTimeline({}).scope('probes');
  fake.refusals.set('RunInstances', { status: 400, code: 'InvalidParameterValue' });
  const { version, gaps } = await probeEndpoint({
    endpoint: URL_OF_FAKE,
    wire: fake.wire,
    clock,
    random: createRandom(1),
    region: CLUSTER.region,
    gaps: [
      { name: 'one', ec2: '', probe: () => Promise.resolve({ present: true, evidence: 'seen' }) },
      { name: 'two', ec2: '', probe: async (bench) => ({ present: false, evidence: `${(await bench.run()).length}` }) },
    ],
  });
  expect(version).toBe('4.14.0');
  expect(gaps).toEqual([
    { gap: 'one', present: true, evidence: 'seen' },
    { gap: 'two', present: undefined, evidence: 'the probe failed: no' },
  ]);
  clock.kill();
});
