import { defined } from '../../../model/defined.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import type { Instance } from '../../ports.ts';
import { Tasks, WorkQueue, drawMs } from '../../tasks.ts';
import type { DelayRange, WorldPart } from '../../tasks.ts';
import type { Account } from '../operation.ts';
import { chooseVictim, nextCapacityType, zonesByNeed } from './choice.ts';
import { runs, unitsOf } from './group.ts';
import type { Group, Member } from './group.ts';
import type { Groups } from './groups.ts';
import { launchOne } from './launch-one.ts';
import { at } from './words.ts';

/**
 * From a change of a group's size to the activity that follows. Not documented; in quoted activities it is between one second
 * (kubernetes/autoscaler#1263) and 23 s (aws/aws-parallelcluster#1401).
 */
const REACTION: DelayRange = { minMs: 1_000, maxMs: 15_000 };
/** From the end of an instance to the health check that finds it: checks run about once a minute. */
const HEALTH_CHECK: DelayRange = { minMs: 5_000, maxMs: 65_000 };
/** Pauses after failed launches; how they grow is not documented. */
const FIRST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 300_000;

/** Why a group's size differs from what it was. */
interface Change {
  /** In the words of an activity's cause. */
  readonly cause: string;
  /** Of the request. */
  readonly span: number;
}

/** What the controller remembers of a group between its rounds. */
interface Memory {
  /** The request that changed the size, until the group has that size. */
  readonly change?: Change;
  readonly failures: number;
  /** No launch is tried before. */
  readonly pausedUntilMs: number;
  /** It said that it can't shrink because of protected instances. */
  readonly isStuck: boolean;
}

const FRESH: Memory = { failures: 0, pausedUntilMs: 0, isStuck: false };

/** Brings groups to their desired capacity, and replaces what is unhealthy. */
export class GroupController implements WorldPart {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #account: Account;
  readonly #groups: Groups;
  readonly #memories = new Map<string, Memory>();
  #work: { readonly tasks: Tasks; readonly queue: WorkQueue } | undefined;

  constructor(parts: { clock: Clock; random: Random; account: Account; groups: Groups }) {
    this.#clock = parts.clock;
    this.#random = parts.random;
    this.#account = parts.account;
    this.#groups = parts.groups;
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
    const memory = this.#memories.get(name) ?? FRESH;
    this.#memories.set(name, { ...memory, pausedUntilMs: 0, isStuck: false, ...defined({ change }) });
    this.#work?.queue.add(name);
  }

  /** A group was deleted. */
  forget(name: string): void {
    this.#memories.delete(name);
  }

  /** Looks at all members of a group again, after its health check was suspended. */
  check(name: string): void {
    for (const { instance } of this.#groups.members(name)) {
      const record = this.#account.instances.current(instance);
      if (record === undefined || !isAlive(record)) this.#checkLater(instance);
    }
    this.#work?.queue.add(name);
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
    this.#account.instances.terminate(instance, span);
    const record = this.#account.instances.current(instance);
    if (record === undefined || record.state === 'terminated') this.#leave(instance);
    return activity.id;
  }

