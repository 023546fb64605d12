import type {
  CreateAutoScalingGroupType,
  DeleteAutoScalingGroupType,
  ScalingProcessQuery,
  SetDesiredCapacityType,
  UpdateAutoScalingGroupType,
} from '@aws-sdk/client-auto-scaling';
import { QueryRefusal } from '../../../protocols/aws-query/codec.ts';
import type { Caller } from '../../../wire/backend.ts';
import { drawUuid } from '../ids.ts';
import { ACCOUNT_ID, outcome } from '../operation.ts';
import type { Outcome } from '../operation.ts';
import type { Group, GroupTag } from './group.ts';
import { missing, validationError } from './refusals.ts';
import { groupId } from './service.ts';
import type { AutoScalingSite } from './service.ts';
import { readChangedSettings, readNewSettings } from './settings.ts';
import { readGroupTags } from './tag-operations.ts';
import { at } from './words.ts';

/** Source: "Quotas for Auto Scaling resources and groups". */
export const GROUPS_MAX = 500;
const NAME = /^[\u0020-\ud7ff\ue000-\ufffd]{1,255}$/;
/** Source: "Suspend and resume Amazon EC2 Auto Scaling processes". */
const PROCESSES = [
  'Launch',
  'Terminate',
  'AddToLoadBalancer',
  'AlarmNotification',
  'AZRebalance',
  'HealthCheck',
  'InstanceRefresh',
  'ReplaceUnhealthy',
  'ScheduledActions',
] as const;

/** Creates a group; its instances come later. Sources of the refusals: hashicorp/terraform#17489 and, for sizes, convox/praxis#258. */
export function createGroup(
  { account, groups, controller }: AutoScalingSite,
  input: CreateAutoScalingGroupType,
  { span }: Caller,
): Outcome {
  const { AutoScalingGroupName: name } = input;
  if (name === undefined) throw missing('autoScalingGroupName');
  if (!NAME.test(name) || name.includes(':')) throw validationError(`Group name '${name}' is not valid.`);
  if (groups.find(name) !== undefined) {
    throw new QueryRefusal('AlreadyExists', `AutoScalingGroup by this name already exists - A group with the name ${name} already exists`);
  }
  if (groups.list().length >= GROUPS_MAX) {
    throw new QueryRefusal('LimitExceeded', `You have already reached your limit of ${GROUPS_MAX} auto scaling groups.`);
  }
  const settings = readNewSettings(account, input, span);
  const id = drawUuid(account.random);
  const group: Group = {
    ...settings,
    name,
    arn: `arn:aws:autoscaling:${account.cluster.region}:${ACCOUNT_ID}:autoScalingGroup:${id}:autoScalingGroupName/${name}`,
    createdAtMs: account.clock.nowMs(),
    tags: readGroupTags(new Map<string, GroupTag>(), input.Tags),
    suspended: new Map<string, string>(),
    isDeleting: false,
  };
  groups.keep(group, span);
  const cause = `At ${at(account.clock)} a user request created an AutoScalingGroup changing the desired capacity from 0 to ${group.desired}.`;
  controller.changed(name, { cause, span });
  return outcome({}, [groupId(name)]);
}

/** Changes settings of a group. */
export function updateGroup(site: AutoScalingSite, input: UpdateAutoScalingGroupType, { span }: Caller): Outcome {
  const { account, groups, controller } = site;
  // Sources: aws/aws-sdk-go#1151, moto 5.2.1.
  if (groups.find(input.AutoScalingGroupName ?? '') === undefined) throw validationError('AutoScalingGroup name not found - null');
  const group = openGroup(site, input.AutoScalingGroupName);
  const { mixed: _mixed, ...rest } = group;
  const changed: Group = { ...rest, ...readChangedSettings(account, group, input, span) };
  groups.keep(changed, span);
  const { name, min, max, desired } = changed;
  if (desired === group.desired) controller.changed(name);
  else {
    const cause = `At ${at(account.clock)} a user request update of AutoScalingGroup constraints to min: ${min}, max: ${max}, desired: ${desired} changing the desired capacity from ${group.desired} to ${desired}.`;
    controller.changed(name, { cause, span });
  }
  return outcome({}, [groupId(name)]);
}

