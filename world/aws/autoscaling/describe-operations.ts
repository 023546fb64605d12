import type {
  AutoScalingGroupNamesType,
  DescribeAutoScalingInstancesType,
  DescribeScalingActivitiesType,
  Filter,
  LaunchConfigurationNamesType,
} from '@aws-sdk/client-auto-scaling';
import type { Caller } from '../../../wire/backend.ts';
import { outcome } from '../operation.ts';
import type { Outcome } from '../operation.ts';
import type { Group } from './group.ts';
import { GROUPS_MAX } from './group-operations.ts';
import { page } from './paging.ts';
import { constraintError, groupNotFound, validationError } from './refusals.ts';
import type { AutoScalingSite } from './service.ts';
import { writeActivity, writeGroup, writeInstanceDetails } from './views.ts';

const NAMES_MAX = 100;
const IDS_MAX = 50;
const CONFIGURATIONS_MAX = 200;

/** Lists groups, by name or tags. Names without a group are left out. */
export function describeGroups({ account, groups, actions }: AutoScalingSite, input: AutoScalingGroupNamesType, caller: Caller): Outcome {
  const { AutoScalingGroupNames: names = [], Filters: filters = [] } = input;
  if (names.length > NAMES_MAX) {
    throw constraintError('autoScalingGroupNames', `[${names.join(', ')}]`, `Member must have length less than or equal to ${NAMES_MAX}`);
  }
  const predicates = filters.map(predicateOf);
  const isShown = (group: Group): boolean =>
    (names.length === 0 || names.includes(group.name)) && predicates.every((matches) => matches(group));
  const found = groups
    .read(caller, (view) => (isShown(view.group) ? [view] : []))
    .toSorted((a, b) => (a.group.name < b.group.name ? -1 : 1));
  const { items, more } = page(found, ({ group }) => group.name, input);
  return outcome(
    {
      AutoScalingGroups: items.map(({ group, members }) => writeGroup(account, group, members, (id) => actions.isWaiting(id))),
      ...more,
    },
    [],
  );
}

function predicateOf({ Name: name = '', Values: values = [] }: Filter): (group: Group) => boolean {
  const wanted = new Set(values);
  if (name === 'tag-key') return ({ tags }) => [...tags.keys()].some((key) => wanted.has(key));
  if (name === 'tag-value') return ({ tags }) => [...tags.values()].some(({ value }) => wanted.has(value));
  if (name.startsWith('tag:')) {
    const key = name.slice('tag:'.length);
    return ({ tags }) => wanted.has(tags.get(key)?.value ?? '') && tags.has(key);
  }
  throw validationError(`Filter type ${name} is not correct. Allowed Filter types are: tag-key tag-value tag:<key>`);
}

/** Lists members of all groups. Ids that are none are left out. */
export function describeInstances({ groups, actions }: AutoScalingSite, input: DescribeAutoScalingInstancesType, caller: Caller): Outcome {
  const { InstanceIds: ids = [] } = input;
  if (ids.length > IDS_MAX) {
    throw constraintError('instanceIds', `[${ids.join(', ')}]`, `Member must have length less than or equal to ${IDS_MAX}`);
  }
  const found = groups
    .read(caller, ({ members }) => members.filter(({ instance }) => ids.length === 0 || ids.includes(instance)))
    .toSorted((a, b) => (a.instance < b.instance ? -1 : 1));
  const { items, more } = page(found, ({ instance }) => instance, input, IDS_MAX);
  return outcome({ AutoScalingInstances: items.map((member) => writeInstanceDetails(member, (id) => actions.isWaiting(id))), ...more }, []);
}

/** Lists activities, newest first. */
export function describeActivities({ groups }: AutoScalingSite, input: DescribeScalingActivitiesType, caller: Caller): Outcome {
  const { AutoScalingGroupName: name, ActivityIds: ids = [], IncludeDeletedGroups: isDeletedToo = false } = input;
  const owners = new Set(name === undefined ? ids.flatMap((id) => groups.activity(id)?.group ?? []) : [name]);
  const isAll = name === undefined && ids.length === 0;
  const read = groups.read(caller, ({ group }) => (isAll || owners.has(group.name) ? [{ name: group.name, arn: group.arn }] : []));
  const known = new Map(read.map((group) => [group.name, group]));
  if (name !== undefined && !isDeletedToo && !known.has(name)) throw groupNotFound(name);
  const found = groups.readActivities(
    caller,
    ({ id, group }) =>
      (name === undefined || group === name) && (ids.length === 0 || ids.includes(id)) && (isDeletedToo || known.has(group)),
  );
  const { items, more } = page(found, ({ sequence }) => String(Number.MAX_SAFE_INTEGER - sequence), {
    MaxRecords: PAGE_ACTIVITIES,
    ...input,
  });
  return outcome({ Activities: items.map((activity) => writeActivity(activity, known.get(activity.group))), ...more }, []);
}

const PAGE_ACTIVITIES = 100;

/** There are no launch configurations: new accounts can't create any. */
export function describeLaunchConfigurations(_site: AutoScalingSite, _input: LaunchConfigurationNamesType): Outcome {
  return outcome({ LaunchConfigurations: [] }, []);
}

export function describeAccountLimits({ groups }: AutoScalingSite): Outcome {
  return outcome(
    {
      MaxNumberOfAutoScalingGroups: GROUPS_MAX,
      MaxNumberOfLaunchConfigurations: CONFIGURATIONS_MAX,
      NumberOfAutoScalingGroups: groups.list().length,
      NumberOfLaunchConfigurations: 0,
    },
    [],
  );
}
