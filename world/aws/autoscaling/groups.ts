import type { EventOf, Recorder } from '../../../history/events.ts';
import { defined } from '../../../model/defined.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import type { Caller } from '../../../wire/backend.ts';
import type { Heal } from '../../ports.ts';
import { drawUuid } from '../ids.ts';
import type { Activity, Group, Member } from './group.ts';
import { Reads } from './reads.ts';
import { groupNotFound } from './refusals.ts';

/** Activities are listed for six weeks; here, as many are kept as any trial has. Source: "DescribeScalingActivities". */
const ACTIVITIES_MAX = 10_000;

/** An activity that begins. */
export type NewActivity = Pick<Activity, 'group' | 'what' | 'description' | 'cause' | 'subnetId' | 'zone' | 'instance'>;

/** A group with its members, in the order in which they joined: a read shows both as they were at one time. */
export interface GroupView {
  readonly group: Group;
  readonly members: readonly Member[];
}

/** All groups of the account, their members and activities. The history records changes of groups, and activities. */
export class Groups {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #recorder: Recorder;
  readonly #groups = new Map<string, Group>();
  /** By instance, in the order in which they joined. */
  readonly #members = new Map<string, Member>();
  /** By id, oldest first. */
  readonly #activities = new Map<string, Activity>();
  readonly #groupReads: Reads<GroupView>;
  readonly #activityReads: Reads<Activity>;
  #sequence = 0;

  constructor({ clock, random, recorder }: { readonly clock: Clock; readonly random: Random; readonly recorder: Recorder }) {
    this.#clock = clock;
    this.#random = random;
    this.#recorder = recorder;
    this.#groupReads = new Reads({
      clock,
      random: random.fork('reads of groups'),
      current: () => new Map(this.list().map((group) => [group.name, { group, members: this.members(group.name) }])),
    });
    this.#activityReads = new Reads({ clock, random: random.fork('reads of activities'), current: () => this.#activities });
  }

  /** Makes the target's reads stale, until undone. */
  delay(delay: Parameters<Reads<unknown>['delay']>[0]): Heal {
    const heals = [this.#groupReads.delay(delay), this.#activityReads.delay(delay)];
    return () => heals.forEach((heal) => void heal());
  }

  /** What a request shows of groups as it sees them, in no particular order. @param part what it shows of one, if anything */
  read<Part>(caller: Caller, part: (view: GroupView) => readonly Part[]): readonly Part[] {
    return this.#groupReads.all(caller, part);
  }

  /** Activities as a request sees them, newest first. @param isShown whether it shows one */
  readActivities(caller: Caller, isShown: (activity: Activity) => boolean): readonly Activity[] {
    const shown = this.#activityReads.all(caller, (activity) => (isShown(activity) ? [activity] : []));
    return shown.toSorted((a, b) => b.sequence - a.sequence);
  }

  find(name: string): Group | undefined {
    return this.#groups.get(name);
  }

  /** @throws QueryRefusal if there is no such group */
  get(name: string): Group {
    const group = this.find(name);
    if (group === undefined) throw groupNotFound(name);
    return group;
  }

  /** In the order of their names. */
  list(): readonly Group[] {
    return [...this.#groups.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Adds a group, or replaces it. @param span of the request */
  keep(group: Group, span: number | undefined): void {
    const before = this.#groups.get(group.name);
    this.#groups.set(group.name, group);
    this.#changed(group.name);
    if (before === undefined) this.#record(group, 'created', span);
    else if (before.min !== group.min || before.max !== group.max || before.desired !== group.desired) this.#record(group, 'changed', span);
  }

  /** Deletes a group without members. */
  delete(group: Group, span: number | undefined): void {
    if (!this.#groups.delete(group.name)) return;
    this.#changed(group.name);
    this.#record(group, 'deleted', span);
  }

  member(instance: string): Member | undefined {
    return this.#members.get(instance);
  }

  /** In the order in which they joined. @param group by default of all groups */
  members(group?: string): readonly Member[] {
    const members = [...this.#members.values()];
    return group === undefined ? members : members.filter((member) => member.group === group);
  }

  keepMember(member: Member): void {
    this.#members.set(member.instance, member);
    this.#changed(member.group);
  }

  removeMember(instance: string): void {
    const member = this.member(instance);
    this.#members.delete(instance);
    if (member !== undefined) this.#changed(member.group);
  }

  /** Newest first. */
  activities(): readonly Activity[] {
    return [...this.#activities.values()].reverse();
  }

  activity(id: string): Activity | undefined {
    return this.#activities.get(id);
  }

  begin(activity: NewActivity): Activity {
    this.#sequence += 1;
    const begun: Activity = {
      id: drawUuid(this.#random),
      sequence: this.#sequence,
      status: 'InProgress',
      startMs: this.#clock.nowMs(),
      ...activity,
    };
    this.#keepActivity(begun);
    this.#tell(begun, 'started', { cause: begun.cause });
    return begun;
  }

  /** Ends an activity, well if there is no message. */
  end(id: string | undefined, failure?: { readonly message: string; readonly status: 'Failed' | 'Cancelled' }): void {
    const activity = id === undefined ? undefined : this.#activities.get(id);
    if (activity?.status !== 'InProgress') return;
    const endMs = this.#clock.nowMs();
    if (failure === undefined) {
      const ended: Activity = { ...activity, status: 'Successful', endMs };
      this.#keepActivity(ended);
      this.#tell(ended, 'successful');
      return;
    }
    const { message, status } = failure;
    const description = `${activity.description}.  Status Reason: ${message}`;
    const ended: Activity = { ...activity, status, endMs, message, description };
    this.#keepActivity(ended);
    this.#tell(ended, 'failed', { message });
  }

  /** An activity that failed, or was cancelled, at once. @param end.message why, unless the description says it */
  fail(activity: NewActivity, end: { readonly message?: string; readonly status?: 'Failed' | 'Cancelled' }): void {
    const { message, status = 'Failed' } = end;
    this.#sequence += 1;
    const nowMs = this.#clock.nowMs();
    const failed: Activity = {
      id: drawUuid(this.#random),
      sequence: this.#sequence,
      status,
      startMs: nowMs,
      endMs: nowMs,
      ...activity,
      description: message === undefined ? activity.description : `${activity.description}.  Status Reason: ${message}`,
      ...defined({ message }),
    };
    this.#keepActivity(failed);
    this.#tell(failed, 'failed', { cause: failed.cause, message: message ?? activity.description });
  }

  #changed(name: string): void {
    this.#groupReads.write(name, () => {
      const group = this.find(name);
      return group && { group, members: this.members(name) };
    });
  }

  #keepActivity(activity: Activity): void {
    this.#activities.set(activity.id, activity);
    this.#activityReads.write(activity.id, () => activity);
    const [oldest] = this.#activities.keys();
    if (this.#activities.size > ACTIVITIES_MAX && oldest !== undefined) this.#activities.delete(oldest);
  }

  #record({ name, min, max, desired }: Group, to: EventOf<'group'>['to'], span: number | undefined): void {
    this.#recorder.record({ type: 'group', group: name, to, min, max, desired, ...defined({ span }) });
  }

  #tell(
    { group, id, what, instance }: Activity,
    to: EventOf<'group-activity'>['to'],
    more: Pick<EventOf<'group-activity'>, 'cause' | 'message'> = {},
  ): void {
    this.#recorder.record({ type: 'group-activity', group, activity: id, what, to, ...defined({ instance }), ...more });
  }
}
