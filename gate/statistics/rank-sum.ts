import { normalCdf, normalQuantile } from './normal.ts';
import { difference, midRanks, outsideExact, shiftOf } from './ranks.ts';
import type { Shift } from './ranks.ts';

/** With up to this many values on each side and no ties, the null distribution is computed exactly. */
const EXACT_UP_TO = 25;

/**
 * The rank-sum test of Mann, Whitney and Wilcoxon for two independent samples, with the Hodges-Lehmann estimate of the
 * shift and its bounds. Exact for up to 25 values per side without ties; else normal, corrected for ties and continuity.
 *
 * Sources: H. B. Mann, D. R. Whitney, Annals of Mathematical Statistics 18 (1947); Hollander, Wolfe, Chicken, "Nonparametric
 * Statistical Methods", 3rd ed., 4.1-4.3.
 * @param first at least one value; infinite for values beyond all observed ones
 * @param second likewise
 * @param alpha error rate of each bound
 * @returns how far the second lies above the first
 */
export function rankSum(first: readonly number[], second: readonly number[], alpha: number): Shift {
  const [m, n] = [first.length, second.length];
  const ranks = midRanks([...first, ...second]);
  const u = ranks.slice(m).reduce((sum, rank) => sum + rank, 0) - (n * (n + 1)) / 2;
  const ties = tieSizes(ranks);
  const exact = m <= EXACT_UP_TO && n <= EXACT_UP_TO ? countsOf(m, n) : undefined;
  const hasTies = ties.some((size) => size > 1);
  const tail = exact !== undefined && !hasTies ? exactTail(exact) : normalTail(m, n, ties);
  const outside = exact === undefined ? outsideNormal(m, n, alpha) : outsideExact(exact, alpha);
  return { ...shiftOf(differencesOf(first, second), outside), pHigher: tail(u), pLower: tail(m * n - u) };
}

function exactTail(probabilities: Float64Array): (u: number) => number {
  return (u) =>
    Math.min(
      1,
      probabilities.subarray(Math.round(u)).reduce((sum, one) => sum + one, 0),
    );
}

function normalTail(m: number, n: number, ties: readonly number[]): (u: number) => number {
  const all = m + n;
  const tied = ties.reduce((sum, size) => sum + size ** 3 - size, 0);
  const variance = ((m * n) / 12) * (all + 1 - tied / (all * (all - 1)));
  return (u) => (variance <= 0 ? 1 : normalCdf(-(u - (m * n) / 2 - 0.5) / Math.sqrt(variance)));
}

function outsideNormal(m: number, n: number, alpha: number): number {
  const deviation = Math.sqrt((m * n * (m + n + 1)) / 12);
  return Math.max(0, Math.floor((m * n) / 2 + 0.5 + normalQuantile(alpha) * deviation));
}

/**
 * The probability of each U from 0 to m * n, by recursion on the side of the largest value: on the second side it is above all i
 * values of the first, on the first side it is above none.
 */
function countsOf(m: number, n: number): Float64Array {
  let row = Array.from({ length: n + 1 }, () => Float64Array.of(1));
  for (let i = 1; i <= m; i += 1) {
    const next = [Float64Array.of(1)];
    for (let j = 1; j <= n; j += 1) {
      const probabilities = new Float64Array(i * j + 1);
      (next[j - 1] ?? []).forEach((one, u) => (probabilities[u + i] = (probabilities[u + i] ?? 0) + (one * j) / (i + j)));
      (row[j] ?? []).forEach((one, u) => (probabilities[u] = (probabilities[u] ?? 0) + (one * i) / (i + j)));
      next.push(probabilities);
    }
    row = next;
  }
  return row[n] ?? Float64Array.of(1);
}

/** How many values share each rank. */
function tieSizes(ranks: readonly number[]): number[] {
  const sizes = new Map<number, number>();
  for (const rank of ranks) sizes.set(rank, (sizes.get(rank) ?? 0) + 1);
  return [...sizes.values()];
}

function differencesOf(first: readonly number[], second: readonly number[]): Float64Array {
  const differences = new Float64Array(first.length * second.length);
  let next = 0;
  for (const a of first) {
    for (const b of second) {
      differences[next] = difference(a, b);
      next += 1;
    }
  }
  return differences;
}
