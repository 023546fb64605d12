import { CreateLaunchTemplateCommand, DescribeInstancesCommand, RunInstancesCommand, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import type { RunInstancesCommandInput } from '@aws-sdk/client-ec2';
import { expect, test } from '@playwright/test';
import { CLUSTER, instancesOf, makeTemplate, refusal, withEc2 } from './testing/ec2.ts';
import type { Bench } from './testing/ec2.ts';

const [A, B] = ['us-east-1a', 'us-east-1b'] as const;

function order(more: Partial<RunInstancesCommandInput> = {}): RunInstancesCommandInput {
  return { ImageId: CLUSTER.imageIds.x86_64, InstanceType: 'm5.large', MinCount: 1, MaxCount: 1, ...more };
}

/** Launches, and returns the result: ids, or the refusal. */
async function run(bench: Bench, more: Partial<RunInstancesCommandInput> = {}): Promise<readonly string[] | string> {
  const sent = bench.send(new RunInstancesCommand(order(more)));
  const code = await refusal(sent);
  return code === 'none' ? ((await sent).Instances ?? []).map(({ InstanceId = '' }) => InstanceId) : code;
}

test('launches one reservation with everything that request and template specify', async () => {
  await withEc2(async (bench) => {
    const LaunchTemplateData = {
      ImageId: CLUSTER.imageIds.arm64,
      InstanceType: 'm6g.large' as const,
      UserData: btoa('labels'),
      SecurityGroupIds: [CLUSTER.securityGroupId],
      TagSpecifications: [{ ResourceType: 'instance' as const, Tags: [{ Key: 'from', Value: 'template' }] }],
    };
    await bench.send(new CreateLaunchTemplateCommand({ LaunchTemplateName: 'nodes', LaunchTemplateData }));
    const answer = await bench.send(
      new RunInstancesCommand({
        LaunchTemplate: { LaunchTemplateName: 'nodes' },
        MinCount: 2,
        MaxCount: 3,
        SubnetId: CLUSTER.subnets[B] ?? '',
        InstanceMarketOptions: { MarketType: 'spot', SpotOptions: { MaxPrice: '1' } },
        TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'own', Value: '1' }] }],
      }),
    );
    const ids = (answer.Instances ?? []).map(({ InstanceId = '' }) => InstanceId);
    expect(ids).toHaveLength(3);
    expect(bench.effect()).toEqual({ kind: 'applied', ids });
    const { Reservations = [] } = await bench.send(new DescribeInstancesCommand({ InstanceIds: ids }));
    expect(Reservations.map(({ ReservationId }) => ReservationId)).toEqual([answer.ReservationId]);
    for (const [at, instance] of instancesOf({ Reservations }).entries()) {
      expect(instance).toMatchObject({
        AmiLaunchIndex: at,
        InstanceType: 'm6g.large',
        InstanceLifecycle: 'spot',
        Placement: { AvailabilityZone: B },
        SubnetId: CLUSTER.subnets[B],
        SecurityGroups: [{ GroupId: CLUSTER.securityGroupId }],
        State: { Name: 'pending' },
      });
      expect(instance.Tags).toEqual(
        expect.arrayContaining([
          { Key: 'from', Value: 'template' },
          { Key: 'own', Value: '1' },
          { Key: 'aws:ec2launchtemplate:version', Value: '1' },
        ]),
      );
    }
    expect(bench.ports.instances.get(ids[0] ?? '')?.userData).toBe('labels');
  });
});

for (const { name, more, expected } of [
  { name: 'no image', more: { ImageId: undefined }, expected: '400 MissingParameter' },
  { name: 'an unknown image', more: { ImageId: 'ami-1' }, expected: '400 InvalidAMIID.NotFound' },
  { name: 'an image of another architecture', more: { ImageId: CLUSTER.imageIds.arm64 }, expected: '400 InvalidParameterValue' },
  { name: 'no type', more: { InstanceType: undefined }, expected: '400 MissingParameter' },
  { name: 'an unknown type', more: { InstanceType: 'm5.tiny' as 'm5.large' }, expected: '400 InvalidParameterValue' },
  { name: 'nothing to launch', more: { MinCount: 0 }, expected: '400 InvalidParameterValue' },
  { name: 'a maximum below the minimum', more: { MinCount: 3, MaxCount: 2 }, expected: '400 InvalidParameterValue' },
  { name: 'an unknown subnet', more: { SubnetId: 'subnet-0' }, expected: '400 InvalidSubnetID.NotFound' },
  { name: 'an unknown zone', more: { Placement: { AvailabilityZone: 'us-east-1z' } }, expected: '400 InvalidParameterValue' },
  {
    name: 'a zone that does not have the type',
    more: { InstanceType: 'vt1.3xlarge' as const, SubnetId: CLUSTER.subnets[B] },
    expected: '400 Unsupported',
  },
  {
    name: 'a price that is too low',
    more: { InstanceMarketOptions: { MarketType: 'spot' as const, SpotOptions: { MaxPrice: '0.001' } } },
    expected: '400 SpotMaxPriceTooLow',
  },
  {
    name: 'an unknown template',
    more: { LaunchTemplate: { LaunchTemplateName: 'none' } },
    expected: '400 InvalidLaunchTemplateName.NotFoundException',
  },
  { name: 'a dry run', more: { DryRun: true }, expected: '412 DryRunOperation' },
] satisfies { name: string; more: Partial<RunInstancesCommandInput>; expected: string }[]) {
  test(`refuses ${name}`, async () => {
    await withEc2(async (bench) => {
      expect(await run(bench, more)).toBe(expected);
      expect(bench.ports.instances.list()).toEqual([]);
    });
  });
}

