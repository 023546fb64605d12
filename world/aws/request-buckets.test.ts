import {
  CreateTagsCommand,
  DescribeInstancesCommand,
  DescribeLaunchTemplatesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { expect, test } from '@playwright/test';
import { Ec2Refusal } from '../../protocols/ec2/refusal.ts';
import { createRandom } from '../../runtime/random.ts';
import { createVirtualTimeline } from '../../runtime/timeline.ts';
import { fleet, idsOf, makeTemplate, refusal, withEc2 } from './testing/ec2.ts';
import { RequestBuckets } from './request-buckets.ts';

type Input = Readonly<Record<string, unknown>>;

const FILTERED = { Filters: [{ Name: 'instance-state-name', Values: ['running'] }] };
const ids = (count: number): Input => ({ InstanceIds: Array.from({ length: count }, (_, at) => `i-${at}`) });

/** Requests that pass at once, and how many more do one second later. */
const CASES: readonly { readonly action: string; readonly input?: Input; readonly capacity: number; readonly refill: number }[] = [
  { action: 'RunInstances', input: { MaxCount: 1 }, capacity: 5, refill: 2 },
  { action: 'RunInstances', input: { MaxCount: 400 }, capacity: 2, refill: 0 },
  { action: 'TerminateInstances', input: ids(1), capacity: 100, refill: 5 },
  { action: 'TerminateInstances', input: ids(250), capacity: 4, refill: 0 },
  { action: 'CreateFleet', capacity: 50, refill: 5 },
  { action: 'CreateLaunchTemplate', capacity: 50, refill: 5 },
  { action: 'CreateTags', capacity: 100, refill: 10 },
  { action: 'CreateLaunchTemplateVersion', capacity: 100, refill: 5 },
  { action: 'DescribeInstances', input: FILTERED, capacity: 100, refill: 20 },
  { action: 'DescribeInstances', input: { MaxResults: 100 }, capacity: 100, refill: 20 },
  { action: 'DescribeInstances', capacity: 50, refill: 10 },
  { action: 'DescribeInstances', input: ids(1), capacity: 50, refill: 10 },
  { action: 'DescribeInstanceTypes', capacity: 100, refill: 20 },
  { action: 'DescribeSubnets', capacity: 100, refill: 20 },
];

/** Takes tokens until the bucket is empty. */
function drain(buckets: RequestBuckets, action: string, input: Input): number {
  for (let taken = 0; ; taken += 1) {
    try {
      buckets.take(action, input, taken);
    } catch (error) {
      expect(error).toBeInstanceOf(Ec2Refusal);
      expect(error).toMatchObject({ code: 'RequestLimitExceeded', status: 503 });
      return taken;
    }
  }
}

async function withBuckets(body: (buckets: RequestBuckets, sleep: (ms: number) => Promise<void>) => Promise<void>): Promise<void> {
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(1) });
  const clock = timeline.scope('test');
  await timeline.run(
    body(new RequestBuckets(clock, { service: 'ec2', fleetsTakeResources: false, unlimited: false }), (ms) => clock.sleep(ms)),
  );
}

for (const { action, input = {}, capacity, refill } of CASES) {
  test(`${action} ${JSON.stringify(input).slice(0, 40)}: ${capacity} at once, ${refill} more a second later`, async () => {
    await withBuckets(async (buckets, sleep) => {
      expect(drain(buckets, action, input)).toBe(capacity);
      expect(drain(buckets, action, input)).toBe(0);
      await sleep(1_000);
      expect(drain(buckets, action, input)).toBe(refill);
      await sleep(3_600_000);
      expect(drain(buckets, action, input)).toBe(capacity);
    });
  });
}

test('each operation has its own buckets, as do lists with and without a filter', async () => {
  await withBuckets(async (buckets) => {
    drain(buckets, 'DescribeInstances', {});
    buckets.take('DescribeInstances', FILTERED, 0);
    buckets.take('DescribeVolumes', {}, 0);
    await Promise.resolve();
  });
});

test('an option decides whether fleets use resource tokens', async () => {
  const target = (count: number): { more: { TargetCapacitySpecification: { TotalTargetCapacity: number } } } => ({
    more: { TargetCapacitySpecification: { TotalTargetCapacity: count } },
  });
  for (const [fleetsTakeResources, expected] of [
    [false, 'none'],
    [true, '503 RequestLimitExceeded'],
  ] as const) {
    await withEc2(
      async (bench) => {
        await makeTemplate(bench);
        await bench.send(fleet(target(600)));
        expect(await refusal(bench.send(fleet(target(600))))).toBe(expected);
      },
      { fleetsTakeResources },
    );
  }
});

test('a shrunk bucket refuses what the documented one would allow, until it is healed', async () => {
  await withEc2(async (bench) => {
    const fired: number[] = [];
    const describe = (): Promise<string> => refusal(bench.send(new DescribeInstancesCommand(FILTERED)));
    const heal = bench.ports.throttle.limit({
      operations: ['ec2:DescribeInstances'],
      capacity: 2,
      refillPerSecond: 0.5,
      fired: (span) => fired.push(span),
    });
    expect([await describe(), await describe(), await describe()]).toEqual(['none', 'none', '503 RequestLimitExceeded']);
    expect(fired).toEqual([2]);
    expect(await refusal(bench.send(new DescribeLaunchTemplatesCommand({})))).toBe('none');
    await bench.clock.sleep(2_000);
    expect([await describe(), await describe()]).toEqual(['none', '503 RequestLimitExceeded']);
    await heal();
    expect(await describe()).toBe('none');
  });
});

test('a bucket emptied by others lets nothing pass until it is refilled', async () => {
  await withEc2(async (bench) => {
    const describe = (): Promise<string> => refusal(bench.send(new DescribeInstancesCommand(FILTERED)));
    const size = { capacity: 2, refillPerSecond: 0.5, tokens: 0 };
    bench.ports.throttle.limit({ operations: ['ec2:DescribeInstances'], ...size, fired: () => undefined });
    expect(await describe()).toBe('503 RequestLimitExceeded');
    await bench.clock.sleep(10_000);
    expect([await describe(), await describe(), await describe()]).toEqual(['none', 'none', '503 RequestLimitExceeded']);
  });
});

test('throttled requests change nothing, and dry runs take tokens too', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    const [id = ''] = idsOf(await bench.send(fleet()));
    bench.ports.throttle.limit({ operations: ['*'], capacity: 1, refillPerSecond: 0, fired: () => undefined });
    const dry = new TerminateInstancesCommand({ InstanceIds: [id], DryRun: true });
    expect(await refusal(bench.send(dry))).toBe('412 DryRunOperation');
    expect(await refusal(bench.send(new TerminateInstancesCommand({ InstanceIds: [id] })))).toBe('503 RequestLimitExceeded');
    expect(bench.effect()).toEqual({ kind: 'rejected', code: 'RequestLimitExceeded' });
    expect(bench.ports.instances.get(id)?.state).toBe('pending');
    const tags = { Resources: [id], Tags: [{ Key: 'a', Value: '1' }] };
    expect(await refusal(bench.send(new CreateTagsCommand(tags)))).toBe('none');
  });
});
