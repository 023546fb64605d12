import { Tasks, WorkQueue } from '../../tasks.ts';
import type { DelayRange, WorldPart } from '../../tasks.ts';
import type { Instance } from '../../ports.ts';
import { Control } from './control.ts';
import type { ControlParts } from './control.ts';
import { Exits, isAlive } from './exits.ts';
import { targetOf, unitsOf } from './group.ts';
import type { Member } from './group.ts';
import { checkLater, replaceUnhealthy, retire } from './health.ts';
import { expire } from './lifetimes.ts';
import type { HookEnd } from './lifecycle-actions.ts';
import type { Change } from './memories.ts';
import { goOnRefreshing } from './refresh.ts';
import { shrink } from './scale-in.ts';
import { ScaleOut } from './scale-out.ts';
import { enterStandby, exitStandby } from './standby.ts';
import { at } from './words.ts';

/**
 * From a change of a group's size to the activity that follows. Not documented; in quoted activities it is between one second
 * (kubernetes/autoscaler#1263) and 23 s (aws/aws-parallelcluster#1401).
 */
const REACTION: DelayRange = { minMs: 1_000, maxMs: 23_000 };

/** Brings groups to their desired capacity, replaces what is unhealthy, and keeps zones even. */
export class GroupController implements WorldPart {
  readonly #control: Control;
  readonly #exits: Exits;
  readonly #scaleOut: ScaleOut;

  constructor(parts: ControlParts) {
    this.#control = new Control(parts);
    this.#exits = new Exits(this.#control);
    this.#scaleOut = new ScaleOut(this.#control, this.#exits);
    parts.account.instances.onChange((instance) => this.#onInstance(instance));
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, groups } = this.#control;
    const tasks = new Tasks(clock, signal);
    const random = this.#control.random.fork('reactions');
    const queue = new WorkQueue({ tasks, random, delay: REACTION, reconcile: (name) => this.#reconcile(name) });
    this.#control.start({ tasks, queue });
    for (const { name } of groups.list()) queue.add(name);
    await tasks.done();
  }

  /** A request changed a group's size, or what runs in it. */
  changed(name: string, change?: Change): void {
    this.#control.memories.changed(name, change);
    this.#control.reconsider(name);
  }

  /** A group was deleted. */
  forget(name: string): void {
    this.#control.forget(name);
    this.#control.refreshes.forget(name);
    this.#control.actions.forget(name);
  }

  /** Looks at all members of a group again, after its health check was suspended. */
  check(name: string): void {
    const { groups, account } = this.#control;
    for (const { instance } of groups.members(name)) if (!isAlive(account.instances.current(instance))) checkLater(this.#control, instance);
    this.#control.reconsider(name);
  }

  /** EC2 recommends to replace a spot instance: a group with capacity rebalancing does. */
  rebalance(instance: string): void {
    const { groups } = this.#control;
    const member = groups.member(instance);
    if (member === undefined || groups.find(member.group)?.capacityRebalance !== true) return;
    groups.keepMember({ ...member, isAtRisk: true });
    this.#control.reconsider(member.group);
  }

  /** Terminates a member. @returns the id of the activity */
  terminate(member: Member, cause: string, span?: number): string {
    return this.#exits.terminate(member, { cause, span });
  }

  /** Takes a member out of service. @returns the id of the activity */
  enterStandby(member: Member, cause: string): string {
    return enterStandby(this.#control, member, cause);
  }

  /** Puts a member into service again. @returns the id of the activity */
  exitStandby(member: Member, cause: string): string {
    return exitStandby(this.#control, member, cause);
  }

  #onInstance({ id, state }: Instance): void {
    const { groups, actions, account, tasks } = this.#control;
    const member = groups.member(id);
    if (member === undefined) return;
    if (state === 'running' && member.lifecycle === 'Pending') {
      const group = groups.find(member.group);
      if (group === undefined) return;
      const transition = 'autoscaling:EC2_INSTANCE_LAUNCHING';
      actions.wait(tasks, { group, instance: id, transition }, (end) => this.#enterService(id, end));
      return;
    }
    if (state === 'pending' || state === 'running' || member.lifecycle === 'EnteringStandby' || member.lifecycle === 'Standby') return;
    if (member.lifecycle === 'Terminating') {
      if (state === 'terminated') this.#exits.leave(id);
      return;
    }
    if (member.lifecycle === 'Pending') {
      const reason = account.instances.current(id)?.stateReason?.message ?? 'unknown';
      const message = `Instance became unhealthy while waiting for instance to be in InService state. Termination Reason: ${reason}`;
      groups.end(member.activity, { status: 'Cancelled', message });
      this.#control.pause(member.group);
    }
    checkLater(this.#control, id);
  }

  #enterService(id: string, { result, message }: HookEnd): void {
    const { groups, clock } = this.#control;
    const member = groups.member(id);
    if (member?.lifecycle !== 'Pending') return;
    if (result === 'ABANDON') {
      this.#control.pause(member.group);
      const cause = `At ${at(clock)} instance ${id} was taken out of service: its launch lifecycle action was abandoned or timed out.`;
      this.#exits.terminate(member, { cause, message: `Instance failed to complete user's Lifecycle Action: ${message}` });
      return;
    }
    groups.end(member.activity);
    const { activity: _launch, isSurplus: _surplus, ...rest } = member;
    groups.keepMember({ ...rest, lifecycle: 'InService', inServiceAtMs: clock.nowMs() });
    this.#control.reconsider(member.group);
  }

  async #reconcile(name: string): Promise<void> {
    const { groups, memories } = this.#control;
    const group = groups.find(name);
    if (group === undefined) return;
    if (group.isDeleting) {
      if (groups.members(name).length === 0) {
        groups.delete(group, undefined);
        this.forget(name);
      }
      return;
    }
    replaceUnhealthy(this.#control, this.#exits, group);
    retire(this.#control, this.#exits, group);
    expire(this.#control, this.#exits, group);
    goOnRefreshing(this.#control, this.#exits, group);
    shrink(this.#control, this.#exits, group);
    await this.#scaleOut.grow(name);
    const now = groups.find(name);
    const members = groups.members(name);
    const isReached = now !== undefined && unitsOf(members) === targetOf(now, members);
    if (isReached && members.every(({ isSurplus }) => isSurplus !== true)) memories.reached(name);
    await this.#scaleOut.balance(name);
  }
}
