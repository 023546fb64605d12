import { defined } from '../../model/defined.ts';
import { formatTime } from '../../model/time.ts';
import type { Instance } from '../ports.ts';
import type { LifecycleAction } from './autoscaling/lifecycle-actions.ts';
import { ACCOUNT_ID } from './operation.ts';

/** The identity of an event. */
interface Stamp {
  /** A UUID. */
  readonly id: string;
  readonly region: string;
  /** In ms since the epoch. */
  readonly atMs: number;
}

/** The parts of an event that differ between kinds. */
export interface EventContent {
  readonly detailType: string;
  readonly source: 'aws.ec2' | 'aws.health' | 'aws.autoscaling';
  readonly resources: readonly string[];
  readonly detail: object;
}

/** The message that EventBridge sends to a queue. Source: "Events in Amazon EventBridge", structure of events. */
export function formatEvent({ id, region, atMs }: Stamp, { detailType, source, resources, detail }: EventContent): string {
  return JSON.stringify({
    version: '0',
    id,
    'detail-type': detailType,
    source,
    account: ACCOUNT_ID,
    time: formatTime(atMs),
    region,
    resources,
    detail,
  });
}

/** Source: "Spot Instance interruption notices"; as on that page, the ARN has the zone and no account. */
export function spotInterruptionWarning({ id, zone }: Pick<Instance, 'id' | 'zone'>): EventContent {
  return {
    detailType: 'EC2 Spot Instance Interruption Warning',
    source: 'aws.ec2',
    resources: [`arn:aws:ec2:${zone}:instance/${id}`],
    detail: { 'instance-id': id, 'instance-action': 'terminate' },
  };
}

/** Source: "EC2 instance rebalance recommendations". */
export function rebalanceRecommendation(region: string, { id }: Pick<Instance, 'id'>): EventContent {
  return {
    detailType: 'EC2 Instance Rebalance Recommendation',
    source: 'aws.ec2',
    resources: [instanceArn(region, id)],
    detail: { 'instance-id': id },
  };
}

/** Source: "State change events for your instances". */
export function stateChange(region: string, { id, state }: Pick<Instance, 'id' | 'state'>): EventContent {
  return {
    detailType: 'EC2 Instance State-change Notification',
    source: 'aws.ec2',
    resources: [instanceArn(region, id)],
    detail: { 'instance-id': id, state },
  };
}

/** An instance waits for a lifecycle hook. Source: "Amazon EC2 Auto Scaling event reference", lifecycle action events. */
export function lifecycleAction({ hook, group, instance, token }: LifecycleAction): EventContent {
  const isLaunch = hook.transition === 'autoscaling:EC2_INSTANCE_LAUNCHING';
  return {
    detailType: `EC2 Instance-${isLaunch ? 'launch' : 'terminate'} Lifecycle Action`,
    source: 'aws.autoscaling',
    resources: [group.arn],
    detail: {
      LifecycleActionToken: token,
      AutoScalingGroupName: group.name,
      LifecycleHookName: hook.name,
      EC2InstanceId: instance,
      LifecycleTransition: hook.transition,
      ...defined({ NotificationMetadata: hook.metadata }),
      Origin: isLaunch ? 'EC2' : 'AutoScalingGroup',
      Destination: isLaunch ? 'AutoScalingGroup' : 'EC2',
    },
  };
}

/**
 * EC2 announces that it will retire the host of an instance. Source: "AWS Health events Amazon EventBridge schema" for the
 * fields and their order, `AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED` for the type; the description's wording is ours.
 */
export function scheduledChange(options: {
  readonly region: string;
  readonly instance: Pick<Instance, 'id' | 'tags'>;
  readonly atMs: number;
  readonly startsAtMs: number;
  /** Makes the event's ARN unique. */
  readonly serial: string;
}): EventContent {
  const { region, instance, atMs, startsAtMs, serial } = options;
  const code = 'AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED';
  const description = `EC2 has detected degradation of the underlying hardware hosting your Amazon EC2 instance (instance-ID: ${instance.id}).`;
  return {
    detailType: 'AWS Health Event',
    source: 'aws.health',
    resources: [instance.id],
    detail: {
      eventArn: `arn:aws:health:${region}::event/EC2/${code}/${code}_${serial}`,
      service: 'EC2',
      eventTypeCode: code,
      eventTypeCategory: 'scheduledChange',
      eventScopeCode: 'ACCOUNT_SPECIFIC',
      communicationId: serial,
      startTime: formatHealthTime(startsAtMs),
      lastUpdatedTime: formatHealthTime(atMs),
      statusCode: 'upcoming',
      eventRegion: region,
      eventDescription: [{ language: 'en_US', latestDescription: description }],
      affectedEntities: [{ entityValue: instance.id, tags: instance.tags }],
      page: '1',
      totalPages: '1',
      affectedAccount: ACCOUNT_ID,
    },
  };
}

function instanceArn(region: string, id: string): string {
  return `arn:aws:ec2:${region}:${ACCOUNT_ID}:instance/${id}`;
}

/** `Sat, 05 Jun 2016 15:10:09 GMT` */
function formatHealthTime(ms: number): string {
  return new Date(ms).toUTCString();
}
