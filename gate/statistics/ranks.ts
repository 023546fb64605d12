/** Ranks from 1, in the order of the values; equal values share the mean of theirs. */
export function midRanks(values: readonly number[]): number[] {
  const order = values.map((_, index) => index).sort((a, b) => compare(values[a] ?? 0, values[b] ?? 0));
  const ranks = new Array<number>(values.length).fill(0);
  for (let start = 0; start < order.length;) {
    const value = values[order[start] ?? 0];
    let end = start + 1;
    while (end < order.length && values[order[end] ?? 0] === value) end += 1;
    for (const index of order.slice(start, end)) ranks[index] = (start + 1 + end) / 2;
    start = end;
  }
  return ranks;
}

/** Unlike a difference, treats equal infinities as equal. */
export function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The mean of the two middle values; infinite if one of them is. @param sorted ascending, at least one */
export function middle(sorted: ArrayLike<number>): number {
  const low = sorted[Math.floor((sorted.length - 1) / 2)];
  const high = sorted[Math.floor(sorted.length / 2)];
  if (low === undefined || high === undefined) throw new RangeError('the median needs at least one value');
  return mean(low, high);
}

/** 0 for opposite infinities, whose mean is unknown. */
export function mean(a: number, b: number): number {
  return a === b ? a : a === -b ? 0 : (a + b) / 2;
}

/** b - a; 0 for two equal infinities, whose difference is unknown. */
export function difference(a: number, b: number): number {
  return a === b ? 0 : b - a;
}

/** How far the second of two samples lies above the first. */
export interface Shift {
  /** Hodges-Lehmann estimate. */
  readonly estimate: number;
  /** One-sided bounds, each wrong with probability alpha at most; infinite if there are too few values. */
  readonly lower: number;
  readonly upper: number;
  /** Probability of ranks at least this high without a shift (one-sided). */
  readonly pHigher: number;
  /** And of ranks at most this high. */
  readonly pLower: number;
}

/**
 * Estimate and bounds from all pairwise values, whose order statistics invert the rank test.
 * @param pairwise is sorted in place
 * @param reaches how many of them, counted from either end, lie outside: 0 when there are too few
 */
export function shiftOf(pairwise: Float64Array, reaches: number): Pick<Shift, 'estimate' | 'lower' | 'upper'> {
  pairwise.sort();
  const outside = Math.min(reaches, Math.ceil(pairwise.length / 2));
  return {
    estimate: middle(pairwise),
    lower: outside < 1 ? -Infinity : (pairwise[outside - 1] ?? -Infinity),
    upper: outside < 1 ? Infinity : (pairwise[pairwise.length - outside] ?? Infinity),
  };
}

/**
 * The largest k with P(statistic <= k - 1) <= alpha; 0 if there is none.
 * @param probabilities of the values 0, 1, 2, ...
 */
export function outsideExact(probabilities: ArrayLike<number>, alpha: number): number {
  let sum = 0;
  let k = 0;
  while (k < probabilities.length) {
    sum += probabilities[k] ?? 0;
    // Rounding: a sum that is exactly alpha may be slightly above it.
    if (sum > alpha * (1 + 1e-9)) break;
    k += 1;
  }
  return k;
}
