import type { DelayRange } from '../../tasks.ts';
import type { Control } from './control.ts';
import { isAlive } from './exits.ts';
import type { Member } from './group.ts';
import { checkLater } from './health.ts';

/** From the request until a member is on standby, or in service again; "takes a while", says plus3it/cfn#136. */
const MOVING: DelayRange = { minMs: 1_000, maxMs: 10_000 };

/**
 * Puts a member on standby. Sources of the words, also of the next: the API reference of EnterStandby and ExitStandby.
 * @returns the id of the activity
 */
export function enterStandby(control: Control, member: Member, cause: string): string {
  const { groups } = control;
  const { instance, group, subnetId, zone } = member;
  const description = `Moving EC2 instance to Standby: ${instance}`;
  const activity = groups.begin({ group, what: 'terminate', instance, description, cause, subnetId, zone });
  groups.keepMember({ ...member, lifecycle: 'EnteringStandby', activity: activity.id });
  control.after(`standby of ${instance}`, MOVING, () => {
    const entering = groups.member(instance);
    if (entering?.lifecycle !== 'EnteringStandby') return;
    const { activity: _activity, ...rest } = entering;
    groups.keepMember({ ...rest, lifecycle: 'Standby' });
    groups.end(activity.id);
  });
  return activity.id;
}

/**
 * Puts a member into service again. What became of its instance on standby is only found by the next health check. Source:
 * "Health status of instances in a standby state".
 * @returns the id of the activity
 */
export function exitStandby(control: Control, member: Member, cause: string): string {
  const { groups, account, clock } = control;
  const { instance, group, subnetId, zone } = member;
  const description = `Moving EC2 instance out of Standby: ${instance}`;
  const activity = groups.begin({ group, what: 'launch', instance, description, cause, subnetId, zone });
  groups.keepMember({ ...member, lifecycle: 'Pending', activity: activity.id });
  control.after(`end of standby of ${instance}`, MOVING, () => {
    const leaving = groups.member(instance);
    if (leaving?.lifecycle !== 'Pending') return;
    const { activity: _activity, ...rest } = leaving;
    groups.keepMember({ ...rest, lifecycle: 'InService', inServiceAtMs: clock.nowMs() });
    groups.end(activity.id);
    if (!isAlive(account.instances.current(instance))) checkLater(control, instance);
    control.reconsider(group);
  });
  return activity.id;
}
