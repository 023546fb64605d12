import {
  CreateLaunchTemplateCommand,
  CreateLaunchTemplateVersionCommand,
  CreateTagsCommand,
  DeleteLaunchTemplateCommand,
  DeleteTagsCommand,
  DescribeAvailabilityZonesCommand,
  DescribeImagesCommand,
  DescribeInstanceTypeOfferingsCommand,
  DescribeInstanceTypesCommand,
  DescribeInstancesCommand,
  DescribeLaunchTemplateVersionsCommand,
  DescribeLaunchTemplatesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSpotPriceHistoryCommand,
  DescribeSubnetsCommand,
  ModifyLaunchTemplateCommand,
} from '@aws-sdk/client-ec2';
import type {
  DescribeInstanceTypesCommandInput,
  DescribeLaunchTemplatesCommandInput,
  InstanceTypeInfo,
  SpotPrice,
} from '@aws-sdk/client-ec2';
import { expect, test } from '@playwright/test';
import { defined } from '../../model/defined.ts';
import { loadCatalogue } from '../../model/instance-catalogue.ts';
import { CLUSTER, START_MS, fleet, idsOf, instancesOf, makeTemplate, refusal, withEc2 } from './testing/ec2.ts';

const CATALOGUE = loadCatalogue();

test("every answer has a request id, a type and a date by the world's clock", async () => {
  await withEc2(async ({ raw, clock }) => {
    await clock.sleep(86_400_000);
    const good = await raw('Action=DescribeInstances&Version=2016-11-15');
    const bad = await raw('Action=DescribeVpnGateways&Version=2016-11-15');
    expect([good.status, bad.status]).toEqual([200, 400]);
    expect(bad.body).toContain('<Code>InvalidAction</Code>');
    for (const { headers, body } of [good, bad]) {
      expect(headers).toMatchObject({ 'content-type': 'text/xml;charset=UTF-8', date: 'Fri, 02 Jan 2026 00:00:00 GMT' });
      expect(headers['x-amzn-requestid']).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(body).toContain(headers['x-amzn-requestid']);
    }
    const unreadable = await raw('Action=DescribeInstances&Version=2016-11-15&Colour=red');
    expect(unreadable.effect).toEqual({ kind: 'rejected', code: 'UnknownParameter' });
  });
});

test('instance types are the catalogue, page by page', async () => {
  await withEc2(async ({ send }) => {
    const types: InstanceTypeInfo[] = [];
    const pages: number[] = [];
    let token: string | undefined;
    do {
      const page = await send(new DescribeInstanceTypesCommand(defined({ NextToken: token })));
      types.push(...(page.InstanceTypes ?? []));
      pages.push(page.InstanceTypes?.length ?? 0);
      token = page.NextToken;
    } while (token !== undefined);
    expect(types.map((type) => String(type.InstanceType))).toEqual([...CATALOGUE.types.keys()]);
    expect(pages[0]).toBe(100);
    expect(types.find((type) => type.InstanceType === 'm6g.large')).toMatchObject({
      Hypervisor: 'nitro',
      MemoryInfo: { SizeInMiB: 8192 },
      NetworkInfo: { Ipv4AddressesPerInterface: 10, MaximumNetworkInterfaces: 3 },
      ProcessorInfo: { Manufacturer: 'AWS', SupportedArchitectures: ['arm64'] },
      SupportedUsageClasses: ['on-demand', 'spot'],
      VCpuInfo: { DefaultVCpus: 2 },
    });
    expect(types.find((type) => type.InstanceType === 'g4dn.12xlarge')?.GpuInfo).toEqual({
      Gpus: [
        {
          Name: 'T4',
          Manufacturer: 'NVIDIA',
          Count: 4,
          LogicalGpuCount: 4,
          GpuPartitionSize: 1,
          Workloads: ['graphics', 'ml-ai'],
          MemoryInfo: { SizeInMiB: 16_384 },
        },
      ],
      TotalGpuMemoryInMiB: 65_536,
    });
    expect(types.find((type) => type.InstanceType === 'g6f.large')?.GpuInfo).toMatchObject({
      Gpus: [{ Count: 0, LogicalGpuCount: 1, GpuPartitionSize: 0.125 }],
      TotalGpuMemoryInMiB: 2_861,
    });
  });
});

