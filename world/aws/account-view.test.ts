import {
  DescribeAccountAttributesCommand,
  DescribeCapacityReservationsCommand,
  DescribeImagesCommand,
  DescribeInstanceAttributeCommand,
  DescribeKeyPairsCommand,
  DescribeNetworkInterfacesCommand,
  DescribePlacementGroupsCommand,
  DescribeRegionsCommand,
  DescribeRouteTablesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSnapshotsCommand,
  DescribeVolumesCommand,
  DescribeVpcsCommand,
  GetSpotPlacementScoresCommand,
} from '@aws-sdk/client-ec2';
import { expect, test } from '@playwright/test';
import { CLUSTER, fleet, makeTemplate, refusal, withEc2 } from './testing/ec2.ts';
import type { Bench } from './testing/ec2.ts';

test('the network is one VPC with its route tables and security groups', async () => {
  await withEc2(async ({ send }) => {
    const { Vpcs = [] } = await send(new DescribeVpcsCommand({ Filters: [{ Name: 'tag:karpenter.sh/discovery', Values: ['test'] }] }));
    expect(Vpcs).toMatchObject([{ CidrBlock: '10.0.0.0/16', IsDefault: false, State: 'available' }]);
    const Filters = [{ Name: 'vpc-id', Values: [Vpcs[0]?.VpcId ?? ''] }];
    const { SecurityGroups = [] } = await send(new DescribeSecurityGroupsCommand({ Filters }));
    const own = SecurityGroups.find(({ GroupId }) => GroupId === CLUSTER.securityGroupId);
    expect(SecurityGroups.map(({ GroupName }) => GroupName).sort()).toEqual(['default', 'test-nodes']);
    expect(own).toMatchObject({
      IpPermissions: [{ IpProtocol: '-1', UserIdGroupPairs: [{ GroupId: CLUSTER.securityGroupId }] }],
      IpPermissionsEgress: [{ IpProtocol: '-1', IpRanges: [{ CidrIp: '0.0.0.0/0' }] }],
    });
    const byRule = { Filters: [{ Name: 'ip-permission.group-id', Values: [CLUSTER.securityGroupId] }] };
    expect((await send(new DescribeSecurityGroupsCommand(byRule))).SecurityGroups).toHaveLength(1);
    const bySubnet = { Filters: [{ Name: 'association.subnet-id', Values: [CLUSTER.subnets['us-east-1a'] ?? ''] }] };
    const { RouteTables = [] } = await send(new DescribeRouteTablesCommand(bySubnet));
    expect(RouteTables).toMatchObject([{ Routes: [{ GatewayId: 'local' }, { DestinationCidrBlock: '0.0.0.0/0' }] }]);
    expect((await send(new DescribeRouteTablesCommand({ Filters }))).RouteTables).toHaveLength(2);
  });
});

test('regions are those that an account may use, or all', async () => {
  await withEc2(async ({ send }) => {
    const names = async (input: object): Promise<unknown[]> =>
      ((await send(new DescribeRegionsCommand(input))).Regions ?? []).map(({ RegionName }) => RegionName);
    const enabled = await names({});
    expect(enabled).toHaveLength(17);
    expect(enabled).toContain(CLUSTER.region);
    expect((await names({ AllRegions: true })).length).toBeGreaterThan(17);
    expect(await names({ RegionNames: ['eu-south-1'] })).toEqual(['eu-south-1']);
    expect(await names({ Filters: [{ Name: 'endpoint', Values: ['*.us-west-*'] }] })).toEqual(['us-west-1', 'us-west-2']);
  });
});

test('images show the volumes that an instance gets from them', async () => {
  await withEc2(async ({ send }) => {
    const volumes = async (name: string): Promise<unknown> => {
      const { Images = [] } = await send(new DescribeImagesCommand({ Filters: [{ Name: 'name', Values: [name] }] }));
      return Images[0]?.BlockDeviceMappings?.map(({ DeviceName, Ebs }) => [DeviceName, Ebs?.VolumeSize]);
    };
    expect(await volumes('*al2023-x86_64-standard*')).toEqual([['/dev/xvda', 20]]);
    expect(await volumes('bottlerocket*')).toEqual([
      ['/dev/xvda', 2],
      ['/dev/xvdb', 20],
    ]);
  });
});

test("a spot placement's score falls with the target, by zone or for the region", async () => {
  await withEc2(async ({ send }) => {
    const InstanceTypes = ['m5.large', 'c5.large', 'r5.large'];
    const scores = async (TargetCapacity: number, more: object = {}): Promise<(number | undefined)[]> => {
      const answer = await send(new GetSpotPlacementScoresCommand({ TargetCapacity, InstanceTypes, ...more }));
      return (answer.SpotPlacementScores ?? []).map(({ Score }) => Score);
    };
    expect(await scores(1)).toEqual([10]);
    expect(await scores(1_000_000)).toEqual([1]);
    expect(await scores(1, { SingleAvailabilityZone: true })).toEqual([10, 10, 10]);
    expect(await scores(1, { InstanceTypes: ['m5.large'] })).toEqual([3]);
    expect(await scores(1, { RegionNames: ['eu-west-1'] })).toEqual([]);
    const [units = 0] = await scores(400, { TargetCapacityUnitType: 'units' });
    const [vcpus = 0] = await scores(400, { TargetCapacityUnitType: 'vcpu' });
    expect(vcpus).toBeGreaterThan(units);
  });
});

