import type { Control } from './control.ts';
import type { Exits } from './exits.ts';
import { isActive, runs, targetOf, unitsOf } from './group.ts';
import type { Group, Member } from './group.ts';
import type { Refresh } from './refreshes.ts';
import { at } from './words.ts';

/** A refresh without progress fails after this time. Source: "How an instance refresh works in an Auto Scaling group". */
const PATIENCE_MS = 3_600_000;

/**
 * Goes on with the refresh of a group, if there is one. As many members are out of service at once as its percentages allow, and at
 * least one; if all have to stay in service, new ones come first. Sources: the same page, and RefreshPreferences of the API reference.
 */
export function goOnRefreshing(control: Control, exits: Exits, group: Group): void {
  const { groups, refreshes, clock, memories } = control;
  const { name, desired } = group;
  const refresh = refreshes.active(name);
  const members = groups.members(name);
  const isMoving = members.some(({ lifecycle }) => lifecycle === 'Pending' || lifecycle === 'Terminating');
  if (refresh === undefined || refresh.status === 'Cancelling') {
    spare(control, group);
    if (refresh !== undefined && !isMoving) refreshes.end(refresh, 'Cancelled', refresh.reason);
    return;
  }
  if (!runs(group, 'InstanceRefresh') || !runs(group, 'Terminate') || !runs(group, 'Launch')) return;
  const nowMs = clock.nowMs();
  const isOutdated = ({ instance }: Member): boolean => refresh.outdated.includes(instance);
  const readyAtMs = ({ inServiceAtMs = 0 }: Member): number => inServiceAtMs + refresh.warmupS * 1_000;
  const inService = members.filter(({ lifecycle, isHealthy }) => lifecycle === 'InService' && isHealthy);
  const ready = inService.filter((member) => isOutdated(member) || readyAtMs(member) <= nowMs);
  const waiting = members.filter((member) => isOutdated(member) && member.lifecycle !== 'Terminating' && !isIgnored(refresh, member));
  const left = Math.min(refresh.outdated.length, Math.max(waiting.length, desired - ready.filter((one) => !isOutdated(one)).length));
  const progressMs = left < refresh.left ? nowMs : refresh.progressMs;
  const now: Refresh = { ...refresh, status: 'InProgress', left, progressMs };
  refreshes.keep(now);
  const isComplete = !isMoving && unitsOf(ready) >= desired;
  if (waiting.length === 0 && isComplete) {
    refreshes.end({ ...now, left: 0 }, 'Successful');
    return;
  }
  if (nowMs >= progressMs + PATIENCE_MS) {
    refreshes.end(now, 'Failed', 'The instance refresh made no progress for an hour.');
    spare(control, group);
    return;
  }
  control.lookAt(name, 'patience', progressMs + PATIENCE_MS);
  const warming = inService.filter((member) => !ready.includes(member)).map(readyAtMs);
  if (warming.length > 0) control.lookAt(name, 'warm-up', Math.min(...warming));

  const cause = `At ${at(clock)} an instance was taken out of service in response to an instance refresh.`;
  const open = waiting.filter((member) => member.isOutdated !== true && isOpen(refresh, member));
  for (const member of open) if (member.lifecycle === 'Standby') exits.terminate(member, { cause });
  const serving = open.filter(({ lifecycle }) => lifecycle === 'InService');
  const atLeast = isComplete ? 1 : 0;
  const stay = Math.floor((desired * refresh.minHealthy) / 100);
  if (stay >= desired) {
    const more = Math.max(Math.floor((desired * (refresh.maxHealthy - 100)) / 100), atLeast);
    const replaced = members.filter((member) => member.isOutdated === true && isActive(member)).length;
    for (const member of serving.slice(0, Math.max(more - replaced, 0))) groups.keepMember({ ...member, isOutdated: true });
    return;
  }
  for (const member of serving.slice(0, Math.max(unitsOf(ready) - stay, atLeast))) {
    memories.lost(name, 'an instance refresh.');
    exits.terminate(member, { cause });
  }
}

/** Without a refresh, outdated members stay, except those whose replacements have been launched. */
function spare({ groups }: Control, group: Group): void {
  const members = groups.members(group.name);
  const others = members.filter(({ isOutdated }) => isOutdated !== true);
  let replaced = unitsOf(members) - targetOf(group, others);
  for (const member of members) {
    if (member.isOutdated !== true) continue;
    const { isOutdated: _outdated, ...rest } = member;
    if (isActive(member) && replaced > 0) replaced -= member.weight;
    else groups.keepMember(rest);
  }
}

function isIgnored({ whenProtected, whenOnStandby }: Refresh, { isProtected, lifecycle }: Member): boolean {
  return lifecycle === 'Standby' ? whenOnStandby === 'Ignore' : isProtected && whenProtected === 'Ignore';
}

/** Whether a member may go now. */
function isOpen({ whenProtected, whenOnStandby }: Refresh, { isProtected, lifecycle }: Member): boolean {
  if (lifecycle === 'Standby') return whenOnStandby === 'Terminate';
  return lifecycle === 'InService' && (!isProtected || whenProtected === 'Refresh');
}