for (const { name, input, expected } of [
  { name: 'ids', input: { InstanceTypes: ['m5.large', 'c5.large'] }, expected: ['c5.large', 'm5.large'] },
  {
    name: 'filters',
    input: { Filters: [{ Name: 'instance-type', Values: ['hpc7g.*'] }] },
    expected: ['hpc7g.16xlarge', 'hpc7g.4xlarge', 'hpc7g.8xlarge'],
  },
  {
    name: 'several filters',
    input: {
      Filters: [
        { Name: 'bare-metal', Values: ['true'] },
        { Name: 'instance-type', Values: ['m7*'] },
        { Name: 'processor-info.supported-architecture', Values: ['arm64'] },
        { Name: 'supported-usage-class', Values: ['spot'] },
      ],
    },
    expected: ['m7g.metal', 'm7gd.metal'],
  },
  {
    name: 'filters of details',
    input: {
      Filters: [
        { Name: 'instance-storage-info.disk.type', Values: ['ssd'] },
        { Name: 'network-info.efa-supported', Values: ['true'] },
        { Name: 'network-info.maximum-network-cards', Values: ['4'] },
        { Name: 'processor-info.supported-architecture', Values: ['x86_64'] },
        { Name: 'instance-type', Values: ['p4d.*'] },
      ],
    },
    expected: ['p4d.24xlarge'],
  },
] satisfies { name: string; input: DescribeInstanceTypesCommandInput; expected: string[] }[]) {
  test(`instance types by ${name}`, async () => {
    await withEc2(async ({ send }) => {
      const { InstanceTypes = [] } = await send(new DescribeInstanceTypesCommand(input));
      expect(InstanceTypes.map(({ InstanceType }) => String(InstanceType))).toEqual(expected);
    });
  });
}

test('unknown instance types are named', async () => {
  await withEc2(async ({ send }) => {
    const request = send(new DescribeInstanceTypesCommand({ InstanceTypes: ['m5.large', 'm5.tiny' as 'm5.large'] }));
    await expect(request).rejects.toMatchObject({ name: 'InvalidInstanceType', message: expect.stringContaining('[m5.tiny]') });
  });
});

test('offerings list the zones of a type', async () => {
  await withEc2(async ({ send }) => {
    const offerings = async (LocationType: 'availability-zone' | 'availability-zone-id' | 'region'): Promise<unknown[]> => {
      const Filters = [{ Name: 'instance-type', Values: ['vt1.3xlarge', 'm5.large'] }];
      const { InstanceTypeOfferings = [] } = await send(new DescribeInstanceTypeOfferingsCommand({ LocationType, Filters }));
      return InstanceTypeOfferings.map(({ InstanceType, Location }) => `${InstanceType} ${Location}`);
    };
    expect(await offerings('availability-zone')).toEqual([...CATALOGUE.zones.map((zone) => `m5.large ${zone}`), 'vt1.3xlarge us-east-1a']);
    expect(await offerings('availability-zone-id')).toContain('vt1.3xlarge use1-az1');
    expect(await offerings('region')).toEqual(['m5.large us-east-1', 'vt1.3xlarge us-east-1']);
    const seen: unknown[] = [];
    let token: string | undefined;
    do {
      const page = await send(new DescribeInstanceTypeOfferingsCommand({ LocationType: 'availability-zone', NextToken: token }));
      seen.push(...(page.InstanceTypeOfferings ?? []));
      token = page.NextToken;
    } while (token !== undefined);
    expect(seen).toHaveLength([...CATALOGUE.types.values()].reduce((sum, { zones }) => sum + zones.length, 0));
  });
});