  #onInstance({ id, state }: Instance): void {
    const member = this.#groups.member(id);
    if (member === undefined) return;
    if (state === 'running' && member.lifecycle === 'Pending') {
      this.#groups.end(member.activity);
      const { activity: _launch, ...rest } = member;
      this.#groups.keepMember({ ...rest, lifecycle: 'InService', inServiceAtMs: this.#clock.nowMs() });
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
    this.#shrink(group);
    await this.#grow(name);
    const now = this.#groups.find(name);
    const memory = this.#memories.get(name);
    if (now === undefined || memory === undefined || unitsOf(this.#groups.members(name)) !== now.desired) return;
    this.#memories.set(name, { ...FRESH, failures: memory.failures });
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

  #shrink(group: Group): void {
    if (!runs(group, 'Terminate')) return;
    const { name, desired } = group;
    const before = unitsOf(this.#groups.members(name));
    const { change, isStuck } = this.#memories.get(name) ?? FRESH;
    for (;;) {
      const members = this.#groups.members(name);
      const units = unitsOf(members);
      if (units <= desired) return;
      const random = this.#random.fork(`victim of ${name} at ${this.#clock.nowMs()} among ${units}`);
      const victim = chooseVictim(group, this.#templateIdOf(group), members, { nowMs: this.#clock.nowMs(), random });
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
    this.#memories.set(name, { ...(this.#memories.get(name) ?? FRESH), isStuck: true });
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
      const memory = this.#memories.get(name) ?? FRESH;
      const members = this.#groups.members(name);
      if (unitsOf(members) >= group.desired || this.#clock.nowMs() < memory.pausedUntilMs) return;
      const zones = zonesByNeed(
        this.#zonesOf(group).filter((zone) => !full.has(zone)),
        members,
        this.#random,
      );
      const [zone] = zones;
      if (zone === undefined) {
        this.#pause(name);
        return;
      }
      const isLaunched = await this.#launch(group, zone, before, memory.change);
      if (isLaunched) this.#memories.set(name, { ...(this.#memories.get(name) ?? FRESH), failures: 0 });
      else full.add(zone);
    }
  }

  /** Launches one instance in a zone, or reports why there is none. */
  async #launch(group: Group, zone: string, before: number, change: Change | undefined): Promise<boolean> {
    const subnetId = group.subnets.find((id) => this.#zoneOf(id) === zone) ?? '';
    const members = this.#groups.members(group.name);
    const capacityType = nextCapacityType(group, members);
    const result = await launchOne(this.#account, { group, subnetId, capacityType, ...defined({ span: change?.span }) });
    const now = at(this.#clock);
    const cause =
      change === undefined
        ? `At ${now} an instance was launched in response to an unhealthy instance needing to be replaced.`
        : join(
            change.cause,
            `At ${now} an instance was started in response to a difference between desired and actual capacity, increasing the capacity from ${before} to ${group.desired}.`,
          );
    const activity = { group: group.name, what: 'launch', cause, subnetId, zone } as const;
    if ('message' in result) {
      this.#groups.fail({ ...activity, description: 'Launching a new EC2 instance' }, result.message);
      return false;
    }
    const { record, pool } = result;
    const { id } = record;
    const begun = this.#groups.begin({ ...activity, instance: id, description: `Launching a new EC2 instance: ${id}` });
    const member: Member = {
      instance: id,
      group: group.name,
      lifecycle: 'Pending',
      isHealthy: true,
      isProtected: group.protectsNew,
      weight: pool.weight,
      hasWeight: pool.override.WeightedCapacity !== undefined,
      template: { id: pool.template.id, name: pool.template.name, version: pool.version.number },
      instanceType: record.instanceType,
      zone,
      subnetId,
      imageId: record.imageId,
      capacityType: record.capacityType,
      launchedAtMs: record.launchedAtMs,
      activity: begun.id,
    };
    this.#groups.keepMember(member);
    if (this.#groups.find(group.name)?.isDeleting !== false) this.terminate(member, `At ${now} the AutoScalingGroup was deleted.`);
    return true;
  }

  /** After a failure: the next try comes later each time. */
  #pause(name: string): void {
    const memory = this.#memories.get(name) ?? FRESH;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** memory.failures, LONGEST_PAUSE_MS);
    this.#memories.set(name, { ...memory, failures: memory.failures + 1, pausedUntilMs: this.#clock.nowMs() + pauseMs });
    this.#work?.tasks.after(pauseMs, () => this.#work?.queue.add(name));
  }

  #templateIdOf({ template }: Group): string | undefined {
    const { LaunchTemplateId: id, LaunchTemplateName: name } = template;
    return id ?? this.#account.templates.list().find((one) => one.name === name)?.id;
  }

  #zonesOf({ subnets }: Group): readonly string[] {
    return [...new Set(subnets.flatMap((id) => this.#zoneOf(id) ?? []))];
  }

  #zoneOf(subnetId: string): string | undefined {
    return this.#account.network.subnets.find(({ id }) => id === subnetId)?.zone;
  }
}

function isAlive({ state }: Pick<Instance, 'state'>): boolean {
  return state === 'pending' || state === 'running';
}

/** Sentences of a cause, as Auto Scaling joins them. */
function join(...sentences: readonly (string | undefined)[]): string {
  return sentences.filter((sentence) => sentence !== undefined).join('  ');
}
