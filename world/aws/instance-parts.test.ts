import {
  CreateLaunchTemplateCommand,
  DescribeInstanceAttributeCommand,
  DescribeInstancesCommand,
  DescribeNetworkInterfacesCommand,
  DescribeTagsCommand,
  DescribeVolumesCommand,
  GetConsoleOutputCommand,
  ModifyInstanceMetadataOptionsCommand,
  RebootInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import { expect, test } from '@playwright/test';
import { CLUSTER, fleet, idsOf, instancesOf, makeTemplate, refusal, withEc2 } from './testing/ec2.ts';
import type { Bench } from './testing/ec2.ts';

const DATA: RequestLaunchTemplateData = {
  ImageId: CLUSTER.imageIds.x86_64,
  BlockDeviceMappings: [
    { DeviceName: '/dev/xvda', Ebs: { VolumeSize: 50, Encrypted: true } },
    { DeviceName: '/dev/xvdb', Ebs: { VolumeSize: 100, VolumeType: 'gp2' } },
    { DeviceName: '/dev/xvdc', VirtualName: 'ephemeral0' },
  ],
  NetworkInterfaces: [
    { DeviceIndex: 0, InterfaceType: 'efa', Groups: [CLUSTER.securityGroupId], Description: 'main' },
    { DeviceIndex: 1, NetworkCardIndex: 1, InterfaceType: 'efa-only', Groups: [CLUSTER.securityGroupId] },
  ],
  TagSpecifications: (['volume', 'network-interface', 'spot-instances-request'] as const).map((ResourceType) => ({
    ResourceType,
    Tags: [{ Key: 'kind', Value: ResourceType }],
  })),
};

/** Launches one running instance, from a template with these data. */
async function launch({ send, clock }: Bench, data: RequestLaunchTemplateData = DATA): Promise<string> {
  await send(new CreateLaunchTemplateCommand({ LaunchTemplateName: 'nodes', LaunchTemplateData: data }));
  const [id = ''] = idsOf(await send(fleet()));
  await clock.sleep(10_000);
  return id;
}

test('an instance has the volumes of its image and its launch, and they end with it', async () => {
  await withEc2(async (bench) => {
    const { send, clock } = bench;
    const id = await launch(bench);
    const ofInstance = new DescribeVolumesCommand({ Filters: [{ Name: 'attachment.instance-id', Values: [id] }] });
    const { Volumes = [] } = await send(ofInstance);
    const byDevice = Volumes.sort((a, b) => (a.Size ?? 0) - (b.Size ?? 0));
    expect(byDevice).toMatchObject([
      {
        ...{ Size: 50, VolumeType: 'gp3', Iops: 3_000, Throughput: 125, Encrypted: true, State: 'in-use' },
        Attachments: [{ Device: '/dev/xvda', InstanceId: id, DeleteOnTermination: true, State: 'attached' }],
        Tags: [{ Key: 'kind', Value: 'volume' }],
      },
      {
        ...{ Size: 100, VolumeType: 'gp2', Iops: 300, Encrypted: false, SnapshotId: '' },
        Attachments: [{ Device: '/dev/xvdb', DeleteOnTermination: false }],
      },
    ]);
    const [instance] = instancesOf(await send(new DescribeInstancesCommand({ InstanceIds: [id] })));
    expect(instance?.BlockDeviceMappings?.map(({ DeviceName, Ebs }) => [DeviceName, Ebs?.VolumeId])).toEqual([
      ['/dev/xvda', byDevice[0]?.VolumeId],
      ['/dev/xvdb', byDevice[1]?.VolumeId],
    ]);

    await send(new TerminateInstancesCommand({ InstanceIds: [id] }));
    await clock.sleep(60_000);
    expect((await send(ofInstance)).Volumes).toEqual([]);
    const left = await send(new DescribeVolumesCommand({ Filters: [{ Name: 'status', Values: ['available'] }] }));
    expect(left.Volumes?.map(({ VolumeId, Attachments }) => [VolumeId, Attachments])).toEqual([[byDevice[1]?.VolumeId, []]]);
  });
});

test('an instance has one network interface with its address, and its EFA ones', async () => {
  await withEc2(async (bench) => {
    const { send, clock } = bench;
    const id = await launch(bench);
    const [instance] = instancesOf(await send(new DescribeInstancesCommand({ InstanceIds: [id] })));
    const groups = [{ GroupId: CLUSTER.securityGroupId, GroupName: 'test-nodes' }];
    expect(instance?.SecurityGroups).toEqual(groups);
    expect(instance?.NetworkInterfaces).toMatchObject([
      { InterfaceType: 'efa', PrivateIpAddress: instance?.PrivateIpAddress, Description: 'main', Groups: groups },
      { InterfaceType: 'efa-only', PrivateIpAddresses: [], Attachment: { DeviceIndex: 1, NetworkCardIndex: 1 } },
    ]);
    const ids = instance?.NetworkInterfaces?.map(({ NetworkInterfaceId = '' }) => NetworkInterfaceId) ?? [];
    const { NetworkInterfaces } = await send(new DescribeNetworkInterfacesCommand({ NetworkInterfaceIds: ids.slice(0, 1) }));
    expect(NetworkInterfaces).toMatchObject([{ AvailabilityZone: instance?.Placement?.AvailabilityZone, Attachment: { InstanceId: id } }]);
    expect(NetworkInterfaces?.[0]?.MacAddress).toMatch(/^0e(:[0-9a-f]{2}){5}$/);
    const { Tags = [] } = await send(new DescribeTagsCommand({ Filters: [{ Name: 'tag:kind', Values: ['network-interface'] }] }));
    expect(Tags.map(({ ResourceId }) => ResourceId).sort()).toEqual([...ids].sort());

    await send(new TerminateInstancesCommand({ InstanceIds: [id] }));
    await clock.sleep(60_000);
    expect((await send(new DescribeNetworkInterfacesCommand({}))).NetworkInterfaces).toEqual([]);
  });
});

test('ids of volumes and interfaces follow from those of their instances', async () => {
  const idsIn = async (isListedFirst: boolean): Promise<(string | undefined)[]> => {
    const ids: (string | undefined)[] = [];
    await withEc2(async (bench) => {
      if (isListedFirst) await bench.send(new DescribeVolumesCommand({}));
      await launch(bench);
      ids.push(...((await bench.send(new DescribeVolumesCommand({}))).Volumes ?? []).map(({ VolumeId }) => VolumeId));
      ids.push(
        ...((await bench.send(new DescribeNetworkInterfacesCommand({}))).NetworkInterfaces ?? []).map((one) => one.NetworkInterfaceId),
      );
    });
    return ids;
  };
  expect(await idsIn(true)).toEqual(await idsIn(false));
});

test("the metadata service's options can be changed, and are shown", async () => {
  await withEc2(async (bench) => {
    const { send } = bench;
    const id = await launch(bench, { ...DATA, MetadataOptions: { HttpPutResponseHopLimit: 1 } });
    const shown = async () => instancesOf(await send(new DescribeInstancesCommand({ InstanceIds: [id] })))[0]?.MetadataOptions;
    const before = { State: 'applied', HttpTokens: 'required', HttpPutResponseHopLimit: 1, HttpEndpoint: 'enabled' };
    expect(await shown()).toMatchObject(before);
    const change = new ModifyInstanceMetadataOptionsCommand({ InstanceId: id, HttpTokens: 'optional' });
    const { InstanceMetadataOptions: changed } = await send(change);
    expect(changed).toMatchObject({ ...before, State: 'pending', HttpTokens: 'optional' });
    expect(bench.effect()).toEqual({ kind: 'applied', ids: [id] });
    expect(await shown()).toMatchObject({ ...before, HttpTokens: 'optional' });
    const filtered = new DescribeInstancesCommand({ Filters: [{ Name: 'metadata-options.http-tokens', Values: ['optional'] }] });
    expect(instancesOf(await send(filtered)).map(({ InstanceId }) => InstanceId)).toEqual([id]);
    for (const [input, code] of [
      [{}, 'InvalidParameterCombination'],
      [{ HttpPutResponseHopLimit: 65 }, 'InvalidParameterValue'],
      [{ HttpEndpoint: 'off' as never }, 'InvalidParameterValue'],
    ] as const) {
      expect(await refusal(send(new ModifyInstanceMetadataOptionsCommand({ InstanceId: id, ...input })))).toBe(`400 ${code}`);
    }
    await send(new TerminateInstancesCommand({ InstanceIds: [id] }));
    expect(await refusal(send(change))).toBe('400 IncorrectInstanceState');
  });
});

for (const { name, shown } of [
  { name: 'blockDeviceMapping', shown: { BlockDeviceMappings: [{ DeviceName: '/dev/xvda' }, { DeviceName: '/dev/xvdb' }] } },
  { name: 'disableApiTermination', shown: { DisableApiTermination: { Value: false } } },
  { name: 'groupSet', shown: { Groups: [{ GroupId: CLUSTER.securityGroupId }] } },
  { name: 'instanceInitiatedShutdownBehavior', shown: { InstanceInitiatedShutdownBehavior: { Value: 'terminate' } } },
  { name: 'instanceType', shown: { InstanceType: { Value: 'm6i.large' } } },
  { name: 'kernel', shown: { KernelId: {} } },
  { name: 'userData', shown: { UserData: { Value: 'aGk=' } } },
] as const) {
  test(`an instance's attribute ${name}`, async () => {
    await withEc2(async (bench) => {
      const InstanceId = await launch(bench, { ...DATA, UserData: 'aGk=', InstanceInitiatedShutdownBehavior: 'terminate' });
      expect(await bench.send(new DescribeInstanceAttributeCommand({ InstanceId, Attribute: name }))).toMatchObject({
        InstanceId,
        ...shown,
      });
    });
  });
}

test('only running instances reboot, and only they have console output', async () => {
  await withEc2(async (bench) => {
    const { send, clock } = bench;
    await makeTemplate(bench);
    const [id = ''] = idsOf(await send(fleet()));
    const output = new GetConsoleOutputCommand({ InstanceId: id });
    expect((await send(output)).Output).toBeUndefined();
    await send(new RebootInstancesCommand({ InstanceIds: [id] }));
    expect(bench.effect()).toEqual({ kind: 'none' });
    await clock.sleep(10_000);
    await send(new RebootInstancesCommand({ InstanceIds: [id] }));
    expect(bench.effect()).toEqual({ kind: 'applied', ids: [id] });
    expect(Buffer.from((await send(output)).Output ?? '', 'base64').toString()).toContain('login:');
    expect(await refusal(send(new RebootInstancesCommand({ InstanceIds: ['i-00000001'] })))).toBe('400 InvalidInstanceID.NotFound');
  });
});
