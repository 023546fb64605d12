import { normalCdf, normalQuantile } from './normal.ts';
import { compare, mean, midRanks, outsideExact, shiftOf } from './ranks.ts';
import type { Shift } from './ranks.ts';

/** With up to this many values, the null distribution is computed exactly; with more, approximated as normal. */
const EXACT_UP_TO = 50;

/**
 * Wilcoxon's signed-rank test of paired differences, with the Hodges-Lehmann estimate of their centre and its bounds.
 *
 * Zeros are treated as Pratt does: they are ranked and then dropped. If they were dropped before, as Wilcoxon did, a difference that
 * grows from zero to a small value could make all others *less* significant, and a few small changes among many equal pairs would
 * have the weight of large ones. Pairs with the same seed in virtual time are often equal.
 *
 * p-values are exact for up to 50 non-zero differences, even with ties: they count every assignment of signs to the actual ranks.
 * Beyond that they are normal, with the variance of the actual ranks (which corrects for ties) and a continuity correction. Bounds
 * come from the Walsh averages; they are exact for up to 50 differences, except for ties, which make them wider.
 *
 * Sources: F. Wilcoxon, Biometrics Bulletin 1 (1945); J. W. Pratt, "Remarks on zeros and ties in the Wilcoxon signed rank
 * procedures", JASA 54 (1959); J. L. Hodges, E. L. Lehmann, Annals of Mathematical Statistics 34 (1963); M. Hollander,
 * D. A. Wolfe, E. Chicken, "Nonparametric Statistical Methods", 3rd ed., 3.1-3.3.
 * @param differences second minus first; infinite if a value was beyond all observed ones; at least one
 * @param alpha error rate of each bound
 */
export function signedRank(differences: readonly number[], alpha: number): Shift {
  const ranks = midRanks(differences.map(Math.abs));
  const used = differences.flatMap((value, index) => (value === 0 ? [] : [{ isPositive: value > 0, rank: ranks[index] ?? 0 }]));
  const positive = used.reduce((sum, { isPositive, rank }) => (isPositive ? sum + rank : sum), 0);
  const total = used.reduce((sum, { rank }) => sum + rank, 0);
  const tail = upperTailOf(used.map(({ rank }) => rank));
  const count = differences.length;
  return { ...shiftOf(walshAverages(differences), outsideOf(count, alpha)), pHigher: tail(positive), pLower: tail(total - positive) };
}

/** P(W >= w) for the sum W of the ranks with a plus, each with probability 1/2. The sum of the other ranks has the same distribution. */
function upperTailOf(ranks: readonly number[]): (w: number) => number {
  if (ranks.length === 0) return () => 1;
  if (ranks.length <= EXACT_UP_TO) {
    // Tied ranks are multiples of one half: doubling makes them whole.
    const probabilities = sumsOf(ranks.map((rank) => Math.round(rank * 2)));
    return (w) =>
      Math.min(
        1,
        probabilities.subarray(Math.round(w * 2)).reduce((sum, one) => sum + one, 0),
      );
  }
  const centre = ranks.reduce((sum, rank) => sum + rank, 0) / 2;
  const deviation = Math.sqrt(ranks.reduce((sum, rank) => sum + rank ** 2, 0)) / 2;
  return (w) => normalCdf(-(w - centre - 0.5) / deviation);
}

/** The probability of each sum of a random subset of whole numbers. */
function sumsOf(numbers: readonly number[]): Float64Array {
  const probabilities = new Float64Array(numbers.reduce((sum, one) => sum + one, 0) + 1);
  probabilities[0] = 1;
  let largest = 0;
  for (const one of numbers) {
    largest += one;
    for (let sum = largest; sum >= 0; sum -= 1) {
      const without = probabilities[sum] ?? 0;
      const withIt = sum >= one ? (probabilities[sum - one] ?? 0) : 0;
      probabilities[sum] = (without + withIt) / 2;
    }
  }
  return probabilities;
}

/** The number of Walsh averages outside a bound. */
function outsideOf(count: number, alpha: number): number {
  if (count <= EXACT_UP_TO) return outsideExact(sumsOf(Array.from({ length: count }, (_, index) => index + 1)), alpha);
  const centre = (count * (count + 1)) / 4;
  const deviation = Math.sqrt((count * (count + 1) * (2 * count + 1)) / 24);
  return Math.max(0, Math.floor(centre + 0.5 + normalQuantile(alpha) * deviation));
}

/** The means of all pairs, including each value with itself. */
function walshAverages(values: readonly number[]): Float64Array {
  const sorted = [...values].sort(compare);
  const averages = new Float64Array((sorted.length * (sorted.length + 1)) / 2);
  let next = 0;
  sorted.forEach((value, index) => {
    for (let other = index; other < sorted.length; other += 1) {
      averages[next] = mean(value, sorted[other] ?? 0);
      next += 1;
    }
  });
  return averages;
}
