import type { ReferenceTarget } from '../reference.ts';

/**
 * A planted bug: an autoscaler that is wrong in one way, which says beforehand where it will be caught. It proves that
 * the checks can fail.
 */
export interface Mutant {
  /** Named `mutant:NAME`. */
  readonly target: ReferenceTarget;
  /** The real bug that it resembles. */
  readonly resembles: string;
  readonly caughtBy: {
    readonly scenario: string;
    readonly check: string;
    readonly code: string;
    /** Every seed exposes it, or only some interleavings do. */
    readonly seeds: 'every' | 'some';
  };
}
