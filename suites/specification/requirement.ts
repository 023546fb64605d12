import type { BoundName } from '../../harness/bounds.ts';
import type { Profile } from '../../history/events.ts';
import type { Feature } from '../../targets/target.ts';

/** As in RFC 2119. */
export type Level = 'MUST' | 'SHOULD';

/** What a conforming node autoscaler owes: one line of the specification. Which scenarios test it, they say themselves. */
export interface Requirement {
  /** Prefix of the area and a number. It is never given to another requirement, also when this one goes. */
  readonly id: string;
  readonly level: Level;
  /** Who owes it: `core` everybody, `extended` who declares the features, `robustness` where an API misbehaves as no correct one does. */
  readonly profile: Profile;
  /** One sentence about what anybody can see from outside. */
  readonly title: string;
  readonly rationale: string;
  /** What of a trial shows it. */
  readonly observed: string;
  /** Findings that are a breach of it where a scenario tests it: codes by the name of their check. */
  readonly breaches: Breaches;
  /** The most, or the least, that a conforming autoscaler takes; or why there is no such value. */
  readonly bound: BoundName | Unbounded;
  /** All of them must be declared for it to be owed. */
  readonly features: readonly Feature[];
  /** Public issues that it answers, as `REPOSITORY#NUMBER`. */
  readonly incidents: readonly string[];
}

export type Breaches = Readonly<Record<string, readonly string[]>>;

/** No bound, and why. */
export interface Unbounded {
  readonly none: string;
}

/** Requirements about one thing. */
export interface Area {
  /** Three letters, before the number in the ids. */
  readonly prefix: string;
  readonly name: string;
  readonly summary: string;
  readonly requirements: readonly Requirement[];
}

/** Defines a requirement, with what most have in common. */
export function requirement(
  definition: Pick<Requirement, 'id' | 'title' | 'rationale' | 'observed' | 'breaches' | 'bound'> &
    Partial<Pick<Requirement, 'level' | 'profile' | 'features' | 'incidents'>>,
): Requirement {
  return { level: 'MUST', profile: 'core', features: [], incidents: [], ...definition };
}

/** A pod that could be served was not. */
export const UNSERVED: Breaches = { 'success-rate': ['pod-not-served'] };
/** Something that the target launched stays. */
export const LEAKED: Breaches = { 'no-leaked-instances': ['leaked-instance', 'nodeless-instance', 'orphaned-instance'] };
/** A protected pod lost its place otherwise than by eviction. */
export const FORCED: Breaches = { 'budgets-respected': ['protected-pod-deleted', 'protected-pod-killed'] };

/** An instance was ended under a pod that nobody had asked to leave. */
export const UNASKED: Breaches = { 'grace-periods': ['never-asked-to-leave'] };

/** A node was taken by will that had to stay. */
export const TAKEN: Breaches = { undisturbed: ['node-taken'] };

/** Of what must hold at every moment. */
export const AT_EVERY_MOMENT: Unbounded = { none: 'it holds at every moment, so no time limit applies' };
