import {
  CreateFleetCommand,
  DescribeCapacityReservationsCommand,
  DescribeInstanceStatusCommand,
  DescribeInstanceTypesCommand,
  DescribeInstancesCommand,
  DescribeSpotPriceHistoryCommand,
  DescribeSubnetsCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import type { CreateFleetCommandInput, CreateFleetCommandOutput, _InstanceType } from '@aws-sdk/client-ec2';
import { codeOf } from './probe-bench.ts';
import type { ProbeBench } from './probe-bench.ts';

/** Whether an endpoint has a gap, and the evidence. */
export interface GapSeen {
  readonly present: boolean;
  readonly evidence: string;
}

/** How an emulator of EC2 may differ from EC2, and how to detect it. Instances launched by a probe are terminated afterwards. */
export interface Gap {
  readonly name: string;
  /** What EC2 does. */
  readonly ec2: string;
  readonly probe: (bench: ProbeBench) => Promise<GapSeen>;
}

const TYPES = ['c5.large', 'm5.large', 'r5.large'] as const;
const PAGE = 5;

function fleet(bench: ProbeBench, count: number, more: Partial<CreateFleetCommandInput> = {}): Promise<CreateFleetCommandOutput> {
  const overrides = TYPES.map((type) => ({ InstanceType: type, SubnetId: bench.subnetId }));
  return bench.ec2.send(
    new CreateFleetCommand({
      Type: 'instant',
      LaunchTemplateConfigs: [
        { LaunchTemplateSpecification: { LaunchTemplateId: bench.templateId, Version: '$Latest' }, Overrides: overrides },
      ],
      TargetCapacitySpecification: { TotalTargetCapacity: count, DefaultTargetCapacityType: 'spot' },
      ...more,
    }),
  );
}

function idsIn({ Instances = [] }: CreateFleetCommandOutput): readonly string[] {
  return Instances.flatMap(({ InstanceIds = [] }) => InstanceIds);
}

/**
 * The known gaps of LocalStack and moto. Not included is what no probe can show: that no answer ever reports missing
 * capacity, quotas or throttling, and that terminated instances are listed for ever.
 */
export const GAPS: readonly Gap[] = [
  {
    name: 'fleet.market',
    ec2: 'CreateFleet launches spot capacity if DefaultTargetCapacityType is spot',
    probe: async (bench) => {
      await fleet(bench, 1);
      const [instance] = await bench.living();
      return { present: instance?.InstanceLifecycle !== 'spot', evidence: `lifecycle ${instance?.InstanceLifecycle ?? 'on demand'}` };
    },
  },
  {
    name: 'fleet.report',
    ec2: "CreateFleet's answer names every instance that it launched",
    probe: async (bench) => {
      const reported = idsIn(await fleet(bench, 5)).length;
      const launched = (await bench.living()).length;
      return { present: reported !== launched, evidence: `${launched} launched, ${reported} reported` };
    },
  },
  {
    name: 'fleet.overrides',
    ec2: "CreateFleet's answer names the template and override of each instance",
    probe: async (bench) => {
      const { Instances: [first] = [] } = await fleet(bench, 1);
      const named = first?.LaunchTemplateAndOverrides;
      return {
        present: named?.Overrides === undefined,
        evidence: named === undefined ? 'no launchTemplateAndOverrides' : JSON.stringify(named),
      };
    },
  },
  {
    name: 'fleet.dry-run',
    ec2: 'CreateFleet with DryRun launches nothing and answers DryRunOperation, 412',
    probe: async (bench) => {
      const code = await codeOf(fleet(bench, 1, { DryRun: true }));
      const launched = (await bench.living()).length;
      return { present: launched > 0 || code !== 'DryRunOperation 412', evidence: `${code ?? 'no error'}, ${launched} launched` };
    },
  },
  {
    name: 'fleet.client-token',
    ec2: 'CreateFleet with the same ClientToken launches once',
    probe: async (bench) => {
      for (let time = 0; time < 2; time += 1) await fleet(bench, 1, { ClientToken: 'probe-fleet' });
      const launched = (await bench.living()).length;
      return { present: launched > 1, evidence: `${launched} launched by two requests` };
    },
  },
  {
    name: 'run.client-token',
    ec2: 'RunInstances with the same ClientToken launches once',
    probe: async (bench) => {
      for (let time = 0; time < 2; time += 1) await bench.run({ ClientToken: 'probe-run' });
      const launched = (await bench.living()).length;
      return { present: launched > 1, evidence: `${launched} launched by two requests` };
    },
  },
  {
    name: 'run.dry-run',
    ec2: 'RunInstances with DryRun launches nothing and answers DryRunOperation, 412',
    probe: async (bench) => {
      const code = await codeOf(bench.run({ DryRun: true }));
      const launched = (await bench.living()).length;
      return { present: launched > 0 || code !== 'DryRunOperation 412', evidence: `${code ?? 'no error'}, ${launched} launched` };
    },
  },
  {
    name: 'run.max-count',
    ec2: 'RunInstances launches MaxCount instances if there is room',
    probe: async (bench) => {
      const launched = (await bench.run({ MinCount: 1, MaxCount: 3 })).length;
      return { present: launched !== 3, evidence: `MinCount 1, MaxCount 3: ${launched} launched` };
    },
  },
  {
    name: 'run.unknown-type',
    ec2: 'RunInstances refuses an unknown instance type',
    probe: async (bench) => {
      const code = await codeOf(bench.run({ InstanceType: 'z99.mega' as _InstanceType }));
      return { present: code === undefined, evidence: code ?? 'z99.mega launched' };
    },
  },
  {
    name: 'template.security-groups',
    ec2: "an instance has its launch template's security groups",
    probe: async (bench) => {
      await bench.run({ LaunchTemplate: { LaunchTemplateId: bench.templateId }, SubnetId: bench.subnetId });
      const groups = (await bench.living()).flatMap(({ SecurityGroups = [] }) => SecurityGroups.map(({ GroupId }) => GroupId));
      return {
        present: !groups.includes(bench.securityGroupId),
        evidence: `groups ${groups.join(', ') || 'none'}, not ${bench.securityGroupId}`,
      };
    },
  },
  {
    name: 'states.pending',
    ec2: 'an instance is pending for seconds before it runs',
    probe: async (bench) => {
      await bench.run();
      const [instance] = await bench.living();
      return { present: instance?.State?.Name !== 'pending', evidence: `${instance?.State?.Name ?? 'unknown'} at once` };
    },
  },
  {
    name: 'states.shutting-down',
    ec2: 'an instance is shutting down for seconds before it is terminated',
    probe: async (bench) => {
      const [{ InstanceId: id = '' } = {}] = await bench.run();
      await bench.ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
      const state = (await bench.all()).find(({ InstanceId }) => InstanceId === id)?.State?.Name;
      return { present: state === 'terminated', evidence: `${state ?? 'gone'} at once` };
    },
  },
  {
    name: 'addresses.return',
    ec2: "a terminated instance's address is free again, even if its interface has no DeleteOnTermination",
    probe: async (bench) => {
      const free = async (): Promise<number | undefined> => {
        const { Subnets: [subnet] = [] } = await bench.ec2.send(new DescribeSubnetsCommand({ SubnetIds: [bench.subnetId] }));
        return subnet?.AvailableIpAddressCount;
      };
      const before = await free();
      await bench.run();
      await bench.clear();
      const after = await free();
      return { present: after !== before, evidence: `${before} addresses before, ${after} after` };
    },
  },
  {
    name: 'instances.lifecycle-filter',
    ec2: 'DescribeInstances supports the filter instance-lifecycle',
    probe: (bench) =>
      refuses(bench.ec2.send(new DescribeInstancesCommand({ Filters: [{ Name: 'instance-lifecycle', Values: ['spot'] }] }))),
  },
  {
    name: 'instances.token',
    ec2: 'DescribeInstances refuses a token that it never issued with a client error',
    probe: async (bench) => {
      const code = await codeOf(bench.ec2.send(new DescribeInstancesCommand({ NextToken: 'none-of-yours', MaxResults: PAGE })));
      return { present: code === undefined || / 5\d\d$/.test(code), evidence: code ?? 'accepted' };
    },
  },
  {
    name: 'instances.pages',
    ec2: 'a page of DescribeInstances has at most MaxResults instances',
    probe: async (bench) => {
      await bench.run({ MinCount: PAGE + 1, MaxCount: PAGE + 1 });
      const Filters = [{ Name: 'instance-state-name', Values: ['pending', 'running'] }];
      const { Reservations = [] } = await bench.ec2.send(new DescribeInstancesCommand({ MaxResults: PAGE, Filters }));
      const count = Reservations.flatMap(({ Instances = [] }) => Instances).length;
      return { present: count > PAGE, evidence: `MaxResults ${PAGE}: ${count} instances` };
    },
  },
  {
    name: 'status.filters',
    ec2: 'DescribeInstanceStatus applies its filters',
    probe: async (bench) => {
      await bench.run();
      const Filters = [{ Name: 'instance-status.status', Values: ['impaired'] }];
      const { InstanceStatuses = [] } = await bench.ec2.send(new DescribeInstanceStatusCommand({ Filters }));
      return { present: InstanceStatuses.length > 0, evidence: `impaired: ${InstanceStatuses.length} instances` };
    },
  },
  {
    name: 'types.pages',
    ec2: 'a page of DescribeInstanceTypes has at most MaxResults types',
    probe: async (bench) => {
      const Filters = [{ Name: 'instance-type', Values: ['m5.*'] }];
      const { InstanceTypes = [] } = await bench.ec2.send(new DescribeInstanceTypesCommand({ MaxResults: PAGE, Filters }));
      return { present: InstanceTypes.length > PAGE, evidence: `MaxResults ${PAGE}: ${InstanceTypes.length} types` };
    },
  },
  {
    name: 'spot-prices',
    ec2: 'spot prices differ by type',
    probe: async (bench) => {
      const command = new DescribeSpotPriceHistoryCommand({ InstanceTypes: [...TYPES], ProductDescriptions: ['Linux/UNIX'] });
      const { SpotPriceHistory = [] } = await bench.ec2.send(command);
      const prices = [...new Set(SpotPriceHistory.map(({ SpotPrice }) => SpotPrice))];
      return { present: prices.length < 2, evidence: `${SpotPriceHistory.length} prices: ${prices.slice(0, 5).join(', ')}` };
    },
  },
  {
    name: 'capacity-reservations',
    ec2: 'DescribeCapacityReservations is implemented',
    probe: (bench) => refuses(bench.ec2.send(new DescribeCapacityReservationsCommand({}))),
  },
];

async function refuses(work: Promise<unknown>): Promise<GapSeen> {
  const code = await codeOf(work);
  return { present: code !== undefined, evidence: code ?? 'answered' };
}
