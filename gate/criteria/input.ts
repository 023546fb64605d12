import type { Random } from '../../runtime/random.ts';
import type { Episode } from '../episode.ts';
import type { Policy } from '../policy.ts';
import type { Comparison } from '../sides.ts';
import type { Evidence } from '../verdict.ts';

/** What every criterion judges by. */
export interface GateInput {
  readonly baseline: readonly Episode[];
  readonly candidate: readonly Episode[];
  readonly comparison: Comparison;
  readonly policy: Policy;
  readonly random: Random;
  /** Draws of a bootstrap. */
  readonly replicates: number;
}

/** So many episodes are shown of each criterion. */
const MAX_EVIDENCE = 5;

/** The first few. */
export function evidenceOf(episodes: readonly { readonly episode: Episode; readonly what: string }[], most = MAX_EVIDENCE): Evidence[] {
  return episodes.slice(0, most).map(({ episode: { scenario, seed, replay }, what }) => ({ scenario, seed, replay, what }));
}

/** Leaves out what JSON has no number for. */
export function finite(numbers: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(numbers).filter(([, value]) => Number.isFinite(value)));
}
