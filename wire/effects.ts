import type { Operation, Principal } from '../model/operation.ts';
import type { Caller, Refusal } from './backend.ts';
import type { WireErrorCode } from './wire.ts';

export type { Caller, Refusal } from './backend.ts';

/** Which requests a trigger looks at. */
export interface Matcher {
  /** By default only the target. */
  readonly principal?: Principal;
  /** Operation names as in `Operation.name`; `*` for all of them. */
  readonly operations: readonly string[];
  /** Only requests that changed the world. Known only at the moment `after`. */
  readonly applied?: boolean;
  /** Only this request: after an earlier run of the same trial, its span is known. */
  readonly span?: number;
  /** Narrows further, by the parsed request. */
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

/** Changes one Kubernetes object. Returns the same object if there is nothing to change. */
export type ObjectRewrite = (object: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

/** What is done to a request or its answer. */
export type WireEffect =
  /**
   * Refuses instead of the backend (moment `before`), or replaces its answer (`after`). Services express the same refusal
   * differently, so `refusal` may depend on the operation, and on who sends it.
   */
  | { readonly kind: 'refuse'; readonly refusal: Refusal | ((operation: Operation, caller: Caller) => Refusal) }
  /** Breaks the connection: the request is never sent on (`before`), or its answer is lost (`after`). */
  | { readonly kind: 'break'; readonly code: WireErrorCode }
  | { readonly kind: 'delay'; readonly delayMs: number }
  /** Kills the caller; the answer never reaches it. */
  | { readonly kind: 'kill' };

/** A trigger with its effect. */
export interface StrikeInjection {
  readonly trigger: Trigger;
  readonly effect: WireEffect;
  /** Called each time it strikes, with the request's span. */
  readonly fired: (span: number) => void;
}

/**
 * While armed, changes Kubernetes objects on their way to the caller: in gets, lists, and every event of a watch, also of
 * watches that were opened before.
 */
export interface RewriteInjection {
  readonly match: Omit<Matcher, 'applied'>;
  readonly rewrite: ObjectRewrite;
  /** Called each time an object was really changed, with the request's span. */
  readonly fired: (span: number) => void;
}

/** An injection for the gate of a world's wires. */
export type Injection = StrikeInjection | RewriteInjection;

/** Arms an injection; the returned function removes it. */
export type ArmInjection = (injection: Injection) => () => void;
