import {
  AutoScalingClient,
  AutoScalingServiceException,
  CreateAutoScalingGroupCommand,
  DescribeAutoScalingGroupsCommand,
  DescribeScalingActivitiesCommand,
  SetDesiredCapacityCommand,
} from '@aws-sdk/client-auto-scaling';
import type { AutoScalingGroup, CreateAutoScalingGroupCommandInput, Instance } from '@aws-sdk/client-auto-scaling';
import { UNSIGNED, sdkConfig } from '../../../clients/aws-sdk.ts';
import type { WireRequest } from '../../../wire/wire.ts';
import { CLUSTER, makeTemplate, withEc2 } from './ec2.ts';
import type { Bench } from './ec2.ts';

/** A fresh EC2 with a running Auto Scaling. */
export interface GroupBench extends Bench {
  readonly groups: AutoScalingClient['send'];
  group(name?: string): Promise<AutoScalingGroup>;
  /** What activities say, newest first. */
  activities(): Promise<string[]>;
  /** Their causes, newest first. */
  causes(): Promise<string[]>;
}

const SUBNETS = Object.values(CLUSTER.subnets).join(',');
export const MINUTE_MS = 60_000;

/** Runs `body` against a fresh EC2 with a running Auto Scaling. */
export async function withGroups(body: (bench: GroupBench) => Promise<void>, seed = 1): Promise<void> {
  await withEc2(
    async (bench) => {
      const { clock, autoscaling } = bench;
      await makeTemplate(bench);
      const stopping = new AbortController();
      const running = autoscaling.controller.run(stopping.signal);
      let spans = 100;
      const wire = (request: WireRequest) => {
        const { backend } = autoscaling;
        return backend.handle(request, backend.describe(request), { principal: 'target', incarnation: 1, span: (spans += 1) });
      };
      const client = new AutoScalingClient({
        ...sdkConfig({ wire, clock, region: CLUSTER.region, timeoutMs: 60_000 }),
        endpoint: 'https://autoscaling.us-east-1.amazonaws.com',
        ...UNSIGNED,
      });
      const groups = ((command: Parameters<AutoScalingClient['send']>[0]) =>
        clock.call('autoscaling', () => client.send(command))) as AutoScalingClient['send'];
      await body({
        ...bench,
        groups,
        group: async (name = 'g') => {
          const { AutoScalingGroups: [found] = [] } = await groups(new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [name] }));
          if (found === undefined) throw new Error(`there is no group ${name}`);
          return found;
        },
        activities: async () => {
          const { Activities = [] } = await groups(new DescribeScalingActivitiesCommand({ AutoScalingGroupName: 'g' }));
          return Activities.map(({ StatusCode, Description }) => `${StatusCode}: ${Description}`);
        },
        causes: async () => {
          const { Activities = [] } = await groups(new DescribeScalingActivitiesCommand({ AutoScalingGroupName: 'g' }));
          return Activities.map(({ Cause = '' }) => Cause);
        },
      });
      stopping.abort(new Error('over'));
      await running;
    },
    { seed },
  );
}

/** Creates the group `g` in all zones. */
export function create(more: Partial<CreateAutoScalingGroupCommandInput> = {}): CreateAutoScalingGroupCommand {
  return new CreateAutoScalingGroupCommand({
    AutoScalingGroupName: 'g',
    MinSize: 0,
    MaxSize: 10,
    VPCZoneIdentifier: SUBNETS,
    MixedInstancesPolicy: {
      LaunchTemplate: {
        LaunchTemplateSpecification: { LaunchTemplateName: 'nodes', Version: '$Latest' },
        Overrides: [{ InstanceType: 'm6i.large' }],
      },
    },
    ...more,
  });
}

/** Sets the size of the group `g`. */
export function resize(DesiredCapacity: number, HonorCooldown = false): SetDesiredCapacityCommand {
  return new SetDesiredCapacityCommand({ AutoScalingGroupName: 'g', DesiredCapacity, HonorCooldown });
}

/** What a request is refused with. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof AutoScalingServiceException) return `${error.$metadata.httpStatusCode} ${error.name}: ${error.message}`;
    throw error;
  }
  return 'none';
}

/** How many instances the largest zone has more than the smallest one. */
export function spreadOf(instances: readonly Instance[] = []): number {
  const counts = Object.keys(CLUSTER.subnets).map((zone) => instances.filter((one) => one.AvailabilityZone === zone).length);
  return Math.max(...counts) - Math.min(...counts);
}
