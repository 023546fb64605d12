import { defined } from '../../../model/defined.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import type { Instance } from '../../ports.ts';
import { Tasks, WorkQueue, drawMs } from '../../tasks.ts';
import type { DelayRange, WorldPart } from '../../tasks.ts';
import type { Account } from '../operation.ts';
import { chooseVictim, nextCapacityType, zonesByNeed } from './choice.ts';
import { runs, targetOf, unitsOf } from './group.ts';
import type { Group, Member } from './group.ts';
import type { Groups } from './groups.ts';
import type { HookResult, LifecycleActions } from './lifecycle-actions.ts';
import { launchOne, memberOf } from './launch-one.ts';
import { Memories } from './memories.ts';
import type { Change } from './memories.ts';
import { subnetOf, templateIdOf, zonesOf } from './places.ts';
import { at } from './words.ts';

/**
 * From a change of a group's size to the activity that follows. Not documented; in quoted activities it is between one second
 * (kubernetes/autoscaler#1263) and 23 s (aws/aws-parallelcluster#1401).
 */
const REACTION: DelayRange = { minMs: 1_000, maxMs: 23_000 };
/** From the end of an instance to the health check that finds it: checks run about once a minute. */
const HEALTH_CHECK: DelayRange = { minMs: 5_000, maxMs: 65_000 };

/** Brings groups to their desired capacity, and replaces what is unhealthy. */
export class GroupController implements WorldPart {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #account: Account;
  readonly #groups: Groups;
  readonly #actions: LifecycleActions;
  readonly #memories = new Memories();
  #work: { readonly tasks: Tasks; readonly queue: WorkQueue } | undefined;

  constructor(parts: { clock: Clock; random: Random; account: Account; groups: Groups; actions: LifecycleActions }) {
    this.#clock = parts.clock;
    this.#random = parts.random;
    this.#account = parts.account;
    this.#groups = parts.groups;
    this.#actions = parts.actions;
    this.#account.instances.onChange((instance) => this.#onInstance(instance));
  }

