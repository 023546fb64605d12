import type { EnterStandbyQuery, ExitStandbyQuery } from '@aws-sdk/client-auto-scaling';
import type { Caller } from '../../../wire/backend.ts';
import { outcome } from '../operation.ts';
import type { Outcome } from '../operation.ts';
import { unitsOf } from './group.ts';
import type { Group, Member } from './group.ts';
import { openGroup } from './group-operations.ts';
import { missing, validationError } from './refusals.ts';
import type { AutoScalingSite } from './service.ts';
import { writeActivity } from './views.ts';
import { at } from './words.ts';

/** Source: the API reference: "You can specify up to 20 instances". */
const IDS_MAX = 20;

/** Takes members out of service, with or without making their group smaller. Source of the refusal: aws-samples/aws-codedeploy-samples#50. */
export function enterStandby(site: AutoScalingSite, input: EnterStandbyQuery, { span }: Caller): Outcome {
  const { account, groups, controller } = site;
  const { ShouldDecrementDesiredCapacity: isSmaller } = input;
  if (isSmaller === undefined) throw missing('shouldDecrementDesiredCapacity');
  const group = openGroup(site, input.AutoScalingGroupName);
  const members = membersOf(site, group, input.InstanceIds, 'InService');
  const desired = isSmaller ? group.desired - unitsOf(members) : group.desired;
  if (desired < group.min) throw sizesInTheWay(group, members, 'place into standby');
  const sizes = isSmaller ? `, shrinking the capacity from ${group.desired} to ${desired}` : '';
  const now = at(account.clock);
  const activities = members.map((member) =>
    controller.enterStandby(member, `At ${now} instance ${member.instance} was moved to standby in response to a user request${sizes}.`),
  );
  groups.keep({ ...group, desired }, span);
  controller.changed(group.name);
  return answer(site, group, members, activities);
}

/** Puts members into service again: their group becomes larger by as many. */
export function exitStandby(site: AutoScalingSite, input: ExitStandbyQuery, { span }: Caller): Outcome {
  const { account, groups, controller } = site;
  const group = openGroup(site, input.AutoScalingGroupName);
  const members = membersOf(site, group, input.InstanceIds, 'Standby');
  const desired = group.desired + members.reduce((units, { weight }) => units + weight, 0);
  if (desired > group.max) throw sizesInTheWay(group, members, 'place into service');
  const now = at(account.clock);
  const sizes = `increasing the capacity from ${group.desired} to ${desired}`;
  const activities = members.map((member) =>
    controller.exitStandby(
      member,
      `At ${now} instance ${member.instance} was moved out of standby in response to a user request, ${sizes}.`,
    ),
  );
  groups.keep({ ...group, desired }, span);
  controller.changed(group.name);
  return answer(site, group, members, activities);
}

function membersOf(
  { groups }: AutoScalingSite,
  { name }: Group,
  ids: readonly string[] = [],
  lifecycle: 'InService' | 'Standby',
): Member[] {
  if (ids.length > IDS_MAX) throw validationError(`At most ${IDS_MAX} instances can be named in one request.`);
  return ids.map((id) => {
    const member = groups.member(id);
    if (member?.group !== name) throw validationError(`The instance ${id} is not part of Auto Scaling group ${name}.`);
    if (member.lifecycle !== lifecycle) throw validationError(`The instance ${id} is not in ${lifecycle}.`);
    return member;
  });
}

/** In the words of AttachInstances. */
function sizesInTheWay({ name, min, max, desired }: Group, members: readonly Member[], what: string): Error {
  const sizes = `min-size=${min}, max-size=${max}, and desired-size=${desired}`;
  const instances = `${members.length} ${members.length === 1 ? 'instance' : 'instances'}`;
  return validationError(
    `AutoScalingGroup ${name} has ${sizes}. To ${what} ${instances}, please update the AutoScalingGroup sizes appropriately.`,
  );
}

function answer({ groups }: AutoScalingSite, group: Group, members: readonly Member[], activities: readonly string[]): Outcome {
  return outcome(
    { Activities: activities.flatMap((id) => groups.activity(id) ?? []).map((activity) => writeActivity(activity, group)) },
    members.map(({ instance }) => instance),
  );
}