test('a list is cut into pages', async () => {
  await withEc2(async (bench) => {
    await makeTemplate(bench);
    await bench.send(fleet({ count: 7 }));
    const first = await bench.send(new DescribeVolumesCommand({ MaxResults: 5 }));
    const rest = await bench.send(new DescribeVolumesCommand({ MaxResults: 5, NextToken: first.NextToken }));
    const ids = [...(first.Volumes ?? []), ...(rest.Volumes ?? [])].map(({ VolumeId }) => VolumeId);
    expect([first.Volumes?.length, rest.Volumes?.length, rest.NextToken]).toEqual([5, 2, undefined]);
    expect(new Set(ids).size).toBe(7);
  });
});

const ATTRIBUTE = { InstanceId: 'i-00000001', Attribute: 'userData' } as const;
const REFUSALS: readonly [string, string, (send: Bench['send']) => Promise<unknown>][] = [
  ['412 DryRunOperation', 'a dry run', (send) => send(new DescribeVpcsCommand({ DryRun: true }))],
  ['400 InvalidVpcID.NotFound', 'an unknown VPC', (send) => send(new DescribeVpcsCommand({ VpcIds: ['vpc-0'] }))],
  [
    '400 InvalidRouteTableID.NotFound',
    'an unknown route table',
    (send) => send(new DescribeRouteTablesCommand({ RouteTableIds: ['rtb-0'] })),
  ],
  [
    '400 InvalidParameterValue',
    'a page of route tables that is too long',
    (send) => send(new DescribeRouteTablesCommand({ MaxResults: 101 })),
  ],
  ['400 InvalidVolume.NotFound', 'an unknown volume', (send) => send(new DescribeVolumesCommand({ VolumeIds: ['vol-0'] }))],
  ['400 InvalidParameterValue', 'an id that is no volume', (send) => send(new DescribeVolumesCommand({ VolumeIds: ['x'] }))],
  [
    '400 InvalidParameterCombination',
    'ids with a page length',
    (send) => send(new DescribeVolumesCommand({ VolumeIds: ['vol-0'], MaxResults: 5 })),
  ],
  ['400 InvalidParameterValue', 'a page of volumes that is too short', (send) => send(new DescribeVolumesCommand({ MaxResults: 4 }))],
  [
    '400 InvalidParameterValue',
    'an unknown filter',
    (send) => send(new DescribeVolumesCommand({ Filters: [{ Name: 'colour', Values: ['red'] }] })),
  ],
  [
    '400 InvalidNetworkInterfaceId.Malformed',
    'an id that is no network interface',
    (send) => send(new DescribeNetworkInterfacesCommand({ NetworkInterfaceIds: ['x'] })),
  ],
  [
    '400 InvalidNetworkInterfaceID.NotFound',
    'an unknown network interface',
    (send) => send(new DescribeNetworkInterfacesCommand({ NetworkInterfaceIds: ['eni-00000001'] })),
  ],
  ['400 InvalidPaginationToken', 'a token that is none', (send) => send(new DescribeNetworkInterfacesCommand({ NextToken: 'x' }))],
  [
    '400 InvalidGroupId.Malformed',
    'an id that is no security group',
    (send) => send(new DescribeSecurityGroupsCommand({ GroupIds: ['x'] })),
  ],
  ['400 InvalidGroup.NotFound', 'an unknown security group', (send) => send(new DescribeSecurityGroupsCommand({ GroupIds: ['sg-0'] }))],
  ['400 InvalidKeyPair.NotFound', 'an unknown key pair', (send) => send(new DescribeKeyPairsCommand({ KeyNames: ['x'] }))],
  ['400 InvalidSnapshot.NotFound', 'an unknown snapshot', (send) => send(new DescribeSnapshotsCommand({ SnapshotIds: ['snap-0'] }))],
  [
    '400 InvalidPlacementGroup.Unknown',
    'an unknown placement group',
    (send) => send(new DescribePlacementGroupsCommand({ GroupNames: ['x'] })),
  ],
  [
    '400 InvalidParameterValue',
    'a page of capacity reservations that is too long',
    (send) => send(new DescribeCapacityReservationsCommand({ MaxResults: 1_001 })),
  ],
  ['400 InvalidParameterValue', 'an unknown region', (send) => send(new DescribeRegionsCommand({ RegionNames: ['mars-1'] }))],
  [
    '400 InvalidParameterValue',
    'an unknown attribute of the account',
    (send) => send(new DescribeAccountAttributesCommand({ AttributeNames: ['colour' as never] })),
  ],
  [
    '400 InvalidInstanceID.NotFound',
    'the attribute of an unknown instance',
    (send) => send(new DescribeInstanceAttributeCommand(ATTRIBUTE)),
  ],
  ['400 MissingParameter', 'no attribute', (send) => send(new DescribeInstanceAttributeCommand({ InstanceId: 'i-00000001' } as never))],
  ['400 MissingParameter', 'no target', (send) => send(new GetSpotPlacementScoresCommand({} as never))],
  ['400 InvalidParameterCombination', 'scores without types', (send) => send(new GetSpotPlacementScoresCommand({ TargetCapacity: 1 }))],
  [
    '400 UnsupportedOperation',
    'scores by requirements',
    (send) =>
      send(new GetSpotPlacementScoresCommand({ TargetCapacity: 1, InstanceRequirementsWithMetadata: { ArchitectureTypes: ['x86_64'] } })),
  ],
];

for (const [code, what, ask] of REFUSALS) {
  test(`refuses ${what}: ${code}`, async () => {
    await withEc2(async ({ send }) => {
      expect(await refusal(ask(send))).toBe(code);
    });
  });
}
