import { isActive } from './group.ts';
import type { Member } from './group.ts';

/** How many members each zone has, in the order of `zones`; zones that the group has left come last. */
export function countsOf(zones: readonly string[], members: readonly Member[]): Map<string, number> {
  const counts = new Map(zones.map((zone) => [zone, 0]));
  for (const { zone } of members.filter(isActive)) counts.set(zone, (counts.get(zone) ?? 0) + 1);
  return counts;
}

/**
 * The zones in which a group launches to become even, one for each launch, after each of which a member of a larger zone, or of one
 * that the group has left, can go. Members that are protected can't. Source: "Instance distribution" in the user guide.
 * @param zones that the group can launch in
 */
export function launchesToBalance(zones: readonly string[], members: readonly Member[]): readonly string[] {
  const counts = countsOf(zones, members);
  const open = countsOf(
    [],
    members.filter(({ isProtected }) => !isProtected),
  );
  const size = (zone: string): number => counts.get(zone) ?? 0;
  const excess = (zone: string): number => (zones.includes(zone) ? size(zone) : Infinity);
  const launches: string[] = [];
  for (;;) {
    const [smallest] = [...zones].sort((a, b) => size(a) - size(b));
    const [largest] = [...open.keys()].filter((zone) => (open.get(zone) ?? 0) > 0).sort((a, b) => excess(b) - excess(a));
    if (smallest === undefined || largest === undefined || excess(largest) <= size(smallest) + 1) return launches;
    launches.push(smallest);
    counts.set(smallest, size(smallest) + 1);
    counts.set(largest, size(largest) - 1);
    open.set(largest, (open.get(largest) ?? 0) - 1);
  }
}
