import type { Random } from '../../../runtime/random.ts';
import { countsOf } from './balance.ts';
import { isActive } from './group.ts';
import type { Group, Member } from './group.ts';

const HOUR_MS = 3_600_000;

/** A group's zones, one with the fewest members first: Auto Scaling keeps zones balanced. */
export function zonesByNeed(zones: readonly string[], members: readonly Member[], random: Random): readonly string[] {
  const counts = countsOf(zones, members);
  return random.shuffle(zones).sort((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0));
}

/**
 * The capacity type of the next instance: on-demand until the base is there, and then by percentage, rounded up to on-demand.
 * Source: "Auto Scaling groups with multiple instance types and purchase options".
 */
export function nextCapacityType({ mixed }: Group, members: readonly Member[]): 'spot' | 'on-demand' {
  if (mixed === undefined) return 'on-demand';
  const { OnDemandBaseCapacity: base = 0, OnDemandPercentageAboveBaseCapacity: percentage = 100 } = mixed.distribution;
  const live = members.filter(isActive);
  const total = live.length + 1;
  const wanted = Math.min(total, base) + Math.ceil((Math.max(total - base, 0) * percentage) / 100);
  return live.filter(({ capacityType }) => capacityType === 'on-demand').length < wanted ? 'on-demand' : 'spot';
}

/**
 * The member that goes when a group shrinks: in a zone that the group has left, or the one with the most members, by the first termination policy that decides. The
 * default policy prefers one of another template than the group's, then the oldest version, then the one closest to its next
 * billing hour; a tie is broken at random. Source: "Configure termination policies for Amazon EC2 Auto Scaling".
 * @returns undefined if all are protected
 */
export function chooseVictim(
  group: Group,
  templateId: string | undefined,
  members: readonly Member[],
  { nowMs, random }: { readonly nowMs: number; readonly random: Random },
): Member | undefined {
  const live = members.filter(isActive);
  const counts = countsOf([], live);
  const unprotected = live.filter(({ isProtected }) => !isProtected);
  const outside = unprotected.filter(({ subnetId }) => !group.subnets.includes(subnetId));
  const open = outside.length > 0 ? outside : unprotected;
  const most = Math.max(...open.map(({ zone }) => counts.get(zone) ?? 0));
  let left = random.shuffle(open.filter(({ zone }) => counts.get(zone) === most));
  const policies = group.terminationPolicies.flatMap((policy) => (policy === 'Default' ? DEFAULT_POLICY : [policy]));
  for (const policy of policies) left = lowest(left, rankBy(policy, templateId, nowMs));
  return left[0];
}

const DEFAULT_POLICY = ['OldestLaunchTemplate', 'ClosestToNextInstanceHour'] as const;

function rankBy(policy: string, templateId: string | undefined, nowMs: number): (member: Member) => number {
  switch (policy) {
    case 'OldestInstance':
      return ({ launchedAtMs }) => launchedAtMs;
    case 'NewestInstance':
      return ({ launchedAtMs }) => -launchedAtMs;
    case 'OldestLaunchTemplate':
      return ({ template }) => (template?.id === templateId ? (template?.version ?? 0) : -1);
    case 'ClosestToNextInstanceHour':
      return ({ launchedAtMs }) => HOUR_MS - ((nowMs - launchedAtMs) % HOUR_MS);
    default:
      // There are no launch configurations; the allocation strategy decides only where it prefers one.
      return () => 0;
  }
}

function lowest(members: readonly Member[], rank: (member: Member) => number): Member[] {
  const least = Math.min(...members.map(rank));
  return members.filter((member) => rank(member) === least);
}
