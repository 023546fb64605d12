import type {
  AttachInstancesQuery,
  DetachInstancesQuery,
  SetInstanceHealthQuery,
  SetInstanceProtectionQuery,
  TerminateInstanceInAutoScalingGroupType,
} from '@aws-sdk/client-auto-scaling';
import type { Caller } from '../../../wire/backend.ts';
import { GROUP_TAG } from '../instances.ts';
import { outcome } from '../operation.ts';
import type { Outcome } from '../operation.ts';
import { memberFrom, unitsOf } from './group.ts';
import type { Member } from './group.ts';
import { openGroup } from './group-operations.ts';
import { instanceNotFound, missing, validationError } from './refusals.ts';
import type { AutoScalingSite } from './service.ts';
import { writeActivity } from './views.ts';
import { at } from './words.ts';

/**
 * Terminates a member at once, with or without making its group smaller. Sources of what it and the others here say: the API
 * reference, buildkite/elastic-ci-stack-for-aws#1261, yaybu/touchdown#51, guardian/riff-raff#510 and reproio/ecs_deploy#47 and #56.
 */
export function terminateInstance(site: AutoScalingSite, input: TerminateInstanceInAutoScalingGroupType, { span }: Caller): Outcome {
  const { account, groups, controller } = site;
  const { InstanceId: id, ShouldDecrementDesiredCapacity: isSmaller } = input;
  if (id === undefined) throw missing('instanceId');
  if (isSmaller === undefined) throw missing('shouldDecrementDesiredCapacity');
  const member = groups.member(id);
  if (member === undefined) throw instanceNotFound(id);
  const group = openGroup(site, member.group);
  const { name, min, desired } = group;
  if (member.lifecycle === 'Terminating') {
    const running = groups.activity(member.activity ?? '');
    return outcome({ Activity: running === undefined ? undefined : writeActivity(running, group) }, []);
  }
  const start = `At ${at(account.clock)} instance ${id} was taken out of service in response to a user request`;
  if (isSmaller) {
    const left = desired - unitsOf([member]);
    if (left < min) throw belowMinimum(desired, min);
    groups.keep({ ...group, desired: left }, span);
    const ended = controller.terminate(member, `${start}, shrinking the capacity from ${desired} to ${left}.`, span);
    controller.changed(name);
    return answer(site, name, ended, id);
  }
  const ended = controller.terminate(member, `${start}.`, span);
  controller.changed(name);
  return answer(site, name, ended, id);
}

function belowMinimum(desired: number, min: number): Error {
  return validationError(
    desired === min
      ? `Currently, desiredSize equals minSize (${min}). Terminating instance without replacement will violate group's min size constraint. Either set shouldDecrementDesiredCapacity flag to false or lower group's min size.`
      : `Terminating instance without replacement will violate group's min size constraint. Either set shouldDecrementDesiredCapacity flag to false or lower group's min size.`,
  );
}

function answer({ groups }: AutoScalingSite, name: string, activityId: string, instance: string): Outcome {
  const activity = groups.activity(activityId);
  if (activity === undefined) return outcome({}, [instance]);
  // The API reference shows it before anything is done.
  return outcome({ Activity: { ...writeActivity({ ...activity, status: 'InProgress' }, groups.find(name)), Progress: 0 } }, [instance]);
}

/** Switches protection from scale-in. */
export function setInstanceProtection(site: AutoScalingSite, input: SetInstanceProtectionQuery): Outcome {
  const { ProtectedFromScaleIn: isProtected } = input;
  const group = openGroup(site, input.AutoScalingGroupName);
  if (isProtected === undefined) throw missing('protectedFromScaleIn');
  const members = (input.InstanceIds ?? []).map((id) => {
    const member = site.groups.member(id);
    if (member?.group !== group.name) throw validationError(`The instance ${id} is not part of Auto Scaling group ${group.name}.`);
    if (!['InService', 'EnteringStandby', 'Standby'].includes(member.lifecycle)) {
      throw validationError(`The instance ${id} is not in InService or EnteringStandby or Standby.`);
    }
    return member;
  });
  for (const member of members) site.groups.keepMember({ ...member, isProtected });
  if (!isProtected) site.controller.changed(group.name);
  return outcome(
    {},
    members.map(({ instance }) => instance),
  );
}

