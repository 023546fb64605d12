/** One side of a two-by-two table. */
export interface Share {
  readonly failed: number;
  readonly trials: number;
}

/**
 * Fisher's exact test, one-sided: the probability that chance alone puts at least this many of all failures on the candidate's side.
 *
 * Source: R. A. Fisher, "On the interpretation of chi-squared from contingency tables, and the calculation of P", Journal of the
 * Royal Statistical Society 85 (1922).
 */
export function moreOftenByChance(baseline: Share, candidate: Share): number {
  const failed = baseline.failed + candidate.failed;
  const most = Math.min(failed, candidate.trials);
  const all = logChoose(baseline.trials + candidate.trials, failed);
  let probability = 0;
  for (let count = candidate.failed; count <= most; count += 1)
    probability += Math.exp(logChoose(candidate.trials, count) + logChoose(baseline.trials, failed - count) - all);
  return Math.min(1, probability);
}

/** The logarithm of the number of ways to choose; -Infinity if there is none. */
function logChoose(from: number, count: number): number {
  if (count < 0 || count > from) return -Infinity;
  let sum = 0;
  for (let index = 1; index <= count; index += 1) sum += Math.log((from - count + index) / index);
  return sum;
}
