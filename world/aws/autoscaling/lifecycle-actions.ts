import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import type { Tasks } from '../../tasks.ts';
import { drawUuid } from '../ids.ts';
import type { Group } from './group.ts';

export type Transition = 'autoscaling:EC2_INSTANCE_LAUNCHING' | 'autoscaling:EC2_INSTANCE_TERMINATING';
export type HookResult = 'CONTINUE' | 'ABANDON';

/** How an instance's wait ended, and in what words if it was abandoned. */
export interface HookEnd {
  readonly result: HookResult;
  readonly message: string;
}

/** A lifecycle hook of a group. */
export interface Hook {
  readonly name: string;
  readonly group: string;
  readonly transition: Transition;
  readonly timeoutS: number;
  readonly defaultResult: HookResult;
  readonly metadata?: string;
}

/** An instance begins to wait for a hook. */
export interface LifecycleAction {
  readonly hook: Hook;
  readonly group: Group;
  readonly instance: string;
  readonly token: string;
}

/** What an instance waits for. */
interface Wait {
  readonly actions: Map<string, { readonly token: string; readonly hook: Hook; untilMs: number }>;
  readonly done: (end: HookEnd) => void;
}

/** The hooks of all groups, and the instances that wait for them. */
export class LifecycleActions {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #hooks = new Map<string, Hook>();
  readonly #waits = new Map<string, Wait>();
  readonly #listeners = new Set<(action: LifecycleAction) => void>();

  constructor({ clock, random }: { readonly clock: Clock; readonly random: Random }) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Calls the listener when an instance begins to wait. @returns a function that removes it */
  onAction(listener: (action: LifecycleAction) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The hooks of a group, in the order of their names. */
  hooks(group: string): readonly Hook[] {
    return [...this.#hooks.values()].filter((hook) => hook.group === group).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  put(hook: Hook): void {
    this.#hooks.set(key(hook.group, hook.name), hook);
  }

  /** Deletes a hook: instances that wait for it go on. @returns whether there was one */
  delete(group: string, name: string): boolean {
    for (const [instance, { actions }] of [...this.#waits]) {
      if (actions.get(name)?.hook.group === group) this.complete(instance, name, 'CONTINUE');
    }
    return this.#hooks.delete(key(group, name));
  }

  /** Deletes a group's hooks. */
  forget(group: string): void {
    for (const { name } of this.hooks(group)) this.delete(group, name);
  }

  isWaiting(instance: string): boolean {
    return this.#waits.has(instance);
  }

  /**
   * Lets an instance wait for the hooks of a transition; `done` is called at once if there are none. One hook that says ABANDON ends
   * the wait, otherwise the last one does. Source: "Amazon EC2 Auto Scaling lifecycle hooks".
   */
  wait(
    tasks: Tasks | undefined,
    { group, instance, transition }: { group: Group; instance: string; transition: Transition },
    done: Wait['done'],
  ): void {
    const hooks = this.hooks(group.name).filter((hook) => hook.transition === transition);
    if (hooks.length === 0) {
      done({ result: 'CONTINUE', message: '' });
      return;
    }
    const actions: Wait['actions'] = new Map();
    this.#waits.set(instance, { actions, done });
    for (const hook of hooks) {
      const token = drawUuid(this.#random);
      actions.set(hook.name, { token, hook, untilMs: this.#clock.nowMs() + hook.timeoutS * 1_000 });
      this.#expire(tasks, instance, hook.name, token);
      for (const listener of this.#listeners) listener({ hook, group, instance, token });
    }
  }

  /** An instance that is gone waits no more. */
  stop(instance: string): void {
    this.#waits.delete(instance);
  }

  /** The instance that has a token. */
  instanceOf(token: string): string | undefined {
    return [...this.#waits].find(([, { actions }]) => [...actions.values()].some((action) => action.token === token))?.[0];
  }

  /**
   * Ends an instance's wait for a hook. Sources of the words: "Troubleshooting Amazon EC2 Auto Scaling", and for a timeout
   * "Troubleshoot EC2/On-Premises deployment issues" of CodeDeploy.
   * @returns whether the instance waited for this hook
   */
  complete(instance: string, name: string, result: HookResult, isTimeout = false): boolean {
    const wait = this.#waits.get(instance);
    const action = wait?.actions.get(name);
    if (wait === undefined || action === undefined) return false;
    wait.actions.delete(name);
    if (result === 'ABANDON' || wait.actions.size === 0) {
      this.#waits.delete(instance);
      const why = isTimeout ? 'Heartbeat Timeout' : 'Lifecycle Action Completed with ABANDON Result';
      wait.done({ result, message: `Lifecycle Action with token ${action.token} was abandoned: ${why}` });
    }
    return true;
  }

  /** The wait for a hook begins again. @returns whether the instance waits for this hook */
  heartbeat(instance: string, name: string): boolean {
    const action = this.#waits.get(instance)?.actions.get(name);
    if (action === undefined) return false;
    action.untilMs = this.#clock.nowMs() + action.hook.timeoutS * 1_000;
    return true;
  }

  #expire(tasks: Tasks | undefined, instance: string, name: string, token: string): void {
    const action = this.#waits.get(instance)?.actions.get(name);
    if (action?.token !== token) return;
    const leftMs = action.untilMs - this.#clock.nowMs();
    if (leftMs > 0) tasks?.after(leftMs, () => this.#expire(tasks, instance, name, token));
    else this.complete(instance, name, action.hook.defaultResult, true);
  }
}

function key(group: string, name: string): string {
  return JSON.stringify([group, name]);
}
