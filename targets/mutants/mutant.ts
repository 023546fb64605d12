import type { ReferenceTarget } from '../reference.ts';

/**
 * A planted bug: an autoscaler that is wrong in one way, and declares in advance how it will be caught. It proves that the checks
 * can fail. `scaleproof mutants` and `suites/mutants.spec.ts` verify the declaration exactly (docs/mutants.md).
 */
export interface Mutant {
  /** Named `mutant:NAME`. */
  readonly target: ReferenceTarget;
  /** The real bug that it resembles. */
  readonly resembles: string;
  readonly caughtBy: Declaration;
}

/** The finding that catches a mutant, declared in advance. */
export interface Declaration {
  readonly scenario: string;
  readonly check: string;
  readonly code: string;
  /**
   * The object of the finding, as findings name it, with `*` for what depends on the seed: `instance/*`, `pods/default/web-*`,
   * `target`. As narrow as possible for every seed: if a scenario has several workloads, the one with the bug.
   */
  readonly object: string;
  /** Every seed exposes it, or only some interleavings do. */
  readonly seeds: 'every' | 'some';
  /**
   * What the bug needs besides the wrong code: an order of events that most runs don't have (a lost, late or stale response, a
   * race), or the end of the process at a certain point. Absent if any calm run shows it.
   */
  readonly needs?: 'interleaving' | 'crash';
}