test('spot prices are a share of the on-demand price and change slowly every hour', async () => {
  await withEc2(async ({ send, clock }) => {
    await clock.sleep(86_400_000);
    const now = new Date(clock.nowMs());
    const prices: SpotPrice[] = [];
    let token = '';
    do {
      const input = { StartTime: now, ProductDescriptions: ['Linux/UNIX'], ...(token === '' ? {} : { NextToken: token }) };
      const page = await send(new DescribeSpotPriceHistoryCommand(input));
      prices.push(...(page.SpotPriceHistory ?? []));
      token = page.NextToken ?? '?';
    } while (token !== '');
    const pools = [...CATALOGUE.types.values()].filter(({ usageClasses }) => usageClasses.includes('spot')).flatMap(({ zones }) => zones);
    expect(prices).toHaveLength(pools.length);
    const longest = await send(new DescribeSpotPriceHistoryCommand({ StartTime: now, MaxResults: 2_000 }));
    expect(longest.SpotPriceHistory).toEqual(prices.slice(0, 1_000));
    const strange = prices.filter(({ InstanceType = '', SpotPrice, Timestamp }) => {
      const share = Number(SpotPrice) / (CATALOGUE.types.get(InstanceType)?.onDemandUsdPerHour ?? NaN);
      const atMs = Timestamp?.getTime() ?? NaN;
      // Prices have four decimals, of which the smallest types use two.
      return !(share > 0.23 && share < 0.62 && atMs > clock.nowMs() - 3_600_001 && atMs <= clock.nowMs());
    });
    expect(strange).toEqual([]);
    const one = { InstanceTypes: ['m5.large' as const], AvailabilityZone: 'us-east-1c' };
    const day = await send(new DescribeSpotPriceHistoryCommand({ ...one, StartTime: new Date(START_MS) }));
    const hourly = (day.SpotPriceHistory ?? []).map(({ SpotPrice }) => Number(SpotPrice));
    expect(hourly).toHaveLength(25);
    for (const [at, price] of hourly.entries()) expect(Math.abs(price - (hourly[at + 1] ?? price))).toBeLessThan(0.05 * 0.096);
    expect(new Set(hourly).size).toBeGreaterThan(3);
    const pages = await send(new DescribeSpotPriceHistoryCommand({ ...one, StartTime: new Date(START_MS), MaxResults: 10 }));
    expect(pages.SpotPriceHistory).toEqual(day.SpotPriceHistory?.slice(0, 10));
    const windows = await send(new DescribeSpotPriceHistoryCommand({ ProductDescriptions: ['Windows'] }));
    expect(windows.SpotPriceHistory).toEqual([]);
  });
});

test('a launch template is created once, listed, read and deleted', async () => {
  await withEc2(async (bench) => {
    const { send } = bench;
    const LaunchTemplateData = { ImageId: CLUSTER.imageIds.arm64, MetadataOptions: { HttpTokens: 'required' as const } };
    const TagSpecifications = [{ ResourceType: 'launch-template' as const, Tags: [{ Key: 'owner', Value: 'me' }] }];
    const create = new CreateLaunchTemplateCommand({ LaunchTemplateName: 'a/b', LaunchTemplateData, TagSpecifications, ClientToken: 't' });
    const { LaunchTemplate } = await send(create);
    expect(LaunchTemplate).toMatchObject({ LaunchTemplateName: 'a/b', LatestVersionNumber: 1, Tags: [{ Key: 'owner', Value: 'me' }] });
    const id = LaunchTemplate?.LaunchTemplateId ?? '';
    expect(bench.effect()).toEqual({ kind: 'applied', ids: [id] });
    expect((await send(create)).LaunchTemplate?.LaunchTemplateId).toBe(id);
    expect(bench.effect()).toEqual({ kind: 'none' });
    const again = new CreateLaunchTemplateCommand({ LaunchTemplateName: 'a/b', LaunchTemplateData, ClientToken: 'u' });
    expect(await refusal(send(again))).toBe('400 InvalidLaunchTemplateName.AlreadyExistsException');
    await makeTemplate(bench, 'other');

    const listed = async (input: DescribeLaunchTemplatesCommandInput): Promise<unknown[]> =>
      ((await send(new DescribeLaunchTemplatesCommand(input))).LaunchTemplates ?? []).map(({ LaunchTemplateName }) => LaunchTemplateName);
    expect((await listed({})).sort()).toEqual(['a/b', 'other']);
    expect(await listed({ LaunchTemplateNames: ['a/b'] })).toEqual(['a/b']);
    expect(await listed({ LaunchTemplateIds: [id] })).toEqual(['a/b']);
    expect(await listed({ Filters: [{ Name: 'tag:owner', Values: ['me'] }] })).toEqual(['a/b']);
    expect(await listed({ Filters: [{ Name: 'launch-template-name', Values: ['o*'] }] })).toEqual(['other']);

    for (const Versions of [['1'], ['$Latest'], ['$Default'], undefined]) {
      const { LaunchTemplateVersions } = await send(new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateName: 'a/b', Versions }));
      expect(LaunchTemplateVersions).toMatchObject([{ VersionNumber: 1, DefaultVersion: true, LaunchTemplateData }]);
    }
    const missing = new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateId: id, Versions: ['2'] });
    expect(await refusal(send(missing))).toBe('400 InvalidLaunchTemplateId.VersionNotFound');
    const all = await send(new DescribeLaunchTemplateVersionsCommand({ Versions: ['$Latest'] }));
    expect(all.LaunchTemplateVersions).toHaveLength(2);

    await send(new DeleteLaunchTemplateCommand({ LaunchTemplateId: id }));
    expect(bench.effect()).toEqual({ kind: 'applied', ids: [id] });
    expect(await refusal(send(new DeleteLaunchTemplateCommand({ LaunchTemplateId: id })))).toBe('400 InvalidLaunchTemplateId.NotFound');
    const byName = new DescribeLaunchTemplatesCommand({ LaunchTemplateNames: ['a/b'] });
    expect(await refusal(send(byName))).toBe('400 InvalidLaunchTemplateName.NotFoundException');
  });
});

