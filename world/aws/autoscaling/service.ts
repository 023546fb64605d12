import type { Caller } from '../../../wire/backend.ts';
import type { Account, Outcome } from '../operation.ts';
import type { GroupController } from './controller.ts';
import type { Groups } from './groups.ts';
import type { LifecycleActions } from './lifecycle-actions.ts';
import type { Refreshes } from './refreshes.ts';

/** What operations work on. */
export interface AutoScalingSite {
  readonly account: Account;
  readonly groups: Groups;
  readonly controller: GroupController;
  readonly actions: LifecycleActions;
  readonly refreshes: Refreshes;
}

/**
 * One operation. Refuses by throwing a QueryRefusal. `input` has the shape of the SDK's input type (decoded by its schema), but
 * timestamps are ISO text.
 */
export type AutoScalingOperation = (site: AutoScalingSite, input: never, caller: Caller) => Outcome;

/** How effects name a group. */
export function groupId(name: string): string {
  return `group/${name}`;
}
