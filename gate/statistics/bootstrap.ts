import type { Random } from '../../runtime/random.ts';
import { normalCdf, normalQuantile } from './normal.ts';
import { compare } from './ranks.ts';
import type { Range, Statistic } from './quantile.ts';

/** Ratios that differ by less are equal: they are quotients of sums of doubles. */
const PRECISION = 1e-9;

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
  /** Means are smooth: without one unit, they change by little. Quantiles are not. */
  readonly isSmooth: boolean;
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
 * ratio over many draws are the bounds. They don't depend on the scale (the same for a ratio and its logarithm), and mirror when the
 * sides are swapped. If censored values leave the ratio of a draw open, its lowest value counts for the lower bound and its highest
 * for the upper one.
 *
 * For smooth statistics the percentiles are corrected for bias and skew (BCa). It matters for a mean that a few units decide: if one
 * of eight has three times the requests, the uncorrected upper bound is wrong in 12 % of cases instead of 5 %. Quantiles are not
 * corrected: that needs a jackknife, which is not consistent for them.
 *
 * Sources: B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap", 1993, chapters 8, 13 and 14; for drawing clusters as a
 * whole and for the correction with two samples, A. C. Davison, D. V. Hinkley, "Bootstrap Methods and their Application", 1997, 3.8
 * and 5.3.2; against the jackknife of quantiles, Efron and Tibshirani, 11.6.
 */
export function bootstrapRatio({ baseline, candidate, isPaired, isSmooth, alpha, replicates, random }: Resampling): Ratio {
  if (isPaired && baseline.size !== candidate.size) throw new RangeError('paired sides must have the same size');
  const draws = { baseline: new Uint32Array(baseline.size), candidate: new Uint32Array(candidate.size) };
  const ratio = (): Range => ratioOf(candidate.statistic(isPaired ? draws.baseline : draws.candidate), baseline.statistic(draws.baseline));
  draws.baseline.fill(1);
  draws.candidate.fill(1);
  const estimate = ratio();
  const logsWithout = (counts: Uint32Array): readonly number[] =>
    Array.from(counts, (_, unit) => {
      counts[unit] = 0;
      const log = Math.log(ratio().least);
      counts[unit] = 1;
      return log;
    });
  const acceleration = isSmooth ? accelerationOf((isPaired ? [draws.baseline] : [draws.baseline, draws.candidate]).map(logsWithout)) : 0;
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
  const bias = isSmooth ? biasOf(least, estimate.least) : 0;
  const outside = (share: number): number => Math.floor(share * (replicates + 1));
  const below = outside(isSmooth ? corrected(alpha, bias, acceleration) : alpha);
  const above = outside(isSmooth ? corrected(alpha, -bias, -acceleration) : alpha);
  // With so small an alpha, too few draws give no bounds.
  return {
    estimate,
    lower: below < 1 ? 0 : (least[below - 1] ?? 0),
    upper: above < 1 ? Infinity : (most[replicates - above] ?? Infinity),
  };
}

/** The share of draws below the estimate, as a normal deviate; draws that equal it count half. 0 if there are none on one side. */
function biasOf(sorted: Float64Array, estimate: number): number {
  const below = sorted.filter((value) => value < estimate * (1 - PRECISION)).length;
  const above = sorted.filter((value) => value > estimate * (1 + PRECISION)).length;
  const share = (1 + (below - above) / sorted.length) / 2;
  return share > 0 && share < 1 ? normalQuantile(share) : 0;
}

/** How skewed the figure is, by leaving out each unit once. @param samples for each sample, the figure without each of its units */
function accelerationOf(samples: readonly (readonly number[])[]): number {
  let [cubes, squares] = [0, 0];
  for (const without of samples) {
    const mean = without.reduce((sum, value) => sum + value, 0) / without.length;
    const scale = (without.length - 1) / without.length;
    for (const value of without) {
      cubes += (scale * (mean - value)) ** 3;
      squares += (scale * (mean - value)) ** 2;
    }
  }
  const acceleration = cubes / (6 * squares ** 1.5);
  return Number.isFinite(acceleration) ? acceleration : 0;
}

/** Which share of the draws lies below a bound that is wrong with a probability of alpha. */
function corrected(alpha: number, bias: number, acceleration: number): number {
  const shifted = bias + normalQuantile(alpha);
  const damping = 1 - acceleration * shifted;
  // Beyond its pole the correction has no meaning: no bound.
  return damping > 0 ? normalCdf(bias + shifted / damping) : 0;
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
