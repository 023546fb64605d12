import { normalCdf, normalQuantile } from './normal.ts';
import { compare, mean, midRanks, outsideExact, shiftOf } from './ranks.ts';
import type { Shift } from './ranks.ts';

/** Up to so many values their null distribution is counted out, beyond it is taken as normal. */
const EXACT_UP_TO = 50;

/**
 * Wilcoxon's signed-rank test of paired differences, with the Hodges-Lehmann estimate of their centre and its bounds.
 *
 * Zeros are treated as Pratt does: they take part in the ranking and then leave. Left out beforehand, as Wilcoxon did, a
 * difference that grows from nothing to a little can make all the others *less* significant, and a few small changes among
 * many pairs that are equal would have the weight of large ones. Pairs of one seed on a virtual clock are often equal.
 *
 * p-values are exact for up to 50 differences that aren't zero, with ties, too: every assignment of signs to the ranks at
 * hand is counted. Beyond that they are normal, with the variance of those very ranks (which is the correction for ties) and
 * for continuity. Bounds come from the Walsh averages, exact up to 50 differences, ties apart, which make them wider.
 *
 * Sources: F. Wilcoxon, Biometrics Bulletin 1 (1945); J. W. Pratt, "Remarks on zeros and ties in the Wilcoxon signed rank
 * procedures", JASA 54 (1959); J. L. Hodges, E. L. Lehmann, Annals of Mathematical Statistics 34 (1963); M. Hollander,
 * D. A. Wolfe, E. Chicken, "Nonparametric Statistical Methods", 3rd ed., 3.1-3.3.
 * @param differences second minus first, infinite where one was beyond all that was observed; at least one
 * @param alpha of each bound
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

/** P(W >= w) for the sum W of the ranks that get a plus, each with probability 1/2. W and what is left of all ranks are alike. */
function upperTailOf(ranks: readonly number[]): (w: number) => number {
  if (ranks.length === 0) return () => 1;
  if (ranks.length <= EXACT_UP_TO) {
    // Shared ranks are halves: twice as many are whole.
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

/** How many Walsh averages lie outside a bound. */
function outsideOf(count: number, alpha: number): number {
  if (count <= EXACT_UP_TO) return outsideExact(sumsOf(Array.from({ length: count }, (_, index) => index + 1)), alpha);
  const centre = (count * (count + 1)) / 4;
  const deviation = Math.sqrt((count * (count + 1) * (2 * count + 1)) / 24);
  return Math.max(0, Math.floor(centre + 0.5 + normalQuantile(alpha) * deviation));
}

/** The means of all two of them, each with itself included. */
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
