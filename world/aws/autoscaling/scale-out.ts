import { defined } from '../../../model/defined.ts';
import type { DelayRange } from '../../tasks.ts';
import { countsOf, launchesToBalance } from './balance.ts';
import { nextCapacityType, zonesByNeed } from './choice.ts';
import type { Control } from './control.ts';
import type { Exits } from './exits.ts';
import { isActive, mostOf, runs, targetOf, unitsOf } from './group.ts';
import type { Group, Member } from './group.ts';
import { launchOne, memberOf } from './launch-one.ts';
import type { LaunchResult } from './launch-one.ts';
import { subnetOf, zonesOf } from './places.ts';
import { at, balancing, growing, join } from './words.ts';

/** From finding no capacity in a zone that needs more to the next look; not published. */
const NEXT_LOOK: DelayRange = { minMs: 60_000, maxMs: 300_000 };

/** Why an instance is launched. */
interface Reason {
  readonly cause: string;
  /** Of the request behind it, if any. */
  readonly span?: number;
}

/** Launches what a group has too little of, and where it has too little. */
export class ScaleOut {
  readonly #control: Control;
  readonly #exits: Exits;
  /** Groups that wait to look for capacity again. */
  readonly #looks = new Set<string>();

  constructor(control: Control, exits: Exits) {
    this.#control = control;
    this.#exits = exits;
  }

  /** Brings a group to its desired capacity. */
  async grow(name: string): Promise<void> {
    const { account, groups, memories, clock, random } = this.#control;
    const full = new Set<string>();
    const before = unitsOf(groups.members(name));
    for (;;) {
      // Requests may change it between two launches.
      const group = groups.find(name);
      if (group === undefined || group.isDeleting || !runs(group, 'Launch')) return;
      const members = groups.members(name);
      if (unitsOf(members) >= targetOf(group, members) || clock.nowMs() < memories.of(name).pausedUntilMs) return;
      const zones = zonesByNeed(
        zonesOf(account, group).filter((zone) => !full.has(zone)),
        members,
        random,
      );
      const [zone] = zones;
      if (zone === undefined) {
        this.#control.pause(name);
        return;
      }
      const reason = this.#reasonOf(group, members, before);
      const result = await this.#launch(group, zone, reason.span);
      if ('message' in result) {
        const activity = { group: name, what: 'launch', cause: reason.cause, subnetId: subnetOf(account, group, zone), zone } as const;
        groups.fail({ ...activity, description: 'Launching a new EC2 instance' }, { message: result.message });
        full.add(zone);
        continue;
      }
      this.#join(group, result, reason.cause);
      memories.launched(name);
    }
  }

  /**
   * Launches in zones that have too few, before others lose theirs. A zone that has no capacity is looked at again later. Sources:
   * "Rebalancing activities" in the user guide, of which zones that became unhealthy are not emulated.
   */
  async balance(name: string): Promise<void> {
    const { account, groups, memories, clock } = this.#control;
    const full = new Set<string>();
    for (;;) {
      const group = groups.find(name);
      if (group === undefined || group.isDeleting || !runs(group, 'AZRebalance') || !runs(group, 'Launch')) return;
      const members = groups.members(name).filter(isActive);
      const settled = members.filter(({ isSurplus }) => isSurplus !== true);
      if (!isSettled(group, settled) || clock.nowMs() < memories.of(name).pausedUntilMs) return;
      if (unitsOf(members) >= mostOf(group)) return;
      const zones = zonesOf(account, group);
      const zone = launchesToBalance(
        zones.filter((one) => !full.has(one)),
        settled,
      )[members.length - settled.length];
      if (zone === undefined) {
        if (full.size > 0) this.#lookLater(name);
        return;
      }
      const cause = balancing(clock, countsOf(zones, members));
      const result = await this.#launch(group, zone, undefined);
      if ('message' in result) {
        full.add(zone);
        continue;
      }
      this.#join(group, result, cause, { isSurplus: true });
      memories.balancing(name, { since: at(clock), zone });
    }
  }

  #lookLater(name: string): void {
    if (this.#looks.has(name)) return;
    this.#looks.add(name);
    this.#control.after(`look for capacity for ${name}`, NEXT_LOOK, () => {
      this.#looks.delete(name);
      this.#control.reconsider(name);
    });
  }

  #reasonOf(group: Group, members: readonly Member[], before: number): Reason {
    const { clock, memories } = this.#control;
    const { change, losses } = memories.of(group.name);
    const why = (reason: string): Reason => ({ cause: `At ${at(clock)} an instance was launched in response to ${reason}` });
    const [loss] = losses;
    if (loss !== undefined) return why(loss);
    const difference = growing(clock, before, group.desired);
    if (change !== undefined) return { cause: join(change.cause, difference), span: change.span };
    if (members.some(({ isAtRisk }) => isAtRisk)) return why('an EC2 instance rebalance recommendation.');
    return members.some(({ isOutdated }) => isOutdated) ? why('an instance refresh.') : { cause: difference };
  }

  async #launch(group: Group, zone: string, span: number | undefined): Promise<LaunchResult> {
    const { account, groups } = this.#control;
    const subnetId = subnetOf(account, group, zone);
    const capacityType = nextCapacityType(group, groups.members(group.name));
    return await launchOne(account, { group, subnetId, capacityType, ...defined({ span }) });
  }

  #join(group: Group, launched: Exclude<LaunchResult, { message: string }>, cause: string, more: Pick<Member, 'isSurplus'> = {}): void {
    const { groups, clock } = this.#control;
    const { id, subnetId, zone } = launched.record;
    const description = `Launching a new EC2 instance: ${id}`;
    const begun = groups.begin({ group: group.name, what: 'launch', cause, subnetId, zone, instance: id, description });
    const member = { ...memberOf(group, launched, begun.id), ...more };
    groups.keepMember(member);
    if (groups.find(group.name)?.isDeleting === false) return;
    this.#exits.terminate(member, { cause: `At ${at(clock)} the AutoScalingGroup was deleted.` });
  }
}

/** Whether a group has what it should, so that only zones can be a reason to launch. Weights would make that more than one member. */
function isSettled({ desired }: Group, members: readonly Member[]): boolean {
  return (
    members.length === desired &&
    members.every(
      ({ lifecycle, isHealthy, isAtRisk, isOutdated, hasWeight }) =>
        lifecycle === 'InService' && isHealthy && isAtRisk !== true && isOutdated !== true && !hasWeight,
    )
  );
}