  async run(signal: AbortSignal): Promise<void> {
    const tasks = new Tasks(this.#clock, signal);
    const random = this.#random.fork('reactions');
    const queue = new WorkQueue({ tasks, random, delay: REACTION, reconcile: (name) => this.#reconcile(name) });
    this.#work = { tasks, queue };
    for (const { name } of this.#groups.list()) queue.add(name);
    await tasks.done();
  }

  /** A request changed a group's size, or what runs in it. */
  changed(name: string, change?: Change): void {
    this.#memories.changed(name, change);
    this.#work?.queue.add(name);
  }

  /** A group was deleted. */
  forget(name: string): void {
    this.#memories.forget(name);
    this.#actions.forget(name);
  }

  /** Looks at all members of a group again, after its health check was suspended. */
  check(name: string): void {
    for (const { instance } of this.#groups.members(name)) {
      const record = this.#account.instances.current(instance);
      if (record === undefined || !isAlive(record)) this.#checkLater(instance);
    }
    this.#work?.queue.add(name);
  }

  /** EC2 recommends to replace a spot instance: a group with capacity rebalancing does. */
  rebalance(instance: string): void {
    const member = this.#groups.member(instance);
    if (member === undefined || this.#groups.find(member.group)?.capacityRebalance !== true) return;
    this.#groups.keepMember({ ...member, isAtRisk: true });
    this.#work?.queue.add(member.group);
  }

  /** Terminates a member. @returns the id of the activity */
  terminate(member: Member, cause: string, span?: number): string {
    const { instance, group, subnetId, zone } = member;
    const activity = this.#groups.begin({
      group,
      what: 'terminate',
      instance,
      description: `Terminating EC2 instance: ${instance}`,
      cause,
      subnetId,
      zone,
    });
    const isPending = member.lifecycle === 'Pending';
    if (isPending) this.#groups.end(member.activity, { status: 'Cancelled', message: 'Instance was terminated by a user request.' });
    this.#groups.keepMember({ ...member, lifecycle: 'Terminating', activity: activity.id });
    this.#actions.stop(instance);
    const finish = (): void => {
      this.#account.instances.terminate(instance, span);
      const state = this.#account.instances.current(instance)?.state ?? 'terminated';
      if (state === 'terminated') this.#leave(instance);
    };
    const owner = this.#groups.find(group);
    const record = this.#account.instances.current(instance);
    // Hooks are for what can still be done on an instance.
    if (owner === undefined || owner.isDeleting || isPending || record === undefined || !isAlive(record)) finish();
    else this.#actions.wait(this.#work?.tasks, { group: owner, instance, transition: 'autoscaling:EC2_INSTANCE_TERMINATING' }, finish);
    return activity.id;
  }

  #onInstance({ id, state }: Instance): void {
    const member = this.#groups.member(id);
    if (member === undefined) return;
    if (state === 'running' && member.lifecycle === 'Pending') {
      const group = this.#groups.find(member.group);
      if (group === undefined) return;
      const transition = 'autoscaling:EC2_INSTANCE_LAUNCHING';
      this.#actions.wait(this.#work?.tasks, { group, instance: id, transition }, (result) => this.#enterService(id, result));
      return;
    }
    if (state === 'pending' || state === 'running') return;
    if (member.lifecycle === 'Terminating') {
      if (state === 'terminated') this.#leave(id);
      return;
    }
    if (member.lifecycle === 'Pending') {
      const reason = this.#account.instances.current(id)?.stateReason?.message ?? 'unknown';
      const message = `Instance became unhealthy while waiting for instance to be in InService state. Termination Reason: ${reason}`;
      this.#groups.end(member.activity, { status: 'Cancelled', message });
      this.#pause(member.group);
    }
    this.#checkLater(id);
  }

  #enterService(id: string, result: HookResult): void {
    const member = this.#groups.member(id);
    if (member?.lifecycle !== 'Pending') return;
    if (result === 'ABANDON') {
      this.#pause(member.group);
      this.terminate(
        member,
        `At ${at(this.#clock)} instance ${id} was taken out of service: its launch lifecycle action was abandoned or timed out.`,
      );
      return;
    }
    this.#groups.end(member.activity);
    const { activity: _launch, ...rest } = member;
    this.#groups.keepMember({ ...rest, lifecycle: 'InService', inServiceAtMs: this.#clock.nowMs() });
    this.#work?.queue.add(member.group);
  }

  #checkLater(id: string): void {
    const delayMs = drawMs(this.#random.fork(`check of ${id}`), HEALTH_CHECK);
    this.#work?.tasks.after(delayMs, () => {
      const member = this.#groups.member(id);
      const group = member === undefined ? undefined : this.#groups.find(member.group);
      if (member === undefined || group === undefined || !runs(group, 'HealthCheck')) return;
      this.#groups.keepMember({ ...member, isHealthy: false });
      this.#work?.queue.add(group.name);
    });
  }

  /** An instance of a group is terminated. */
  #leave(id: string): void {
    const member = this.#groups.member(id);
    if (member === undefined) return;
    this.#groups.end(member.activity);
    this.#actions.stop(id);
    this.#groups.removeMember(id);
    this.#work?.queue.add(member.group);
  }

  async #reconcile(name: string): Promise<void> {
    const group = this.#groups.find(name);
    if (group === undefined) return;
    if (group.isDeleting) {
      if (this.#groups.members(name).length === 0) {
        this.#groups.delete(group, undefined);
        this.forget(name);
      }
      return;
    }
    this.#replaceUnhealthy(group);
    this.#retire(group);
    this.#shrink(group);
    await this.#grow(name);
    const now = this.#groups.find(name);
    const members = this.#groups.members(name);
    if (now !== undefined && unitsOf(members) === targetOf(now, members)) this.#memories.reached(name);
  }

  #replaceUnhealthy(group: Group): void {
    if (!runs(group, 'ReplaceUnhealthy') || !runs(group, 'Terminate')) return;
    for (const member of this.#groups.members(group.name)) {
      if (member.isHealthy || member.lifecycle === 'Terminating') continue;
      const record = this.#account.instances.current(member.instance);
      const checker =
        record !== undefined && isAlive(record)
          ? 'a user health-check.'
          : 'an EC2 health check indicating it has been terminated or stopped.';
      this.terminate(member, `At ${at(this.#clock)} an instance was taken out of service in response to ${checker}`);
    }
  }

  /** Members at risk go as their replacements come. */
  #retire(group: Group): void {
    if (!runs(group, 'Terminate')) return;
    for (const member of this.#groups.members(group.name)) {
      const inService = this.#groups.members(group.name).filter(({ lifecycle }) => lifecycle === 'InService');
      if (member.isAtRisk !== true || member.lifecycle !== 'InService' || unitsOf(inService) - member.weight < group.desired) continue;
      const cause = `At ${at(this.#clock)} an instance was taken out of service in response to an EC2 instance rebalance recommendation.`;
      this.terminate(member, cause);
    }
  }

  #shrink(group: Group): void {
    if (!runs(group, 'Terminate')) return;
    const { name, desired } = group;
    const before = unitsOf(this.#groups.members(name));
    const { change, isStuck } = this.#memories.of(name);
    for (;;) {
      const members = this.#groups.members(name);
      const units = unitsOf(members);
      if (units <= targetOf(group, members)) return;
      const random = this.#random.fork(`victim of ${name} at ${this.#clock.nowMs()} among ${units}`);
      const victim = chooseVictim(group, templateIdOf(this.#account, group), members, { nowMs: this.#clock.nowMs(), random });
      if (victim === undefined) {
        if (!isStuck) this.#failToShrink(group, change);
        return;
      }
      // A heavy one would leave less than is desired.
      if (units - victim.weight < desired) return;
      const now = at(this.#clock);
      const why = `At ${now} an instance was taken out of service in response to a difference between desired and actual capacity, shrinking the capacity from ${before} to ${desired}.`;
      this.terminate(victim, join(change?.cause, why, `At ${now} instance ${victim.instance} was selected for termination.`), change?.span);
    }
  }

  #failToShrink({ name }: Group, change: Change | undefined): void {
    this.#memories.stuck(name);
    const cause = join(change?.cause, `At ${at(this.#clock)} a difference between desired and actual capacity was found.`);
    const message = 'Could not scale to desired capacity because all remaining instances are protected from scale in.';
    this.#groups.fail({ group: name, what: 'terminate', description: 'Terminating EC2 instance', cause }, message);
  }

  async #grow(name: string): Promise<void> {
    const full = new Set<string>();
    const before = unitsOf(this.#groups.members(name));
    for (;;) {
      // Requests may change it between two launches.
      const group = this.#groups.find(name);
      if (group === undefined || group.isDeleting || !runs(group, 'Launch')) return;
      const memory = this.#memories.of(name);
      const members = this.#groups.members(name);
      if (unitsOf(members) >= targetOf(group, members) || this.#clock.nowMs() < memory.pausedUntilMs) return;
      const zones = zonesByNeed(
        zonesOf(this.#account, group).filter((zone) => !full.has(zone)),
        members,
        this.#random,
      );
      const [zone] = zones;
      if (zone === undefined) {
        this.#pause(name);
        return;
      }
      const isLaunched = await this.#launch(group, zone, before, memory.change);
      if (isLaunched) this.#memories.launched(name);
      else full.add(zone);
    }
  }

  /** Launches one instance in a zone, or reports why there is none. */
  async #launch(group: Group, zone: string, before: number, change: Change | undefined): Promise<boolean> {
    const subnetId = subnetOf(this.#account, group, zone);
    const members = this.#groups.members(group.name);
    const capacityType = nextCapacityType(group, members);
    const result = await launchOne(this.#account, { group, subnetId, capacityType, ...defined({ span: change?.span }) });
    const now = at(this.#clock);
    const cause =
      change === undefined
        ? `At ${now} an instance was launched in response to ${members.some(({ isAtRisk }) => isAtRisk) ? 'an EC2 instance rebalance recommendation.' : 'an unhealthy instance needing to be replaced.'}`
        : join(
            change.cause,
            `At ${now} an instance was started in response to a difference between desired and actual capacity, increasing the capacity from ${before} to ${group.desired}.`,
          );
    const activity = { group: group.name, what: 'launch', cause, subnetId, zone } as const;
    if ('message' in result) {
      this.#groups.fail({ ...activity, description: 'Launching a new EC2 instance' }, result.message);
      return false;
    }
    const { id } = result.record;
    const begun = this.#groups.begin({ ...activity, instance: id, description: `Launching a new EC2 instance: ${id}` });
    const member = memberOf(group, result, begun.id);
    this.#groups.keepMember(member);
    if (this.#groups.find(group.name)?.isDeleting !== false) this.terminate(member, `At ${now} the AutoScalingGroup was deleted.`);
    return true;
  }

  /** After a failure: the next try comes later each time. */
  #pause(name: string): void {
    const pauseMs = this.#memories.failed(name, this.#clock.nowMs());
    this.#work?.tasks.after(pauseMs, () => this.#work?.queue.add(name));
  }
}

function isAlive({ state }: Pick<Instance, 'state'>): boolean {
  return state === 'pending' || state === 'running';
}

/** Sentences of a cause, as Auto Scaling joins them. */
function join(...sentences: readonly (string | undefined)[]): string {
  return sentences.filter((sentence) => sentence !== undefined).join('  ');
}
