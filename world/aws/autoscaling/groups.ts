import type { EventOf, Recorder } from '../../../history/events.ts';
import { defined } from '../../../model/defined.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import { drawUuid } from '../ids.ts';
import type { Activity, Group, Member } from './group.ts';
import { groupNotFound } from './refusals.ts';

/** Activities are listed for six weeks; here, as many are kept as any trial has. Source: "DescribeScalingActivities". */
const ACTIVITIES_MAX = 10_000;

/** An activity that begins. */
export type NewActivity = Pick<Activity, 'group' | 'what' | 'description' | 'cause' | 'subnetId' | 'zone' | 'instance'>;

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
  #sequence = 0;

  constructor({ clock, random, recorder }: { readonly clock: Clock; readonly random: Random; readonly recorder: Recorder }) {
    this.#clock = clock;
    this.#random = random;
    this.#recorder = recorder;
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
    if (before === undefined) this.#record(group, 'created', span);
    else if (before.min !== group.min || before.max !== group.max || before.desired !== group.desired) this.#record(group, 'changed', span);
  }

  /** Deletes a group without members. */
  delete(group: Group, span: number | undefined): void {
    if (this.#groups.delete(group.name)) this.#record(group, 'deleted', span);
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
  }

  removeMember(instance: string): void {
    this.#members.delete(instance);
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

  #keepActivity(activity: Activity): void {
    this.#activities.set(activity.id, activity);
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
