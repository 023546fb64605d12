/** A value at a place, such as a size at a time. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** How fast values grow, with the interval that holds the true slope with a confidence of 95 %. */
export interface Slope {
  readonly slope: number;
  readonly lower: number;
  readonly upper: number;
}

/** 95 % of a normal distribution are within this many standard deviations. */
const DEVIATIONS = 1.96;
/** Values that only repeat their neighbours would count as none. */
const MOST_ALIKE = 0.99;

/**
 * The slope of a series, as the median of the slopes between all pairs of points (Theil and Sen): a few outliers don't move it, and
 * no distribution of the values is assumed. Neighbours that are alike tell less than independent values, so the interval is widened by
 * the correlation of neighbours.
 *
 * Sources: P. K. Sen, "Estimates of the regression coefficient based on Kendall's tau", JASA 63 (1968), for the interval;
 * G. V. Bayley, J. M. Hammersley, "The effective number of independent observations in an autocorrelated time series", JRSS 8 (1946).
 * @param points in order, each `x` more than the one before
 * @returns undefined if there are too few points for an interval
 */
export function slopeOf(points: readonly Point[]): Slope | undefined {
  const slopes = points.flatMap((a, index) => points.slice(index + 1).map((b) => (b.y - a.y) / (b.x - a.x))).sort((a, b) => a - b);
  if (slopes.length === 0) return undefined;
  const slope = medianOf(slopes);
  const n = points.length;
  const alike = Math.min(MOST_ALIKE, Math.max(0, correlationOfNeighbours(points, slope)));
  // Of the number of pairs that rise less the number of pairs that fall, among values without a trend.
  const variance = ((n * (n - 1) * (2 * n + 5)) / 18) * ((1 + alike) / (1 - alike));
  const outside = Math.floor((slopes.length - DEVIATIONS * Math.sqrt(variance)) / 2) - 1;
  const [lower, upper] = [slopes[outside], slopes.at(-1 - outside)];
  return outside < 0 || lower === undefined || upper === undefined ? undefined : { slope, lower, upper };
}

/** The middle value, or the mean of the two in the middle. @param sorted at least one */
export function medianOf(sorted: readonly number[]): number {
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? NaN) + (sorted[Math.floor(middle)] ?? NaN)) / 2;
}

/** Of what the slope leaves unexplained: 1 if each value is like the one before, 0 if they are independent. */
function correlationOfNeighbours(points: readonly Point[], slope: number): number {
  const left = points.map(({ x, y }) => y - slope * x);
  const level = medianOf([...left].sort((a, b) => a - b));
  const rest = left.map((value) => value - level);
  const square = rest.reduce((sum, value) => sum + value * value, 0);
  return square === 0 ? 0 : rest.slice(1).reduce((sum, value, index) => sum + value * (rest[index] ?? 0), 0) / square;
}