for (const { name, data, code } of [
  { name: 'ab', data: { ImageId: 'ami-1' }, code: 'InvalidLaunchTemplateName.MalformedException' },
  { name: 'with blanks', data: { ImageId: 'ami-1' }, code: 'InvalidLaunchTemplateName.MalformedException' },
  { name: 'nothing', data: {}, code: 'MissingParameter' },
  { name: 'odd-data', data: { UserData: 'not base64!' }, code: 'InvalidUserData.Malformed' },
  { name: 'long-data', data: { UserData: 'QUFB'.repeat(5_462) }, code: 'InvalidParameterValue' },
]) {
  test(`a launch template is refused: ${name}`, async () => {
    await withEc2(async ({ send }) => {
      const request = send(new CreateLaunchTemplateCommand({ LaunchTemplateName: name, LaunchTemplateData: data }));
      expect(await refusal(request)).toBe(`400 ${code}`);
    });
  });
}

test('tags are created and deleted, on all resources or on none', async () => {
  await withEc2(async (bench) => {
    const { send } = bench;
    await makeTemplate(bench);
    const [id = ''] = idsOf(await send(fleet()));
    const tagsOf = async (): Promise<Record<string, string>> => {
      const [instance] = instancesOf(await send(new DescribeInstancesCommand({ InstanceIds: [id] })));
      const own = (instance?.Tags ?? []).filter(({ Key }) => Key?.startsWith('aws:') === false);
      return Object.fromEntries(own.map(({ Key = '', Value = '' }) => [Key, Value]));
    };
    await send(
      new CreateTagsCommand({
        Resources: [id],
        Tags: [
          { Key: 'a', Value: '1' },
          { Key: 'b', Value: '' },
        ],
      }),
    );
    expect(bench.effect()).toEqual({ kind: 'applied', ids: [id] });
    await send(new CreateTagsCommand({ Resources: [id], Tags: [{ Key: 'a', Value: '2' }] }));
    expect(await tagsOf()).toEqual({ a: '2', b: '' });
    const bad = { Resources: [id, 'i-00000001'], Tags: [{ Key: 'c', Value: '' }] };
    expect(await refusal(send(new CreateTagsCommand(bad)))).toBe('400 InvalidInstanceID.NotFound');
    const many = Array.from({ length: 49 }, (_, at) => ({ Key: `k${at}`, Value: '' }));
    expect(await refusal(send(new CreateTagsCommand({ Resources: [id], Tags: many })))).toBe('400 TagLimitExceeded');
    expect(await tagsOf()).toEqual({ a: '2', b: '' });
    await send(new DeleteTagsCommand({ Resources: [id], Tags: [{ Key: 'a', Value: '1' }, { Key: 'b' }] }));
    expect(await tagsOf()).toEqual({ a: '2' });
    await send(new DeleteTagsCommand({ Resources: [id] }));
    expect(await tagsOf()).toEqual({});
    expect(await refusal(send(new CreateTagsCommand({ Resources: ['eni-1'], Tags: [{ Key: 'c' }] })))).toBe('400 InvalidID');
  });
});

