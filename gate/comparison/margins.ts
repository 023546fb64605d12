import { unitsForQuantile } from '../statistics/quantile.ts';
import { ALPHA } from './alpha.ts';

/**
 * Smaller differences matter to nobody. They are the margins and budgets of a gate's default policy, so that "the same" here never
 * means what a gate would reject. A ratio is within a margin of 0.1 if it is between 1 / 1.1 and 1.1.
 */
export const MARGINS = {
  /** Of typical waits, utilisation and cost: two days of the same launches differ by about as much. */
  typical: 0.1,
  /** Of the slowest waits. */
  tail: 0.25,
  /** Of requests and retries. */
  requests: 0.25,
  /** Of shares of trials, as a difference: five of a hundred trials. */
  share: 0.05,
} as const;

/**
 * With fewer trials nothing is called the same: what happens in one trial of twenty, and doubles a mean, would be missed too often.
 */
export const LEAST_FOR_SAME = unitsForQuantile(1 - MARGINS.share, ALPHA);

/** How far apart two sides can be at most, if that is within the margin. */
export interface Within {
  readonly margin: number;
  readonly most: number;
}

/** @returns undefined unless the bounds of a ratio are within the margin */
export function ratioWithin({ lower, upper }: { readonly lower: number; readonly upper: number }, margin: number): Within | undefined {
  const most = Math.max(upper, 1 / lower) - 1;
  return most <= margin ? { margin, most } : undefined;
}

/** @returns undefined unless the bounds of a difference are within the margin */
export function differenceWithin({ lower, upper }: { readonly lower: number; readonly upper: number }, margin: number): Within | undefined {
  const most = Math.max(upper, -lower);
  return most <= margin ? { margin, most } : undefined;
}