test('an empty pool is a server error that names zones with capacity; without a zone EC2 uses one of them', async () => {
  await withEc2(async (bench) => {
    const fired: (number | undefined)[] = [];
    const heal = bench.ports.capacity.limit({ selector: { zones: [A] }, remaining: 2, naming: 'one', fired: (span) => fired.push(span) });
    const inA = { Placement: { AvailabilityZone: A } };
    await expect(bench.send(new RunInstancesCommand(order({ ...inA, MinCount: 3, MaxCount: 5 })))).rejects.toMatchObject({
      name: 'InsufficientInstanceCapacity',
      message: expect.stringMatching(/sufficient m5\.large capacity .* \(us-east-1a\).* choosing us-east-1b, us-east-1c\.$/),
      $metadata: { httpStatusCode: 500 },
    });
    expect(fired).toEqual([0]);
    expect(await run(bench, { ...inA, MinCount: 1, MaxCount: 5 })).toHaveLength(2);
    expect(await run(bench, { ...inA })).toBe('500 InsufficientInstanceCapacity');
    expect(await run(bench, { MinCount: 4, MaxCount: 4 })).toHaveLength(4);
    heal();
    expect(await run(bench, { ...inA })).toHaveLength(1);
  });
});

test('a token is valid within its zone, until its instances are terminated', async () => {
  await withEc2(async (bench) => {
    const inZone = (zone: string): Partial<RunInstancesCommandInput> => ({ ClientToken: 't', SubnetId: CLUSTER.subnets[zone] ?? '' });
    const first = await run(bench, inZone(A));
    expect(await run(bench, inZone(A))).toEqual(first);
    expect(bench.effect()).toEqual({ kind: 'none' });
    const second = await run(bench, inZone(B));
    expect(second).not.toEqual(first);
    expect(await run(bench, { ...inZone(A), MaxCount: 2 })).toBe('400 IdempotentParameterMismatch');
    await bench.send(new TerminateInstancesCommand({ InstanceIds: [...first] }));
    await bench.clock.sleep(60_000);
    expect(await run(bench, inZone(A))).toBe('400 IdempotentInstanceTerminated');
    expect(await run(bench, inZone(B))).toEqual(second);
  });
});

test('quotas, addresses and refused offerings refuse the whole request', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    const fired: string[] = [];
    const { quota, capacity } = bench.ports;
    const cases = [
      {
        arm: () => quota.limitVcpus({ capacityTypes: ['on-demand'], groups: ['standard'], vcpus: 3, fired: () => fired.push('vcpus') }),
        expected: '400 VcpuLimitExceeded',
        more: { MinCount: 2, MaxCount: 2 },
      },
      {
        arm: () => quota.limitInstances({ instanceTypes: ['m5.large'], count: 0, fired: () => fired.push('instances') }),
        expected: '400 InstanceLimitExceeded',
        more: {},
      },
      {
        arm: () => quota.limitVcpus({ capacityTypes: ['spot'], vcpus: 1, fired: () => fired.push('spot') }),
        expected: '400 MaxSpotInstanceCountExceeded',
        more: { InstanceMarketOptions: { MarketType: 'spot' as const } },
      },
      {
        arm: () => quota.limitAddresses({ remaining: 1, fired: () => fired.push('addresses') }),
        expected: '400 InsufficientFreeAddressesInSubnet',
        more: { MinCount: 2, MaxCount: 2 },
      },
      {
        arm: () =>
          capacity.refuse({
            selector: { zones: [A] },
            refusal: { code: 'InvalidParameterValue', message: 'no' },
            fired: () => fired.push('refused'),
          }),
        expected: '400 InvalidParameterValue',
        more: {},
      },
    ];
    for (const { arm, expected, more } of cases) {
      const heal = arm();
      expect(await run(bench, { SubnetId: CLUSTER.subnets[A] ?? '', ...more })).toBe(expected);
      await heal();
    }
    expect(fired).toEqual(['vcpus', 'instances', 'spot', 'addresses', 'refused']);
    expect(bench.ports.instances.list()).toEqual([]);
    // This many requests empty the bucket.
    await bench.clock.sleep(5_000);
    expect(await run(bench, { SubnetId: CLUSTER.subnets[A] ?? '', MinCount: 2, MaxCount: 2 })).toHaveLength(2);
  });
});
