import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import { drawMs } from '../../tasks.ts';
import type { DelayRange, Tasks, WorkQueue } from '../../tasks.ts';
import type { Account } from '../operation.ts';
import type { Groups } from './groups.ts';
import type { LifecycleActions } from './lifecycle-actions.ts';
import { Memories } from './memories.ts';
import type { Refreshes } from './refreshes.ts';

/** What a controller works on. */
export interface ControlParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly account: Account;
  readonly groups: Groups;
  readonly actions: LifecycleActions;
  readonly refreshes: Refreshes;
}

/** What the parts of the controller share: what they work on, what they remember, and how they come back to a group. */
export class Control {
  readonly clock: Clock;
  readonly random: Random;
  readonly account: Account;
  readonly groups: Groups;
  readonly actions: LifecycleActions;
  readonly refreshes: Refreshes;
  readonly memories = new Memories();
  /** The times of `lookAt` that were named last, by group and reason. */
  readonly #looks = new Map<string, Map<string, number>>();
  #work: { readonly tasks: Tasks; readonly queue: WorkQueue } | undefined;

  constructor(parts: ControlParts) {
    this.clock = parts.clock;
    this.random = parts.random;
    this.account = parts.account;
    this.groups = parts.groups;
    this.actions = parts.actions;
    this.refreshes = parts.refreshes;
  }

  start(work: { readonly tasks: Tasks; readonly queue: WorkQueue }): void {
    this.#work = work;
  }

  get tasks(): Tasks | undefined {
    return this.#work?.tasks;
  }

  /** A group is looked at soon. */
  reconsider(name: string): void {
    this.#work?.queue.add(name);
  }

  /** A group is looked at again at that time. @param why for each reason one time is enough */
  lookAt(name: string, why: string, atMs: number): void {
    const looks = this.#looks.get(name) ?? new Map<string, number>();
    if (looks.get(why) === atMs) return;
    this.#looks.set(name, looks.set(why, atMs));
    this.tasks?.after(atMs - this.clock.nowMs(), () => this.reconsider(name));
  }

  /** A group was deleted. */
  forget(name: string): void {
    this.#looks.delete(name);
    this.memories.forget(name);
  }

  /** Works after a drawn delay. @param what names the random stream */
  after(what: string, delay: DelayRange, work: () => void): void {
    this.tasks?.after(drawMs(this.random.fork(`${what} at ${this.clock.nowMs()}`), delay), work);
  }

  /** After a failure: the next try comes later each time. */
  pause(name: string): void {
    const pauseMs = this.memories.failed(name, this.clock.nowMs());
    this.tasks?.after(pauseMs, () => this.reconsider(name));
  }
}