/** Deletes a group; with ForceDelete, its instances too. Sources of the refusals: cloud-custodian/cloud-custodian#1686 and #1689. */
export function deleteGroup(site: AutoScalingSite, input: DeleteAutoScalingGroupType, { span }: Caller): Outcome {
  const { account, groups, controller, actions } = site;
  const group = openGroup(site, input.AutoScalingGroupName);
  const { name } = group;
  const members = groups.members(name);
  if (input.ForceDelete !== true) {
    if (members.some(({ lifecycle }) => lifecycle !== 'Terminating')) {
      const message =
        'You cannot delete an AutoScalingGroup while there are instances or pending Spot instance request(s) still in the group.';
      throw new QueryRefusal('ResourceInUse', message);
    }
    if (members.length > 0) {
      const message = 'You cannot delete an AutoScalingGroup while there are scaling activities in progress for that group.';
      throw new QueryRefusal('ScalingActivityInProgress', message);
    }
  }
  if (members.length === 0) {
    groups.delete(group, span);
    controller.forget(name);
    return outcome({}, [groupId(name)]);
  }
  groups.keep({ ...group, min: 0, max: 0, desired: 0, isDeleting: true }, span);
  for (const member of members) {
    if (member.lifecycle === 'Terminating') {
      // "This option also deletes any outstanding lifecycle actions associated with the group." Source: DeleteAutoScalingGroup.
      for (const hook of actions.hooks(name)) actions.complete(member.instance, hook.name, 'ABANDON');
      continue;
    }
    controller.terminate(
      member,
      `At ${at(account.clock)} instance ${member.instance} was taken out of service in response to a user request.`,
      span,
    );
  }
  controller.changed(name);
  return outcome({}, [groupId(name)]);
}

/** Sets a group's size; its instances follow. */
export function setDesiredCapacity(site: AutoScalingSite, input: SetDesiredCapacityType, { span }: Caller): Outcome {
  const { account, groups, controller } = site;
  const { DesiredCapacity: desired, HonorCooldown: honor = false } = input;
  const group = openGroup(site, input.AutoScalingGroupName);
  if (desired === undefined) throw missing('desiredCapacity');
  if (desired > group.max) {
    throw validationError(`New SetDesiredCapacity value ${desired} is above max value ${group.max} for the AutoScalingGroup.`);
  }
  if (desired < group.min) {
    throw validationError(`New SetDesiredCapacity value ${desired} is below min value ${group.min} for the AutoScalingGroup.`);
  }
  if (honor) refuseDuringCooldown(site, group);
  const cause = `At ${at(account.clock)} a user request explicitly set group desired capacity changing the desired capacity from ${group.desired} to ${desired}.`;
  groups.keep({ ...group, desired }, span);
  controller.changed(group.name, desired === group.desired ? undefined : { cause, span });
  return outcome({}, [groupId(group.name)]);
}

/** Source: aws/aws-cli#2226. */
function refuseDuringCooldown({ account, groups }: AutoScalingSite, { name, cooldownS }: Group): void {
  const since = account.clock.nowMs() - cooldownS * 1_000;
  const blocking = groups.activities().find((one) => one.group === name && (one.endMs ?? Infinity) > since && one.message === undefined);
  if (blocking === undefined) return;
  throw new QueryRefusal('ScalingActivityInProgress', `Scaling activity ${blocking.id} is in progress and blocks this action`);
}

/** Stops processes of a group; all, if none is named. */
export function suspendProcesses(site: AutoScalingSite, input: ScalingProcessQuery, { span }: Caller): Outcome {
  const group = openGroup(site, input.AutoScalingGroupName);
  const reason = `User suspended at ${at(site.account.clock)}`;
  const added = processesOf(input).flatMap((name) => (group.suspended.has(name) ? [] : [[name, reason] as const]));
  site.groups.keep({ ...group, suspended: new Map([...group.suspended, ...added]) }, span);
  return outcome({}, [groupId(group.name)]);
}

/** Starts processes of a group again; all, if none is named. */
export function resumeProcesses(site: AutoScalingSite, input: ScalingProcessQuery, { span }: Caller): Outcome {
  const group = openGroup(site, input.AutoScalingGroupName);
  const resumed = processesOf(input);
  const suspended = new Map([...group.suspended].filter(([name]) => !resumed.includes(name)));
  site.groups.keep({ ...group, suspended }, span);
  site.controller.check(group.name);
  return outcome({}, [groupId(group.name)]);
}

function processesOf({ ScalingProcesses: named = [] }: ScalingProcessQuery): readonly string[] {
  const unknown = named.find((name) => !(PROCESSES as readonly string[]).includes(name));
  if (unknown !== undefined) throw validationError(`${unknown} is not a valid scaling process.`);
  return named.length === 0 ? PROCESSES : named;
}

/** A group that may be changed. @throws QueryRefusal if there is none of that name, or it is being deleted */
export function openGroup({ groups }: AutoScalingSite, name: string | undefined): Group {
  if (name === undefined) throw missing('autoScalingGroupName');
  const group = groups.get(name);
  if (group.isDeleting) throw new QueryRefusal('ScalingActivityInProgress', `AutoScalingGroup ${name} is pending delete`);
  return group;
}
