import type { Random } from '../../runtime/random.ts';
import type { Episode } from '../episode.ts';
import type { Policy } from '../policy.ts';
import type { Comparison } from '../sides.ts';
import type { Evidence } from '../verdict.ts';

/** The input of every criterion. */
export interface GateInput {
  readonly baseline: readonly Episode[];
  readonly candidate: readonly Episode[];
  readonly comparison: Comparison;
  readonly policy: Policy;
  readonly random: Random;
  /** Draws of a bootstrap. */
  readonly replicates: number;
}

/** Most episodes that are shown as evidence of a criterion. */
const MAX_EVIDENCE = 5;

/** Evidence from the first few episodes. */
export function evidenceOf(episodes: readonly { readonly episode: Episode; readonly what: string }[], most = MAX_EVIDENCE): Evidence[] {
  return episodes.slice(0, most).map(({ episode: { scenario, seed, replay }, what }) => ({ scenario, seed, replay, what }));
}

/** Leaves out numbers that JSON can't represent. */
export function finite(numbers: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(numbers).filter(([, value]) => Number.isFinite(value)));
}
