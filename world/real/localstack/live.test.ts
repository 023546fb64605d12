import { DescribeInstancesCommand } from '@aws-sdk/client-ec2';
import { expect, test } from '@playwright/test';
import { createSqsClient } from '../../../clients/sqs.ts';
import { createRandom } from '../../../runtime/random.ts';
import { createRealTimeline } from '../../../runtime/timeline.ts';
import type { Caller } from '../../../wire/backend.ts';
import type { MachineSpec } from '../../aws/instance-store.ts';
import { CLUSTER } from '../../embedded.ts';
import { LocalStackEndpoint } from './endpoint.ts';
import { GAPS } from './gaps.ts';
import { createLocalStack } from './localstack.ts';
import { probeEndpoint } from './probes.ts';

const ENDPOINT = process.env.LOCALSTACK_ENDPOINT ?? '';

test.skip(ENDPOINT === '', 'LOCALSTACK_ENDPOINT does not name a LocalStack, such as http://127.0.0.1:4566');

const CALLER: Caller = { principal: 'target', incarnation: 1, span: 7 };
const SPEC: MachineSpec = {
  instanceType: 'm5.large',
  imageId: CLUSTER.imageIds.x86_64,
  subnetId: CLUSTER.subnets['us-east-1a'] ?? '',
  capacityType: 'spot',
  tags: { 'karpenter.sh/nodepool': 'default' },
  userData: 'hello',
};
/** Gaps that 4.14.0 does not have; it has all others. */
const RIGHT = ['run.dry-run'];

test('machines and messages are in LocalStack until the trial is over', async () => {
  const clock = createRealTimeline({}).scope('localstack');
  const failures: Error[] = [];
  const random = createRandom(1);
  const trial = createLocalStack({ endpoint: ENDPOINT, clock, random, cluster: CLUSTER, onFailure: (error) => failures.push(error) });
  await trial.start();
  const endpoint = new LocalStackEndpoint({ url: ENDPOINT, region: CLUSTER.region, clock });
  const ec2 = endpoint.ec2(trial.account);
  const listed = async (): Promise<(string | undefined)[][]> => {
    const { Reservations = [] } = await ec2.send(new DescribeInstancesCommand({}));
    return Reservations.flatMap(({ Instances = [] }) => Instances).map((one) => [
      one.InstanceId,
      one.PrivateIpAddress,
      one.InstanceLifecycle,
      one.State?.Name,
      one.Tags?.[0]?.Value,
    ]);
  };
  const first = await trial.store.launch(SPEC);
  expect(await listed()).toEqual([[first.id, first.privateIp, 'spot', 'running', 'default']]);
  await trial.store.terminate(first.id);
  expect(await listed()).toEqual([[first.id, first.privateIp, 'spot', 'terminated', 'default']]);

  const { backend, queue, queueUrl } = trial.queue;
  const receptions: Caller[] = [];
  queue.send('{"id":"1"}', { onReceived: (caller) => receptions.push(caller) });
  const client = createSqsClient({
    wire: (request) => backend.handle(request, backend.describe(request), CALLER),
    clock,
    random,
    region: CLUSTER.region,
  });
  expect(await client.queueUrl(CLUSTER.name)).toBe(queueUrl);
  const messages = await client.receive({ queueUrl, max: 10, waitSeconds: 20 });
  expect(messages.map(({ body }) => body)).toEqual(['{"id":"1"}']);
  expect(receptions).toEqual([CALLER]);
  await client.deleteBatch(
    queueUrl,
    messages.map(({ receiptHandle }) => receiptHandle),
  );

  const second = await trial.store.launch(SPEC);
  await trial.stop();
  expect(new Map((await listed()).map(([id, , , state]) => [id, state]))).toEqual(
    new Map([first, second].map(({ id }) => [id, 'terminated'])),
  );
  expect(failures).toEqual([]);
  endpoint.destroy();
  clock.kill();
});

test('the probes find the known gaps of 4.14.0', async () => {
  const clock = createRealTimeline({}).scope('probes');
  const { version, gaps } = await probeEndpoint({ endpoint: ENDPOINT, region: CLUSTER.region, clock, random: createRandom(1) });
  test.skip(version !== '4.14.0', `the known gaps are those of 4.14.0, but this is ${version}`);
  expect(gaps.map(({ gap, present }) => ({ gap, present }))).toEqual(
    GAPS.map(({ name }) => ({ gap: name, present: !RIGHT.includes(name) })),
  );
  clock.kill();
});
