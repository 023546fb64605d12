import type {
  Activity as SdkActivity,
  AutoScalingGroup,
  AutoScalingInstanceDetails,
  Instance,
  TagDescription,
} from '@aws-sdk/client-auto-scaling';
import { defined } from '../../../model/defined.ts';
import type { Account } from '../operation.ts';
import { ACCOUNT_ID } from '../operation.ts';
import { wholeSecond } from '../times.ts';
import { onDemandStrategy } from './group.ts';
import type { Activity, Group, Member } from './group.ts';

/** Source: "Service-linked roles for Amazon EC2 Auto Scaling". */
const ROLE = `arn:aws:iam::${ACCOUNT_ID}:role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling`;

/** Whether an instance waits for a lifecycle hook. */
type IsWaiting = (instance: string) => boolean;

/** A group as DescribeAutoScalingGroups shows it. */
export function writeGroup({ network }: Account, group: Group, members: readonly Member[], isWaiting: IsWaiting): AutoScalingGroup {
  const { template, mixed } = group;
  const zones = group.subnets.flatMap((id) => network.subnets.find((subnet) => subnet.id === id)?.zone ?? []);
  return {
    AutoScalingGroupName: group.name,
    AutoScalingGroupARN: group.arn,
    ...(mixed === undefined
      ? { LaunchTemplate: template }
      : {
          MixedInstancesPolicy: {
            LaunchTemplate: { LaunchTemplateSpecification: template, Overrides: [...mixed.overrides] },
            InstancesDistribution: {
              OnDemandAllocationStrategy: onDemandStrategy(group),
              OnDemandBaseCapacity: 0,
              OnDemandPercentageAboveBaseCapacity: 100,
              SpotAllocationStrategy: 'lowest-price',
              ...mixed.distribution,
            },
          },
        }),
    MinSize: group.min,
    MaxSize: group.max,
    DesiredCapacity: group.desired,
    DefaultCooldown: group.cooldownS,
    AvailabilityZones: [...new Set(zones)],
    LoadBalancerNames: [],
    TargetGroupARNs: [],
    HealthCheckType: group.healthCheckType,
    HealthCheckGracePeriod: group.graceS,
    Instances: members.map((member) => writeInstance(member, isWaiting)),
    CreatedTime: new Date(group.createdAtMs),
    SuspendedProcesses: [...group.suspended].map(([ProcessName, SuspensionReason]) => ({ ProcessName, SuspensionReason })),
    VPCZoneIdentifier: group.subnets.join(','),
    EnabledMetrics: [],
    ...(group.isDeleting ? { Status: 'Delete in progress' } : {}),
    Tags: writeGroupTags(group),
    TerminationPolicies: [...group.terminationPolicies],
    NewInstancesProtectedFromScaleIn: group.protectsNew,
    ServiceLinkedRoleARN: ROLE,
    CapacityRebalance: group.capacityRebalance,
    ...defined({
      DefaultInstanceWarmup: group.warmupS,
      MaxInstanceLifetime: group.maxLifetimeS === 0 ? undefined : group.maxLifetimeS,
      Context: group.context,
    }),
    TrafficSources: [],
  };
}

/** A group's tags, in the order of their keys. */
export function writeGroupTags({ name, tags }: Group): TagDescription[] {
  return [...tags.keys()].sort().map((key) => {
    const { value = '', propagate = false } = tags.get(key) ?? {};
    return { ResourceId: name, ResourceType: 'auto-scaling-group', Key: key, Value: value, PropagateAtLaunch: propagate };
  });
}

function writeInstance(member: Member, isWaiting: IsWaiting): Instance {
  const { instance, instanceType, zone, lifecycle, isHealthy, isProtected, template } = member;
  return {
    InstanceId: instance,
    InstanceType: instanceType,
    AvailabilityZone: zone,
    LifecycleState: (lifecycle === 'Pending' || lifecycle === 'Terminating') && isWaiting(instance) ? `${lifecycle}:Wait` : lifecycle,
    HealthStatus: isHealthy ? 'Healthy' : 'Unhealthy',
    ...writeTemplate(template),
    ProtectedFromScaleIn: isProtected,
    ...(member.hasWeight ? { WeightedCapacity: String(member.weight) } : {}),
  };
}

/** A member as DescribeAutoScalingInstances shows it: health in capitals, as the API reference says. */
export function writeInstanceDetails(member: Member, isWaiting: IsWaiting): AutoScalingInstanceDetails {
  return {
    ...writeInstance(member, isWaiting),
    AutoScalingGroupName: member.group,
    HealthStatus: member.isHealthy ? 'HEALTHY' : 'UNHEALTHY',
  };
}

function writeTemplate(template: Member['template']): Pick<Instance, 'LaunchTemplate'> {
  if (template === undefined) return {};
  const { id, name, version } = template;
  return { LaunchTemplate: { LaunchTemplateId: id, LaunchTemplateName: name, Version: String(version) } };
}

/** An activity as DescribeScalingActivities shows it: ends are in whole seconds, as in all quoted ones. */
export function writeActivity(activity: Activity, group: Pick<Group, 'arn'> | undefined): SdkActivity {
  const { id, description, cause, startMs, endMs, status, message, subnetId, zone } = activity;
  return {
    ActivityId: id,
    AutoScalingGroupName: activity.group,
    Description: description,
    Cause: cause,
    StartTime: new Date(startMs),
    ...defined({ EndTime: endMs === undefined ? undefined : wholeSecond(endMs) }),
    StatusCode: status,
    ...defined({ StatusMessage: message }),
    Progress: status === 'InProgress' ? 50 : 100,
    Details: JSON.stringify({ 'Subnet ID': subnetId, 'Availability Zone': zone }),
    ...(group === undefined ? { AutoScalingGroupState: 'Deleted' } : { AutoScalingGroupARN: group.arn }),
  };
}
