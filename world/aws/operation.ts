import type { Catalogue } from '../../model/instance-catalogue.ts';
import type { ClusterConfig } from '../../model/cluster.ts';
import type { Effect } from '../../model/operation.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { Caller } from '../../wire/backend.ts';
import type { Capacity } from './capacity.ts';
import type { InstanceStore } from './instance-store.ts';
import type { Instances } from './instances.ts';
import type { LaunchTemplates } from './launch-templates.ts';
import type { Market } from './market.ts';
import type { Network } from './network.ts';

/** What operations work on: the state of one account in one region. */
export interface Account {
  readonly clock: Clock;
  /** Draws ids of what has no store of its own (fleets, reservations). */
  readonly random: Random;
  readonly cluster: ClusterConfig;
  readonly catalogue: Catalogue;
  readonly network: Network;
  readonly market: Market;
  readonly capacity: Capacity;
  readonly store: InstanceStore;
  readonly instances: Instances;
  readonly templates: LaunchTemplates;
}

/** What an operation answers, in the SDK's output type, and what it did. */
export interface Outcome {
  readonly output: object;
  readonly effect: Effect;
}

/**
 * One EC2 operation. Refuses by throwing an Ec2Refusal. `input` is in the shape of the SDK's input type (decoded by its
 * schema), but timestamps are ISO text; the table's entries state that type.
 */
export interface Ec2Operation {
  readonly run: (account: Account, input: never, caller: Caller) => Outcome | Promise<Outcome>;
  /** Honours `ClientToken`. */
  readonly idempotent?: true;
}

const NOTHING: Effect = { kind: 'none' };

/** An operation that only answers. */
export function reading<I>(answer: (account: Account, input: I) => object): Ec2Operation {
  return { run: (account, input: I) => ({ output: answer(account, input), effect: NOTHING }) };
}

/** An answer with what was done; nothing where no id is named. */
export function outcome(output: object, ids: readonly string[]): Outcome {
  return { output, effect: ids.length === 0 ? NOTHING : { kind: 'applied', ids } };
}

/** The account that owns everything, as answers name it. */
export const ACCOUNT_ID = '123456789012';
