import type { Random } from '../../runtime/random.ts';
import { compare } from './ranks.ts';
import type { Range, Statistic } from './quantile.ts';

/** One side of a comparison. */
interface Side {
  /** How many units there are to draw from, at least one. */
  readonly size: number;
  readonly statistic: Statistic;
}

interface Resampling {
  readonly baseline: Side;
  readonly candidate: Side;
  /** Units with the same index are a pair, and drawn together. */
  readonly isPaired: boolean;
  /** Error rate of each bound. */
  readonly alpha: number;
  readonly replicates: number;
  readonly random: Random;
}

/** The candidate's figure over the baseline's. */
export interface Ratio {
  readonly estimate: Range;
  /** One-sided bounds, each wrong with a probability of about alpha; infinite, or 0, if censored values leave it open. */
  readonly lower: number;
  readonly upper: number;
}

/**
 * Bounds on a ratio by the bootstrap: whole units (episodes, or pairs of them) are drawn with replacement, and percentiles of the
 * ratio over many draws are the bounds. Percentiles and not BCa: they don't depend on the scale (the same for a ratio and its
 * logarithm), mirror when the sides are swapped, and need no jackknife, which is not consistent for a quantile. If censored values
 * leave the ratio of a draw open, its lowest value counts for the lower bound and its highest for the upper one.
 *
 * Sources: B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap", 1993, chapters 8 and 13; for drawing clusters as a
 * whole, A. C. Davison, D. V. Hinkley, "Bootstrap Methods and their Application", 1997, 3.8; against the jackknife of quantiles,
 * Efron and Tibshirani, 11.6.
 */
export function bootstrapRatio({ baseline, candidate, isPaired, alpha, replicates, random }: Resampling): Ratio {
  if (isPaired && baseline.size !== candidate.size) throw new RangeError('paired sides must have the same size');
  const draws = { baseline: new Uint32Array(baseline.size), candidate: new Uint32Array(candidate.size) };
  const ratio = (): Range => ratioOf(candidate.statistic(isPaired ? draws.baseline : draws.candidate), baseline.statistic(draws.baseline));
  draws.baseline.fill(1);
  draws.candidate.fill(1);
  const estimate = ratio();
  const least = new Float64Array(replicates);
  const most = new Float64Array(replicates);
  for (let replicate = 0; replicate < replicates; replicate += 1) {
    draw(draws.baseline, random);
    if (!isPaired) draw(draws.candidate, random);
    const one = ratio();
    least[replicate] = one.least;
    most[replicate] = one.most;
  }
  least.sort();
  most.sort();
  const outside = Math.floor(alpha * (replicates + 1));
  // With so small an alpha, too few draws give no bounds.
  if (outside < 1) return { estimate, lower: 0, upper: Infinity };
  return { estimate, lower: least[outside - 1] ?? 0, upper: most[replicates - outside] ?? Infinity };
}

/** Draws as many units as there are, with replacement. */
function draw(counts: Uint32Array, random: Random): void {
  counts.fill(0);
  for (let one = 0; one < counts.length; one += 1) {
    const unit = Math.floor(random.next() * counts.length);
    counts[unit] = (counts[unit] ?? 0) + 1;
  }
}

/** Zero over zero counts as no change. */
function ratioOf(above: Range, below: Range): Range {
  const over = (a: number, b: number): number => (compare(a, b) === 0 ? 1 : a / b);
  // If both are open, the ratio is unbounded.
  return {
    least: below.most === Infinity ? 0 : over(above.least, below.most),
    most: above.most === Infinity ? Infinity : over(above.most, below.least),
  };
}
