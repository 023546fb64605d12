import { compare } from './ranks.ts';

/** One value. If censored, the true value is at least this, since the observation ended. */
export interface Observation {
  readonly value: number;
  readonly isCensored: boolean;
}

/** The range of a figure. Both ends are equal, unless the figure depends on censored values. */
export interface Range {
  readonly least: number;
  readonly most: number;
}

/** The observations of one unit that is drawn as a whole. */
export interface Cluster {
  readonly observations: readonly Observation[];
  /** Sum over all its observations. */
  readonly weight: number;
}

/** A figure of a sample in which the unit with index i occurs `counts[i]` times. */
export type Statistic = (counts: ArrayLike<number>) => Range;

/** Shares of a weight are compared to a relative precision of this: they are sums of many doubles. */
const PRECISION = 1e-9;

/**
 * The quantile of clusters of right-censored values, by nearest rank: the smallest value that at least this share of the weight
 * does not exceed. `least` counts every censored value with its limit, `most` as larger than all others.
 * @param share more than 0, less than 1
 */
export function quantileOf(clusters: readonly Cluster[], share: number): Statistic {
  const isCensored = clusters.some(({ observations }) => observations.some((one) => one.isCensored));
  const least = weightedQuantile(clusters, share, ({ value }) => value);
  if (!isCensored) {
    return (counts) => {
      const value = least(counts);
      return { least: value, most: value };
    };
  }
  const most = weightedQuantile(clusters, share, (one) => (one.isCensored ? Infinity : one.value));
  return (counts) => ({ least: least(counts), most: most(counts) });
}

/** The quantile of the observations of one unit. */
export function quantileOfOne(observations: readonly Observation[], share: number): Range {
  return quantileOf([{ observations, weight: 1 }], share)([1]);
}

/** Sorts once, so that each sample only has to iterate over its tail. */
function weightedQuantile(
  clusters: readonly Cluster[],
  share: number,
  valueOf: (one: Observation) => number,
): (counts: ArrayLike<number>) => number {
  const items = clusters
    .flatMap(({ observations, weight }, unit) =>
      observations.map((one) => ({ value: valueOf(one), unit, weight: weight / observations.length })),
    )
    .sort((a, b) => compare(a.value, b.value));
  const values = Float64Array.from(items, ({ value }) => value);
  const units = Int32Array.from(items, ({ unit }) => unit);
  const weights = Float64Array.from(items, ({ weight }) => weight);
  const ofClusters = Float64Array.from(clusters, ({ observations, weight }) => (observations.length === 0 ? 0 : weight));
  return (counts) => {
    let total = 0;
    for (let unit = 0; unit < ofClusters.length; unit += 1) total += (ofClusters[unit] ?? 0) * (counts[unit] ?? 0);
    if (total === 0) return Number.NaN;
    const mayBeAbove = total * (1 - share + PRECISION);
    let above = 0;
    let at = values.length - 1;
    for (; at > 0; at -= 1) {
      above += (weights[at] ?? 0) * (counts[units[at] ?? 0] ?? 0);
      if (above > mayBeAbove) break;
    }
    return values[at] ?? Number.NaN;
  };
}

/** The weighted mean of one value per unit. */
export function meanOf(values: readonly { readonly value: number; readonly weight: number }[]): Statistic {
  const weights = Float64Array.from(values, ({ weight }) => weight);
  const weighted = Float64Array.from(values, ({ value, weight }) => value * weight);
  return (counts) => {
    let [sum, total] = [0, 0];
    for (let unit = 0; unit < weights.length; unit += 1) {
      const count = counts[unit] ?? 0;
      sum += (weighted[unit] ?? 0) * count;
      total += (weights[unit] ?? 0) * count;
    }
    return { least: sum / total, most: sum / total };
  };
}

/**
 * The fewest independent units whose maximum is above the quantile with this confidence, for any distribution: with fewer there is no
 * distribution-free upper bound. 59 for a share of 0.95 and alpha of 0.05.
 */
export function unitsForQuantile(share: number, alpha: number): number {
  return Math.ceil(Math.log(alpha) / Math.log(share) - PRECISION);
}
