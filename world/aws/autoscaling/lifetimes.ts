import type { Control } from './control.ts';
import type { Exits } from './exits.ts';
import { runs, unitsOf } from './group.ts';
import type { Group } from './group.ts';
import { at } from './words.ts';

/**
 * Replaces members that are as old as their group allows, one at a time: the next goes when the group has its size again. The real
 * service may begin earlier, to spread the replacements. Source: "Replace instances based on maximum instance lifetime".
 */
export function expire(control: Control, exits: Exits, group: Group): void {
  const { groups, clock, memories } = control;
  const { name, desired, maxLifetimeS = 0 } = group;
  if (maxLifetimeS === 0 || !runs(group, 'Terminate')) return;
  const inService = groups.members(name).filter(({ lifecycle }) => lifecycle === 'InService');
  const [oldest] = inService.toSorted((a, b) => a.launchedAtMs - b.launchedAtMs);
  if (oldest === undefined) return;
  const endMs = oldest.launchedAtMs + maxLifetimeS * 1_000;
  if (endMs > clock.nowMs()) control.lookAt(name, 'lifetime', endMs);
  else if (unitsOf(inService) >= desired) {
    memories.lost(name, 'an instance that reached its maximum lifetime.');
    const cause = `At ${at(clock)} an instance was taken out of service in response to its maximum lifetime.`;
    exits.terminate(oldest, { cause });
  }
}