test('subnets, security groups, images and zones are those of the cluster', async () => {
  await withEc2(async (bench) => {
    const { send } = bench;
    await makeTemplate(bench);
    await send(fleet({ zones: ['us-east-1b'] }));
    const Filters = [{ Name: 'tag:karpenter.sh/discovery', Values: ['test'] }];
    const { Subnets = [] } = await send(new DescribeSubnetsCommand({ Filters }));
    expect(
      Subnets.map(({ AvailabilityZone, CidrBlock, AvailableIpAddressCount }) => [AvailabilityZone, CidrBlock, AvailableIpAddressCount]),
    ).toEqual([
      ['us-east-1a', '10.0.0.0/20', 4_091],
      ['us-east-1b', '10.0.16.0/20', 4_090],
      ['us-east-1c', '10.0.32.0/20', 4_091],
    ]);
    const { SecurityGroups = [] } = await send(new DescribeSecurityGroupsCommand({ Filters }));
    expect(SecurityGroups.map(({ GroupId, VpcId }) => [GroupId, VpcId])).toEqual([[CLUSTER.securityGroupId, Subnets[0]?.VpcId]]);
    const { Images = [] } = await send(new DescribeImagesCommand({ Filters: [{ Name: 'architecture', Values: ['arm64'] }] }));
    expect(Images.map(({ ImageId }) => ImageId)).toContain(CLUSTER.imageIds.arm64);
    // Karpenter's request: by name and owners, deprecated ones too.
    const named = { Filters: [{ Name: 'name', Values: ['amazon-eks-node-al2023-*-1.34-*'] }], IncludeDeprecated: true, MaxResults: 1_000 };
    const al2023 = await send(new DescribeImagesCommand({ ...named, Owners: ['self', 'amazon'] }));
    expect(new Set(al2023.Images?.map(({ ImageId }) => ImageId)).size).toBe(5);
    expect(al2023.Images?.find(({ ImageId }) => ImageId === CLUSTER.imageIds.x86_64)).toMatchObject({
      Name: 'amazon-eks-node-al2023-x86_64-standard-1.34-v20260105',
      Architecture: 'x86_64',
      State: 'available',
      DeprecationTime: '2028-01-05T00:00:00.000Z',
    });
    expect((await send(new DescribeImagesCommand({ ...named, Owners: ['self'] }))).Images).toEqual([]);
    expect((await send(new DescribeImagesCommand({ Filters: [{ Name: 'tag:team', Values: ['a'] }] }))).Images).toEqual([]);
    expect(await refusal(send(new DescribeImagesCommand({ ImageIds: ['ami-00000000'] })))).toBe('400 InvalidAMIID.NotFound');
    expect(await refusal(send(new DescribeSubnetsCommand({ SubnetIds: ['subnet-00000000'] })))).toBe('400 InvalidSubnetID.NotFound');
    const { AvailabilityZones = [] } = await send(new DescribeAvailabilityZonesCommand({}));
    expect(AvailabilityZones.map(({ ZoneName, ZoneId }) => [ZoneName, ZoneId])).toEqual([
      ['us-east-1a', 'use1-az1'],
      ['us-east-1b', 'use1-az2'],
      ['us-east-1c', 'use1-az3'],
    ]);
  });
});

test('a launch template gets versions, and a default one', async () => {
  await withEc2(async (bench) => {
    const { send } = bench;
    await makeTemplate(bench);
    const name = { LaunchTemplateName: 'nodes' };
    const add = new CreateLaunchTemplateVersionCommand({
      ...name,
      SourceVersion: '1',
      VersionDescription: 'larger',
      LaunchTemplateData: { InstanceType: 'm5.xlarge' },
    });
    const { LaunchTemplateVersion } = await send(add);
    expect(LaunchTemplateVersion).toMatchObject({
      VersionNumber: 2,
      DefaultVersion: false,
      LaunchTemplateData: { ImageId: CLUSTER.imageIds.x86_64, InstanceType: 'm5.xlarge' },
    });
    const versions = async (input: object): Promise<unknown[]> =>
      ((await send(new DescribeLaunchTemplateVersionsCommand({ ...name, ...input }))).LaunchTemplateVersions ?? []).map(
        ({ VersionNumber }) => VersionNumber,
      );
    expect(await versions({})).toEqual([1, 2]);
    expect(await versions({ Versions: ['$Latest'] })).toEqual([2]);
    expect(await versions({ Versions: ['$Default'] })).toEqual([1]);
    expect(await versions({ MinVersion: '2' })).toEqual([2]);
    expect(await versions({ Filters: [{ Name: 'is-default-version', Values: ['true'] }] })).toEqual([1]);
    const { LaunchTemplate } = await send(new ModifyLaunchTemplateCommand({ ...name, DefaultVersion: '2' }));
    expect(LaunchTemplate).toMatchObject({ DefaultVersionNumber: 2, LatestVersionNumber: 2 });
    expect(await versions({ Versions: ['$Default'] })).toEqual([2]);
    const missing = new ModifyLaunchTemplateCommand({ ...name, DefaultVersion: '3' });
    expect(await refusal(send(missing))).toBe('400 InvalidLaunchTemplateId.VersionNotFound');
  });
});
