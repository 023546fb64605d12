/** How sure a bound is unless somebody says otherwise. */
export const CONFIDENCE = 0.95;

/** Halvings of an interval from 0 to 1: past what a double can tell apart. */
const HALVINGS = 60;

/**
 * The exact lower limit of a probability, one-sided: with which chance it is at least so large, whatever it is. Trials are
 * independent and alike.
 *
 * Source: C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial",
 * Biometrika 26 (1934).
 * @param successes from 0 to `trials`
 * @param confidence more than 0, less than 1
 * @throws RangeError when the numbers are not such
 */
export function lowerConfidenceLimit(successes: number, trials: number, confidence = CONFIDENCE): number {
  if (!Number.isInteger(successes) || !Number.isInteger(trials) || successes < 0 || successes > trials)
    throw new RangeError(`${successes} of ${trials} is no count of successes`);
  if (!(confidence > 0 && confidence < 1)) throw new RangeError(`a confidence lies between 0 and 1, not at ${confidence}`);
  if (successes === 0) return 0;
  if (successes === trials) return (1 - confidence) ** (1 / trials);
  let [low, high] = [0, 1];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2;
    if (chanceOfAtLeast(successes, trials, middle) < 1 - confidence) low = middle;
    else high = middle;
  }
  return low;
}

/** The chance of so many successes or more, each with chance `p`, more than 0 and less than 1. */
function chanceOfAtLeast(successes: number, trials: number, p: number): number {
  let logChoices = 0;
  for (let k = 1; k <= trials - successes; k += 1) logChoices += Math.log(successes + k) - Math.log(k);
  let sum = 0;
  for (let k = successes; k <= trials; k += 1) {
    sum += Math.exp(logChoices + k * Math.log(p) + (trials - k) * Math.log1p(-p));
    logChoices += Math.log(trials - k) - Math.log(k + 1);
  }
  return sum;
}
