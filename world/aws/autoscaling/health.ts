import type { DelayRange } from '../../tasks.ts';
import type { Control } from './control.ts';
import { isAlive } from './exits.ts';
import type { Exits } from './exits.ts';
import { isActive, runs, unitsOf } from './group.ts';
import type { Group } from './group.ts';
import { at } from './words.ts';

/** From the end of an instance to the health check that finds it: checks run about once a minute. */
const HEALTH_CHECK: DelayRange = { minMs: 5_000, maxMs: 65_000 };

/** A member's next health check finds that its instance has ended. */
export function checkLater(control: Control, id: string): void {
  const { groups } = control;
  control.after(`check of ${id}`, HEALTH_CHECK, () => {
    const member = groups.member(id);
    const group = member === undefined ? undefined : groups.find(member.group);
    if (member === undefined || group === undefined || !runs(group, 'HealthCheck')) return;
    groups.keepMember({ ...member, isHealthy: false });
    control.reconsider(group.name);
  });
}

/** Unhealthy members go, and others come for them. */
export function replaceUnhealthy({ groups, account, clock, memories }: Control, exits: Exits, group: Group): void {
  if (!runs(group, 'ReplaceUnhealthy') || !runs(group, 'Terminate')) return;
  for (const member of groups.members(group.name)) {
    if (member.isHealthy || !isActive(member)) continue;
    const checker = isAlive(account.instances.current(member.instance))
      ? 'a user health-check.'
      : 'an EC2 health check indicating it has been terminated or stopped.';
    // What was launched for a request that is still pending is launched for it again.
    if (member.lifecycle === 'InService' || memories.of(group.name).change === undefined)
      memories.lost(group.name, 'an unhealthy instance needing to be replaced.');
    exits.terminate(member, { cause: `At ${at(clock)} an instance was taken out of service in response to ${checker}` });
  }
}

/** Members at risk, and those that a refresh replaces, go as their replacements come. */
export function retire({ groups, clock }: Control, exits: Exits, group: Group): void {
  if (!runs(group, 'Terminate')) return;
  for (const member of groups.members(group.name)) {
    const inService = groups.members(group.name).filter(({ lifecycle }) => lifecycle === 'InService');
    if (member.isAtRisk !== true && member.isOutdated !== true) continue;
    if (member.lifecycle !== 'InService' || unitsOf(inService) - member.weight < group.desired) continue;
    const reason = member.isAtRisk === true ? 'an EC2 instance rebalance recommendation.' : 'an instance refresh.';
    exits.terminate(member, { cause: `At ${at(clock)} an instance was taken out of service in response to ${reason}` });
  }
}
