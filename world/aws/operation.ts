import type { Catalogue } from '../../model/instance-catalogue.ts';
import type { ClusterConfig } from '../../model/cluster.ts';
import type { Effect } from '../../model/operation.ts';
import type { Ec2Refusal } from '../../protocols/ec2/refusal.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { Caller } from '../../wire/backend.ts';
import type { Capacity } from './capacity.ts';
import type { Fleets } from './fleets.ts';
import type { Instances } from './instances.ts';
import type { LaunchTemplates } from './launch-templates.ts';
import type { Market } from './market.ts';
import type { Network } from './network.ts';
import type { Hostnames } from './hostnames.ts';
import type { Quotas } from './quotas.ts';
import type { Room } from './room.ts';

/** What operations work on: the state of one account in one region. */
export interface Account {
  readonly clock: Clock;
  /** Draws ids of objects without a store of their own (fleets, reservations). */
  readonly random: Random;
  readonly cluster: ClusterConfig;
  readonly catalogue: Catalogue;
  readonly network: Network;
  readonly market: Market;
  readonly capacity: Capacity;
  readonly quotas: Quotas;
  readonly hostnames: Hostnames;
  /** Capacity, quotas and addresses in one. */
  readonly room: Room;
  readonly instances: Instances;
  readonly fleets: Fleets;
  readonly templates: LaunchTemplates;
}

/** What an operation answers, in the SDK's output type, and its effect. */
export interface Outcome {
  readonly output: object;
  readonly effect: Effect;
  /** Answered instead of the output: the operation did part of the request, and reports failure. */
  readonly refusal?: Ec2Refusal;
}

/**
 * One EC2 operation. Refuses by throwing an Ec2Refusal. `input` has the shape of the SDK's input type (decoded by its schema),
 * but timestamps are ISO text; the table's entries give that type.
 */
export interface Ec2Operation {
  readonly run: (account: Account, input: never, caller: Caller) => Outcome | Promise<Outcome>;
  /** Honours `ClientToken`. */
  readonly idempotent?: Idempotency;
}

/** The scope of client tokens. */
export interface Idempotency {
  /** The same token in another scope is a different token; by default there is one scope. */
  scopeOf?(account: Account, input: never, span: number): string;
  /** Checks an answer that is about to be replayed. @throws Ec2Refusal if it can't be */
  checkReplay?(account: Account, effect: Effect): void;
}

const NOTHING: Effect = { kind: 'none' };

/** A read-only operation. */
export function reading<I>(answer: (account: Account, input: I, caller: Caller) => object): Ec2Operation {
  return { run: (account, input: I, caller) => ({ output: answer(account, input, caller), effect: NOTHING }) };
}

/** An answer with its effect; no effect if no id is named. */
export function outcome(output: object, ids: readonly string[]): Outcome {
  return { output, effect: ids.length === 0 ? NOTHING : { kind: 'applied', ids } };
}

/** The account that owns everything, as answers show it. */
export const ACCOUNT_ID = '123456789012';
