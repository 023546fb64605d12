import type { Instance } from '../../ports.ts';
import type { Control } from './control.ts';
import type { Member } from './group.ts';

/** What an exit says and stands for. */
export interface Exit {
  readonly cause: string;
  /** Of the request behind it, if any. */
  readonly span?: number | undefined;
  /** The status message of the launch, if that has not ended yet. */
  readonly message?: string;
}

/** Whether EC2 still has an instance that runs, or will. */
export function isAlive(record: Pick<Instance, 'state'> | undefined): boolean {
  return record?.state === 'pending' || record?.state === 'running';
}

/** How members leave their groups. */
export class Exits {
  readonly #control: Control;

  constructor(control: Control) {
    this.#control = control;
  }

  /** Terminates a member. @returns the id of the activity */
  terminate(member: Member, { cause, span, message = 'Instance was terminated by a user request.' }: Exit): string {
    const { groups, actions, account, tasks } = this.#control;
    const { instance, group, subnetId, zone } = member;
    const description = `Terminating EC2 instance: ${instance}`;
    const activity = groups.begin({ group, what: 'terminate', instance, description, cause, subnetId, zone });
    const isPending = member.lifecycle === 'Pending';
    if (isPending || member.lifecycle === 'EnteringStandby') groups.end(member.activity, { status: 'Cancelled', message });
    groups.keepMember({ ...member, lifecycle: 'Terminating', activity: activity.id });
    actions.stop(instance);
    const finish = (): void => {
      account.instances.terminate(instance, span);
      const state = account.instances.current(instance)?.state ?? 'terminated';
      if (state === 'terminated') this.leave(instance);
    };
    const owner = groups.find(group);
    // Hooks are for what can still be done on an instance.
    if (owner === undefined || owner.isDeleting || isPending || !isAlive(account.instances.current(instance))) finish();
    else actions.wait(tasks, { group: owner, instance, transition: 'autoscaling:EC2_INSTANCE_TERMINATING' }, finish);
    return activity.id;
  }

  /** An instance of a group is terminated. */
  leave(id: string): void {
    const { groups, actions } = this.#control;
    const member = groups.member(id);
    if (member === undefined) return;
    groups.end(member.activity);
    actions.stop(id);
    groups.removeMember(id);
    this.#control.reconsider(member.group);
  }
}
