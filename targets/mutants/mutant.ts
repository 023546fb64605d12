import type { ReferenceTarget } from '../reference.ts';

/**
 * A planted bug: an autoscaler that is wrong in one way, which says beforehand where it will be caught. It proves that
 * the checks can fail. `scaleproof mutants` and `suites/mutants.spec.ts` hold it to every word (docs/mutants.md).
 */
export interface Mutant {
  /** Named `mutant:NAME`. */
  readonly target: ReferenceTarget;
  /** The real bug that it resembles. */
  readonly resembles: string;
  readonly caughtBy: Declaration;
}

/** The finding that catches a mutant, declared before it is run. */
export interface Declaration {
  readonly scenario: string;
  readonly check: string;
  readonly code: string;
  /**
   * What the finding is about, as findings name it, `*` for what a seed draws: `instance/*`, `pods/default/web-*`, `target`.
   * As narrow as it is true of every seed: where a scenario has several workloads, that of the bug.
   */
  readonly object: string;
  /** Every seed exposes it, or only some interleavings do. */
  readonly seeds: 'every' | 'some';
  /**
   * What has to come together besides the wrong code: an order of events that most runs do not have (an answer that is
   * lost, late or stale, a race), or the end of the process at a certain point. Absent where any calm run shows it.
   */
  readonly needs?: 'interleaving' | 'crash';
}
