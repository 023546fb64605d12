import type { Operation, Principal } from '../model/operation.ts';
import type { Refusal } from './backend.ts';
import type { WireErrorCode } from './wire.ts';

export type { Refusal } from './backend.ts';

/** Which requests a trigger looks at. */
export interface Matcher {
  /** By default the target's alone. */
  readonly principal?: Principal;
  /** Operation names as in `Operation.name`; `*` for all of them. */
  readonly operations: readonly string[];
  /** Only requests that changed the world; can be told at the moment `after` alone. */
  readonly applied?: boolean;
  /** This request alone: who has run the same trial before knows which one it will be. */
  readonly span?: number;
  /** Narrows further, by what is asked for. */
  readonly where?: (operation: Operation) => boolean;
}

/** Which of the matching requests: counted from 1, from the moment of arming. */
export type When =
  | { readonly kind: 'always' }
  | { readonly kind: 'first'; readonly count: number }
  | { readonly kind: 'every'; readonly nth: number }
  | { readonly kind: 'nth'; readonly nth: number }
  | { readonly kind: 'probability'; readonly probability: number }
  /** Relative to the arming. */
  | { readonly kind: 'window'; readonly fromMs: number; readonly toMs: number };

/**
 * The moment at which an effect strikes. `before`: the request has not been sent on; `after`: it took effect and its
 * answer has not been delivered.
 */
export type Moment = 'before' | 'after';

export interface Trigger {
  readonly match: Matcher;
  readonly when: When;
  readonly moment: Moment;
}

/** Changes one Kubernetes object; returns the same object where there is nothing to change. */
export type ObjectRewrite = (object: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

/** What is done to a request or its answer. */
export type WireEffect =
  /**
   * Refuses in the backend's place (moment `before`), or instead of its answer (`after`). Services word one and the same
   * differently: `refusal` may depend on the operation.
   */
  | { readonly kind: 'refuse'; readonly refusal: Refusal | ((operation: Operation) => Refusal) }
  /** Breaks the connection: the request is never sent on (`before`), or its answer is lost (`after`). */
  | { readonly kind: 'break'; readonly code: WireErrorCode }
  | { readonly kind: 'delay'; readonly delayMs: number }
  /** Kills the caller; nothing of the answer reaches it. */
  | { readonly kind: 'kill' };

/** A trigger with its effect. */
export interface StrikeInjection {
  readonly trigger: Trigger;
  readonly effect: WireEffect;
  /** Told each time it strikes, with the request's span. */
  readonly fired: (span: number) => void;
}

/**
 * Changes Kubernetes objects on their way to the caller for as long as it is armed: in get, list, and in every event of
 * a watch, also of watches opened before.
 */
export interface RewriteInjection {
  readonly match: Omit<Matcher, 'applied'>;
  readonly rewrite: ObjectRewrite;
  /** Told each time an object was really changed, with the request's span. */
  readonly fired: (span: number) => void;
}

/** What is armed at the gate of a world's wires. */
export type Injection = StrikeInjection | RewriteInjection;

/** Arms an injection; the returned function takes it away again. */
export type ArmInjection = (injection: Injection) => () => void;
