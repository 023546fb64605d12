import type {
  CancelInstanceRefreshType,
  DescribeInstanceRefreshesType,
  InstanceRefresh,
  RefreshPreferences as SdkPreferences,
  StartInstanceRefreshType,
} from '@aws-sdk/client-auto-scaling';
import { defined } from '../../../model/defined.ts';
import { QueryRefusal } from '../../../protocols/aws-query/codec.ts';
import { Ec2Refusal } from '../../../protocols/ec2/refusal.ts';
import type { Caller } from '../../../wire/backend.ts';
import { versionOf } from '../launch-templates.ts';
import { outcome } from '../operation.ts';
import type { Outcome } from '../operation.ts';
import type { Group, Member } from './group.ts';
import { openGroup } from './group-operations.ts';
import { page } from './paging.ts';
import { constraintError, missing, validationError } from './refusals.ts';
import type { Refresh, RefreshPreferences } from './refreshes.ts';
import { groupId } from './service.ts';
import type { AutoScalingSite } from './service.ts';

/** What this world has no use for, or lacks. */
const UNSUPPORTED = ['CheckpointPercentages', 'CheckpointDelay', 'AutoRollback', 'AlarmSpecification', 'BakeTime'] as const;
/** Source of the defaults: RefreshPreferences of the API reference. */
const DEFAULTS = { minHealthy: 90, maxHealthy: 100 } as const;

/** Starts to replace a group's members. */
export function startRefresh(site: AutoScalingSite, input: StartInstanceRefreshType, { span }: Caller): Outcome {
  const { groups, refreshes, controller } = site;
  const group = openGroup(site, input.AutoScalingGroupName);
  const { name } = group;
  if (input.Strategy !== undefined && input.Strategy !== 'Rolling') throw unsupported(`the strategy ${input.Strategy}`);
  if (input.DesiredConfiguration !== undefined) throw unsupported('DesiredConfiguration: update the group first');
  const preferences = readPreferences(group, input.Preferences);
  if (refreshes.active(name) !== undefined) {
    const message = 'An Instance Refresh is already in progress and blocks the execution of this Instance Refresh.';
    throw new QueryRefusal('InstanceRefreshInProgress', message);
  }
  const outdated = groups
    .members(name)
    .filter((member) => member.lifecycle !== 'Terminating' && !(preferences.skipsMatching && isMatching(site, group, member, span)))
    .map(({ instance }) => instance);
  const { id } = refreshes.begin(name, outdated, preferences);
  controller.changed(name);
  return outcome({ InstanceRefreshId: id }, [groupId(name)]);
}

/** Ends a refresh, once what it has begun is over. What it has replaced stays. */
export function cancelRefresh(site: AutoScalingSite, input: CancelInstanceRefreshType): Outcome {
  const { refreshes, controller } = site;
  const { name } = openGroup(site, input.AutoScalingGroupName);
  const active = refreshes.active(name);
  if (active === undefined) {
    const message = `No in progress or pending Instance Refresh found for Auto Scaling group ${name}`;
    throw new QueryRefusal('ActiveInstanceRefreshNotFound', message);
  }
  // In the words of an example in "Cancel an instance refresh".
  const reason = 'Cancelled due to user request.';
  if (input.WaitForTransitioningInstances === false) refreshes.end(active, 'Cancelled', reason);
  else refreshes.keep({ ...active, status: 'Cancelling', reason });
  controller.changed(name);
  return outcome({ InstanceRefreshId: active.id }, [groupId(name)]);
}

/** Lists refreshes of a group, newest first. */
export function describeRefreshes({ groups, refreshes }: AutoScalingSite, input: DescribeInstanceRefreshesType): Outcome {
  const { AutoScalingGroupName: name, InstanceRefreshIds: ids = [] } = input;
  if (name === undefined) throw missing('autoScalingGroupName');
  groups.get(name);
  const all = refreshes.of(name);
  const found = all.filter(({ id }) => ids.length === 0 || ids.includes(id));
  const { items, more } = page(found, (refresh) => String(all.indexOf(refresh)).padStart(6, '0'), input);
  return outcome({ InstanceRefreshes: items.map(writeRefresh), ...more }, []);
}

