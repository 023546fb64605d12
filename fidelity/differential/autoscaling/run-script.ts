import * as sdk from '@aws-sdk/client-auto-scaling';
import type { AutoScalingGroup, AutoScalingInstanceDetails, Instance } from '@aws-sdk/client-auto-scaling';
import type { Operation, Script } from './script.ts';

/** One account of a cloud, as used by a script. */
export interface Cloud {
  readonly send: sdk.AutoScalingClient['send'];
  /** Subnets by their zones. */
  readonly subnets: ReadonlyMap<string, string>;
  /** Waits until the effects of a call are complete. */
  settle(): Promise<void>;
}

/** The compared parts of an answer: code and text of a refusal, or what a success shows. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Runs one script. Returns an answer per step. @throws Error if a step gets no answer */
export async function runScript({ id, steps }: Script, cloud: Cloud): Promise<Answer[]> {
  const zones = new Map([...cloud.subnets].map(([zone, subnet]) => [subnet, zone]));
  const answers: Answer[] = [];
  for (const { operation, input } of steps) {
    const text = JSON.stringify(input);
    const members = new Map<string, readonly string[]>();
    for (const [, name = ''] of text.matchAll(/<<(g\d) \d+>>/g)) members.set(name, await membersOf(cloud, name));
    const named = (place: string): string => {
      const [name = '', index] = place.split(' ');
      return (index === undefined ? cloud.subnets.get(name) : members.get(name)?.[Number(index)]) ?? 'i-0fedcba9876543210';
    };
    const filled = JSON.parse(text.replaceAll(/<<([^>]+)>>/g, (_all, place: string) => named(place))) as never;
    try {
      const output = await SENDERS[operation](cloud, filled);
      answers.push({ status: 200, body: view(operation, output, zones) });
    } catch (error) {
      if (!(error instanceof sdk.AutoScalingServiceException)) throw new Error(`${id}: no answer to ${operation}`, { cause: error });
      answers.push({ status: error.$metadata.httpStatusCode ?? 0, body: { code: error.name, message: error.message } });
    }
    await cloud.settle();
  }
  return answers;
}

/** A group's members in service, protected ones first, so that it does not matter which of equal ones a cloud chose to terminate. */
async function membersOf({ send }: Cloud, name: string): Promise<readonly string[]> {
  const { AutoScalingGroups: [group] = [] } = await send(new sdk.DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [name] }));
  const rank = ({ ProtectedFromScaleIn: isProtected }: Instance): number => (isProtected === true ? 0 : 1);
  return [...(group?.Instances ?? [])].sort((a, b) => rank(a) - rank(b)).map(({ InstanceId = '' }) => InstanceId);
}

const SENDERS: Readonly<Record<Operation, (cloud: Cloud, input: never) => Promise<object>>> = {
  CreateAutoScalingGroup: ({ send }, input) => send(new sdk.CreateAutoScalingGroupCommand(input)),
  UpdateAutoScalingGroup: ({ send }, input) => send(new sdk.UpdateAutoScalingGroupCommand(input)),
  SetDesiredCapacity: ({ send }, input) => send(new sdk.SetDesiredCapacityCommand(input)),
  DeleteAutoScalingGroup: ({ send }, input) => send(new sdk.DeleteAutoScalingGroupCommand(input)),
  DescribeAutoScalingGroups: ({ send }, input) => send(new sdk.DescribeAutoScalingGroupsCommand(input)),
  DescribeAutoScalingInstances: ({ send }, input) => send(new sdk.DescribeAutoScalingInstancesCommand(input)),
  TerminateInstanceInAutoScalingGroup: ({ send }, input) => send(new sdk.TerminateInstanceInAutoScalingGroupCommand(input)),
  SetInstanceProtection: ({ send }, input) => send(new sdk.SetInstanceProtectionCommand(input)),
  SuspendProcesses: ({ send }, input) => send(new sdk.SuspendProcessesCommand(input)),
  ResumeProcesses: ({ send }, input) => send(new sdk.ResumeProcessesCommand(input)),
  CreateOrUpdateTags: ({ send }, input) => send(new sdk.CreateOrUpdateTagsCommand(input)),
  DeleteTags: ({ send }, input) => send(new sdk.DeleteTagsCommand(input)),
  DescribeTags: ({ send }, input) => send(new sdk.DescribeTagsCommand(input)),
};

function view(operation: Operation, output: object, zones: ReadonlyMap<string, string>): unknown {
  if (operation === 'DescribeAutoScalingGroups') {
    const { AutoScalingGroups: groups = [], NextToken } = output as sdk.AutoScalingGroupsType;
    return { groups: sorted(groups.map((group) => viewGroup(group, zones))), hasMore: NextToken !== undefined };
  }
  if (operation === 'DescribeAutoScalingInstances') {
    const { AutoScalingInstances: instances = [] } = output as sdk.AutoScalingInstancesType;
    return sorted(instances.map((one) => ({ group: one.AutoScalingGroupName, ...viewInstance(one) })));
  }
  if (operation === 'DescribeTags') return sorted((output as sdk.TagsType).Tags ?? []);
  if (operation !== 'TerminateInstanceInAutoScalingGroup') return {};
  const { Activity: activity } = output as sdk.ActivityType;
  return {
    group: activity?.AutoScalingGroupName,
    description: withoutId(activity?.Description),
    cause: withoutId(activity?.Cause).replace(/^At .*?(?=instance)/, ''),
    status: activity?.StatusCode,
    progress: activity?.Progress,
  };
}

function viewGroup(group: AutoScalingGroup, zones: ReadonlyMap<string, string>): object {
  const { MixedInstancesPolicy: mixed, LaunchTemplate: template = mixed?.LaunchTemplate?.LaunchTemplateSpecification } = group;
  return {
    name: group.AutoScalingGroupName,
    template: [mixed !== undefined, template?.LaunchTemplateName ?? null, template?.Version ?? null],
    sizes: [group.MinSize, group.DesiredCapacity, group.MaxSize],
    cooldown: group.DefaultCooldown,
    health: [group.HealthCheckType, group.HealthCheckGracePeriod],
    zones: sorted(group.AvailabilityZones ?? []),
    subnets: group.VPCZoneIdentifier?.split(',').map((subnet) => zones.get(subnet)),
    instances: sorted((group.Instances ?? []).map(viewInstance)),
    suspended: sorted((group.SuspendedProcesses ?? []).map(({ ProcessName }) => ProcessName)),
    tags: sorted(group.Tags ?? []),
    policies: group.TerminationPolicies,
    isProtected: group.NewInstancesProtectedFromScaleIn,
    rebalances: group.CapacityRebalance,
    balancers: [group.LoadBalancerNames, group.TargetGroupARNs, group.EnabledMetrics],
  };
}

type AnyInstance = Pick<
  AutoScalingInstanceDetails,
  'InstanceType' | 'LifecycleState' | 'HealthStatus' | 'LaunchTemplate' | 'ProtectedFromScaleIn'
>;

function viewInstance({ InstanceType, LifecycleState, HealthStatus, LaunchTemplate, ProtectedFromScaleIn }: AnyInstance): object {
  return {
    type: InstanceType,
    state: LifecycleState,
    // Its spelling is not the same in both lists.
    health: HealthStatus?.toLowerCase(),
    template: [LaunchTemplate?.LaunchTemplateName ?? null, LaunchTemplate?.Version ?? null],
    isProtected: ProtectedFromScaleIn,
  };
}

function sorted(list: readonly unknown[]): unknown[] {
  return [...list].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function withoutId(text = ''): string {
  return text.replaceAll(/i-[0-9a-f]{17}/g, 'ID');
}
