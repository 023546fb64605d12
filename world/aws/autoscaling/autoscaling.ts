import type { Recorder } from '../../../history/events.ts';
import type { Random } from '../../../runtime/random.ts';
import type { Account } from '../operation.ts';
import type { RequestBuckets } from '../request-buckets.ts';
import { AutoScalingBackend } from './backend.ts';
import { GroupController } from './controller.ts';
import { Groups } from './groups.ts';
import { LifecycleActions } from './lifecycle-actions.ts';
import type { LifecycleAction } from './lifecycle-actions.ts';
import { Refreshes } from './refreshes.ts';

/** Auto Scaling of one account in one region. */
export interface AutoScaling {
  /** Serves its wire. */
  readonly backend: AutoScalingBackend;
  /** Launches and terminates the instances of groups, while it runs. */
  readonly controller: GroupController;
  /** Allows delaying reads. */
  readonly reads: Pick<Groups, 'delay'>;
  /** Calls the listener when an instance begins to wait for a hook. @returns a function that removes it */
  onAction(listener: (action: LifecycleAction) => void): () => void;
}

/** Creates Auto Scaling without groups. */
export function createAutoScaling(parts: {
  readonly account: Account;
  readonly random: Random;
  readonly recorder: Recorder;
  readonly buckets: RequestBuckets;
}): AutoScaling {
  const { account, random, recorder, buckets } = parts;
  const { clock } = account;
  const groups = new Groups({ clock, random: random.fork('activities'), recorder });
  const actions = new LifecycleActions({ clock, random: random.fork('lifecycle actions') });
  const refreshes = new Refreshes({ clock, random: random.fork('refreshes') });
  const controller = new GroupController({ clock, random: random.fork('controller'), account, groups, actions, refreshes });
  const site = { account, groups, controller, actions, refreshes };
  const backend = new AutoScalingBackend({ site, random: random.fork('request ids'), buckets });
  return { backend, controller, reads: groups, onAction: (listener) => actions.onAction(listener) };
}