/** Says that a member is healthy or not. */
export function setInstanceHealth(site: AutoScalingSite, input: SetInstanceHealthQuery): Outcome {
  const { account, groups, controller } = site;
  const { InstanceId: id, HealthStatus: status, ShouldRespectGracePeriod: isPatient = true } = input;
  if (id === undefined) throw missing('instanceId');
  if (status !== 'Healthy' && status !== 'Unhealthy')
    throw validationError(`Invalid HealthStatus ${status ?? ''}: valid values are Healthy and Unhealthy.`);
  const member = groups.member(id);
  if (member === undefined) throw instanceNotFound(id);
  const group = groups.get(member.group);
  const ageMs = account.clock.nowMs() - (member.inServiceAtMs ?? account.clock.nowMs());
  if (status === 'Unhealthy' && isPatient && ageMs < group.graceS * 1_000) return outcome({}, []);
  groups.keepMember({ ...member, isHealthy: status === 'Healthy' });
  controller.changed(group.name);
  return outcome({}, [id]);
}

/** Takes running instances into a group, which becomes larger by as many. */
export function attachInstances(site: AutoScalingSite, input: AttachInstancesQuery, { span }: Caller): Outcome {
  const { account, groups } = site;
  const group = openGroup(site, input.AutoScalingGroupName);
  const ids = input.InstanceIds ?? [];
  const desired = group.desired + ids.length;
  if (desired > group.max) {
    // Source: LeanerCloud/AutoSpotting#407.
    const sizes = `min-size=${group.min}, max-size=${group.max}, and desired-size=${group.desired}`;
    const what = ids.length === 1 ? 'instance' : 'instances';
    throw validationError(
      `AutoScalingGroup ${group.name} has ${sizes}. To attach ${ids.length} ${what}, please update the AutoScalingGroup sizes appropriately.`,
    );
  }
  const members = ids.map((id): Member => {
    const record = account.instances.get(id);
    if (record === undefined) throw validationError(`Invalid Instance ID(s): [${id}] specified.`);
    const other = groups.member(id);
    if (other !== undefined) throw validationError(`Instance ${id} is already part of AutoScalingGroup:${other.group}.`);
    if (record.state !== 'running')
      throw validationError(`Instance ${id} is not in correct state. Instance(s) must be in 'running' state.`);
    if (!group.subnets.includes(record.subnetId))
      throw validationError(`Instance ${id} is not in a subnet of AutoScalingGroup:${group.name}.`);
    return {
      ...memberFrom(group, record),
      lifecycle: 'InService',
      weight: 1,
      hasWeight: false,
      inServiceAtMs: account.clock.nowMs(),
    };
  });
  for (const member of members) {
    groups.keepMember(member);
    account.instances.retag(member.instance, (tags) => ({ ...tags, [GROUP_TAG]: group.name }), span);
  }
  groups.keep({ ...group, desired }, span);
  return outcome({}, ids);
}

/** Takes members out of a group; they go on running. */
export function detachInstances(site: AutoScalingSite, input: DetachInstancesQuery, { span }: Caller): Outcome {
  const { account, groups, controller } = site;
  const { ShouldDecrementDesiredCapacity: isSmaller } = input;
  if (isSmaller === undefined) throw missing('shouldDecrementDesiredCapacity');
  const group = openGroup(site, input.AutoScalingGroupName);
  const members = (input.InstanceIds ?? []).map((id) => {
    const member = groups.member(id);
    if (member?.group !== group.name) throw validationError(`The instance ${id} is not part of Auto Scaling group ${group.name}.`);
    if (member.lifecycle !== 'InService' && member.lifecycle !== 'Standby')
      throw validationError(`The instance ${id} is not in InService or Standby.`);
    return member;
  });
  const desired = isSmaller ? group.desired - unitsOf(members) : group.desired;
  if (desired < group.min) throw belowMinimum(group.desired, group.min);
  const now = at(account.clock);
  const sizes = isSmaller ? `, shrinking the capacity from ${group.desired} to ${desired}` : '';
  const activities = members.map(({ instance, subnetId, zone }) => {
    const cause = `At ${now} instance ${instance} was detached in response to a user request${sizes}.`;
    const description = `Detaching EC2 instance: ${instance}`;
    const { id } = groups.begin({ group: group.name, what: 'terminate', instance, description, cause, subnetId, zone });
    groups.removeMember(instance);
    groups.end(id);
    account.instances.retag(instance, ({ [GROUP_TAG]: _group, ...tags }) => tags, span);
    return id;
  });
  groups.keep({ ...group, desired }, span);
  controller.changed(group.name);
  const written = activities.flatMap((id) => groups.activity(id) ?? []).map((activity) => writeActivity(activity, group));
  return outcome(
    { Activities: written },
    members.map(({ instance }) => instance),
  );
}
