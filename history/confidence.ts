import { bisect } from '../model/bisection.ts';

/** The default confidence of bounds. */
export const CONFIDENCE = 0.95;

/**
 * The exact lower confidence bound on the probability of success (one-sided): the probability for which at least this many
 * successes would be seen with probability alpha. It holds for any true probability.
 *
 * Source: C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial",
 * Biometrika 26 (1934).
 * @param alpha probability that the bound is wrong, 0.05 for 95 % confidence
 * @throws RangeError unless 0 <= successes <= trials
 */
export function lowerSuccessBound(successes: number, trials: number, alpha: number): number {
  checkCounts(successes, trials);
  return successes === 0 ? 0 : 1 - upperBoundOn(trials - successes, trials, alpha);
}

/** The exact upper confidence bound on the probability of success (one-sided); see {@link lowerSuccessBound}. */
export function upperSuccessBound(successes: number, trials: number, alpha: number): number {
  checkCounts(successes, trials);
  return successes === trials ? 1 : upperBoundOn(successes, trials, alpha);
}

/** The probability of an event for which it would happen at most this often with probability alpha. */
function upperBoundOn(events: number, trials: number, alpha: number): number {
  return bisect((probability) => 1 - binomialCdf(events, trials, probability), 1 - alpha, 0, 1);
}

/**
 * P(X <= events) of a binomial X. Terms are computed in log space to avoid overflow.
 * @param events 0 to trials
 */
export function binomialCdf(events: number, trials: number, probability: number): number {
  if (probability <= 0 || events >= trials) return 1;
  if (probability >= 1) return 0;
  const logOdds = Math.log(probability) - Math.log1p(-probability);
  let logTerm = trials * Math.log1p(-probability);
  let sum = Math.exp(logTerm);
  for (let event = 1; event <= events; event += 1) {
    logTerm += Math.log((trials - event + 1) / event) + logOdds;
    sum += Math.exp(logTerm);
  }
  return Math.min(1, sum);
}

function checkCounts(successes: number, trials: number): void {
  if (!(successes >= 0 && successes <= trials)) throw new RangeError(`there can't be ${successes} successes in ${trials} trials`);
}