function readPreferences(group: Group, given: SdkPreferences = {}): RefreshPreferences {
  const asked = UNSUPPORTED.find((key) => given[key] !== undefined && given[key] !== false);
  if (asked !== undefined) throw unsupported(asked);
  const { MinHealthyPercentage: minHealthy = DEFAULTS.minHealthy, MaxHealthyPercentage: maxHealthy = DEFAULTS.maxHealthy } = given;
  if (!(minHealthy >= 0 && minHealthy <= 100)) throw outOf('preferences.minHealthyPercentage', minHealthy, 0, 100);
  if (!(maxHealthy >= 100 && maxHealthy <= 200)) throw outOf('preferences.maxHealthyPercentage', maxHealthy, 100, 200);
  if (given.MaxHealthyPercentage !== undefined && given.MinHealthyPercentage === undefined)
    throw validationError('MaxHealthyPercentage requires MinHealthyPercentage.');
  if (maxHealthy - minHealthy > 100)
    throw validationError('The difference between MinHealthyPercentage and MaxHealthyPercentage cannot be greater than 100.');
  return {
    minHealthy,
    maxHealthy,
    warmupS: given.InstanceWarmup ?? group.warmupS ?? group.graceS,
    skipsMatching: given.SkipMatching === true,
    whenProtected: given.ScaleInProtectedInstances ?? 'Wait',
    whenOnStandby: given.StandbyInstances ?? 'Wait',
  };
}

function outOf(member: string, value: number, least: number, most: number): Error {
  return value < least
    ? constraintError(member, value, `Member must have value greater than or equal to ${least}`)
    : constraintError(member, value, `Member must have value less than or equal to ${most}`);
}

function unsupported(what: string): Error {
  return validationError(`This world does not emulate instance refreshes with ${what}.`);
}

/** Whether a member is what the group would launch now. Source: "Use an instance refresh with skip matching". */
function isMatching({ account }: AutoScalingSite, { template, mixed }: Group, member: Member, span: number): boolean {
  try {
    const { Version: version = '$Default', ...named } = template;
    const found = account.templates.find(named.LaunchTemplateId === undefined ? named : { LaunchTemplateId: named.LaunchTemplateId }, span);
    const { number, data } = versionOf(found, version);
    const types =
      mixed === undefined || mixed.overrides.length === 0 ? [data.InstanceType] : mixed.overrides.map((one) => one.InstanceType);
    // An override may name attributes instead of a type.
    const isOneOf = types.includes(undefined) || types.some((type) => type === member.instanceType);
    return member.template?.id === found.id && member.template.version === number && isOneOf;
  } catch (error) {
    if (error instanceof Ec2Refusal) return false;
    throw error;
  }
}

function writeRefresh(refresh: Refresh): InstanceRefresh {
  const { id, group, status, reason, startMs, endMs, outdated, left } = refresh;
  const done = outdated.length === 0 ? 1 : (outdated.length - left) / outdated.length;
  return {
    InstanceRefreshId: id,
    AutoScalingGroupName: group,
    Status: status,
    ...defined({ StatusReason: reason }),
    ...(status === 'Pending' ? {} : { StartTime: new Date(startMs), PercentageComplete: Math.floor(100 * done), InstancesToUpdate: left }),
    ...defined({ EndTime: endMs === undefined ? undefined : new Date(endMs) }),
    Strategy: 'Rolling',
    Preferences: {
      MinHealthyPercentage: refresh.minHealthy,
      MaxHealthyPercentage: refresh.maxHealthy,
      InstanceWarmup: refresh.warmupS,
      SkipMatching: refresh.skipsMatching,
      AutoRollback: false,
      ScaleInProtectedInstances: refresh.whenProtected,
      StandbyInstances: refresh.whenOnStandby,
    },
  };
}
