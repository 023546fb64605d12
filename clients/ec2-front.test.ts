import { expect, test } from '@playwright/test';
import type { ClusterConfig } from '../model/cluster.ts';
import { ZONES, loadCatalogue } from '../model/instance-catalogue.ts';
import type { Clock } from '../runtime/clock.ts';
import { createRandom } from '../runtime/random.ts';
import { createVirtualTimeline } from '../runtime/timeline.ts';
import type { Wire } from '../wire/wire.ts';
import { createEc2 } from '../world/aws/ec2.ts';
import type { Ec2 } from '../world/aws/ec2.ts';
import type { Ec2Client } from './ec2-client.ts';
import { createEc2Client } from './ec2.ts';

const CLUSTER: ClusterConfig = {
  name: 'test',
  region: 'us-east-1',
  subnets: Object.fromEntries(ZONES.map((zone, index) => [zone, `subnet-${index}`])),
  securityGroupId: 'sg-1',
  imageIds: { x86_64: 'ami-x86', arm64: 'ami-arm' },
};

/** Runs a body with the SDK on the embedded world's EC2, in process and in virtual time. */
async function withEc2(body: (site: { client: Ec2Client; ec2: Ec2; clock: Clock }) => Promise<void>): Promise<void> {
  const random = createRandom(1);
  const timeline = createVirtualTimeline({ startMs: Date.parse('2026-01-01T00:00:00Z'), random: random.fork('timers') });
  const clock = timeline.scope('target');
  const world = timeline.scope('world');
  const ec2 = createEc2({
    clock: world,
    random: random.fork('ec2'),
    catalogue: loadCatalogue(),
    cluster: CLUSTER,
    recorder: { record: () => 0 },
    readLag: { probability: 0, maxMs: 0 },
  });
  const wire: Wire = async (request) => {
    await world.sleep(20);
    return ec2.backend.handle(request, ec2.backend.describe(request), { principal: 'target', incarnation: 1, span: 0 });
  };
  const client = createEc2Client({ wire, clock, random: random.fork('target'), region: CLUSTER.region });
  await timeline.run(body({ client, ec2, clock }));
  client.destroy();
}

const FLEET = {
  Type: 'instant' as const,
  ClientToken: 'token-1',
  LaunchTemplateConfigs: [
    {
      LaunchTemplateSpecification: { LaunchTemplateName: 'workers', Version: '$Latest' },
      Overrides: ZONES.map((zone) => ({ InstanceType: 'm5.large' as const, SubnetId: CLUSTER.subnets[zone] ?? '' })),
    },
  ],
  TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'on-demand' as const },
};

test('launches, finds, tags and terminates an instance of the embedded EC2', async () => {
  await withEc2(async ({ client, clock }) => {
    const template = await client.createLaunchTemplate({
      LaunchTemplateName: 'workers',
      LaunchTemplateData: { ImageId: CLUSTER.imageIds.x86_64, SecurityGroupIds: [CLUSTER.securityGroupId], UserData: btoa('hello') },
    });
    expect(template.LaunchTemplateName).toBe('workers');
    expect(await client.describeLaunchTemplates({ LaunchTemplateNames: ['workers'] })).toHaveLength(1);

    const fleet = await client.createFleet(FLEET);
    const [id = ''] = fleet.Instances?.flatMap((instance) => instance.InstanceIds ?? []) ?? [];
    expect(id).toMatch(/^i-/);
    const replay = await client.createFleet(FLEET);
    expect(replay.Instances).toEqual(fleet.Instances);

    await client.createTags({ Resources: [id], Tags: [{ Key: 'team', Value: 'a' }] });
    await clock.sleep(60_000);
    const [instance] = await client.describeInstances({ Filters: [{ Name: 'tag:team', Values: ['a'] }] });
    expect(instance).toMatchObject({ InstanceId: id, InstanceType: 'm5.large', State: { Name: 'running' } });
    expect(instance?.LaunchTime?.getUTCFullYear()).toBe(2026);

    await client.terminateInstances([id]);
    await clock.sleep(300_000);
    expect((await client.describeInstances({ InstanceIds: [id] }))[0]?.State?.Name).toBe('terminated');
    await client.deleteLaunchTemplate('workers');
    expect(await client.describeLaunchTemplates({})).toEqual([]);
  });
});

test('reads types, offerings and prices to their last page', async () => {
  await withEc2(async ({ client }) => {
    const types = await client.describeInstanceTypes({ MaxResults: 5 });
    const all = await client.describeInstanceTypes({});
    expect(types.map(({ InstanceType }) => InstanceType)).toEqual(all.map(({ InstanceType }) => InstanceType));
    expect(all.length).toBeGreaterThan(50);
    const offerings = await client.describeInstanceTypeOfferings({ LocationType: 'availability-zone' });
    expect(offerings.length).toBeGreaterThan(all.length);
    const prices = await client.describeSpotPriceHistory({ InstanceTypes: ['m5.large'], ProductDescriptions: ['Linux/UNIX'] });
    expect(new Set(prices.map(({ AvailabilityZone }) => AvailabilityZone)).size).toBe(ZONES.length);
  });
});

test('refusals carry EC2’s codes', async () => {
  await withEc2(async ({ client }) => {
    await expect(client.describeInstances({ InstanceIds: ['i-0123456789abcdef0'] })).rejects.toMatchObject({
      code: 'InvalidInstanceID.NotFound',
      status: 400,
    });
    await expect(client.deleteLaunchTemplate('none')).rejects.toMatchObject({ status: 400 });
  });
});
