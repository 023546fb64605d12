import type { ComparedCell, ComparedChange, ComparedRow } from '../../history/comparison.ts';
import { CONFIDENCE, binomialCdf, lowerSuccessBound, upperSuccessBound } from '../../history/confidence.ts';
import { defined } from '../../model/defined.ts';
import type { Random } from '../../runtime/random.ts';
import { bootstrapRatio } from '../statistics/bootstrap.ts';
import { quantileOf, unitsForQuantile } from '../statistics/quantile.ts';
import type { Cluster, Statistic } from '../statistics/quantile.ts';
import { ALPHA } from './alpha.ts';
import type { ComparedTrial } from './compared-run.ts';
import { LEAST_FOR_SAME, MARGINS, differenceWithin, ratioWithin } from './margins.ts';
import { columnsOf, letterOf } from './match.ts';
import type { Matched } from './match.ts';

const REPLICATES = 2_000;
/** With fewer trials, a bootstrap draws the same few again and again, and its bounds are far too narrow. */
const LEAST_FOR_BOOTSTRAP = 10;

/** The context of all rows. */
export interface RowContext {
  readonly sides: number;
  /** All runs had the same instance types at the same prices. */
  readonly sameMarket: boolean;
  readonly random: Random;
}

/** How trials count in a share. */
interface Share {
  /** `unknown` if the trial could not be judged; undefined if it is not of this kind. */
  readonly of: (trial: ComparedTrial) => 'hit' | 'miss' | 'unknown' | undefined;
  /** More about the judged trials of one side. */
  readonly detail: (judged: readonly ComparedTrial[]) => string;
}

type RowName = Pick<ComparedRow, 'id' | 'title' | 'better'>;

/** A share of trials, with exact bounds. */
export function shareRow(name: RowName, sides: number, rows: readonly Matched[], share: Share): ComparedRow {
  const columns = columnsOf(rows, sides);
  const cells = columns.map((trials): ComparedCell => {
    const judged = trials.filter((trial) => isJudged(share.of(trial)));
    const unknown = trials.filter((trial) => share.of(trial) === 'unknown').length;
    const hits = judged.filter((trial) => share.of(trial) === 'hit').length;
    const more = unknown === 0 ? '' : `, ${unknown} unknown`;
    if (judged.length === 0) return { of: `0 trials${more}`, why: 'no compared trial is of this kind' };
    return {
      value: hits / judged.length,
      lower: lowerSuccessBound(hits, judged.length, ALPHA),
      upper: upperSuccessBound(hits, judged.length, ALPHA),
      of: `${hits} of ${counted(judged.length, 'trial')}${more}`,
      detail: share.detail(judged),
    };
  });
  const [first, ...others] = cells;
  const changes = others.map((cell, index): ComparedChange => {
    const outcome = apart(first, cell, name.better);
    const difference = differenceOf(rows, index + 1, share, { own: cell, other: first });
    if (difference === undefined) return { outcome };
    // One pair that differs may be a scenario that always does: many seeds of others would hide it in a small bound.
    const within = difference.pairsApart === 0 ? differenceWithin(difference, MARGINS.share) : undefined;
    const { value, lower, upper } = difference;
    return { outcome, difference: { value, lower, upper }, ...defined({ within }) };
  });
  return { ...name, unit: 'ratio', cells, changes };
}

function isJudged(counts: ReturnType<Share['of']>): boolean {
  return counts === 'hit' || counts === 'miss';
}

/**
 * The difference of a share from the first side's, by two bounds of which the narrower one counts. It is at most the share of pairs in
 * which only one side is a hit, and that has an exact bound, however the sides depend on each other: this is narrow if they mostly agree.
 * And it is at most the distance of the bounds of both shares: if these do not overlap, its sign is sure.
 */
function differenceOf(
  rows: readonly Matched[],
  side: number,
  share: Share,
  { own, other }: { readonly own: ComparedCell; readonly other: ComparedCell | undefined },
): (NonNullable<ComparedChange['difference']> & { /** Pairs in which only one side is a hit. */ readonly pairsApart: number }) | undefined {
  const pairs = rows
    .map((trials) => [trials[0], trials[side]].map((trial) => (trial === undefined ? undefined : share.of(trial))))
    .filter((pair) => pair.every(isJudged));
  if (pairs.length === 0) return undefined;
  const only = (hit: number): number => pairs.filter((pair) => pair[hit] === 'hit' && pair[1 - hit] === 'miss').length;
  const [less, more] = [only(0), only(1)];
  const apartBy = (a: number | undefined, b: number | undefined): number => (a ?? 1) - (b ?? 0);
  return {
    pairsApart: less + more,
    value: (more - less) / pairs.length,
    lower: 0 - Math.min(upperSuccessBound(less, pairs.length, ALPHA), apartBy(other?.upper, own.lower)),
    upper: Math.min(upperSuccessBound(more, pairs.length, ALPHA), apartBy(own.upper, other?.lower)),
  };
}

/** Whether the bounds of two figures do not overlap, and which figure is better. */
function apart(a: ComparedCell | undefined, b: ComparedCell, better: ComparedRow['better']): ComparedChange['outcome'] {
  if (a?.lower === undefined || a.upper === undefined || b.lower === undefined || b.upper === undefined) return 'unclear';
  if (b.lower > a.upper) return better === 'higher' ? 'better' : 'worse';
  if (b.upper < a.lower) return better === 'higher' ? 'worse' : 'better';
  return 'unclear';
}

/** A percentile of the pods' waits in a phase, bounded by order statistics over trials. */
export function percentileRow(phase: string, rank: number, rows: readonly Matched[], { sides, random }: RowContext): ComparedRow {
  const share = rank / 100;
  const columns = columnsOf(rows, sides).map((trials) => trials.map((trial) => clusterOf(trial, phase)));
  const cells = columns.map((clusters) => percentileCell(clusters, share));
  const id = `${phase.replaceAll(/\W+/g, '-')}-p${rank}`;
  const trials = columns.map((clusters) => clusters.filter(({ weight }) => weight > 0).length);
  const figures = columns.map((clusters): Statistic => quantileOf(clusters, share));
  const margin = rank > 50 ? MARGINS.tail : MARGINS.typical;
  const sample = { size: rows.length, measured: Math.min(...trials), needed: unitsForQuantile(share, ALPHA), margin, isSmooth: false };
  const changes = changesOf(figures, { ...sample, better: 'lower', random: random.fork(id) });
  return { id, title: `${phase} p${rank}`, unit: 'ms', better: 'lower', cells, changes };
}

function clusterOf({ measures }: ComparedTrial, phase: string): Cluster {
  const waits = measures.waits.find((one) => one.phase === phase);
  const observations = [
    ...(waits?.valuesMs ?? []).map((value) => ({ value, isCensored: false })),
    ...(waits?.censoredMs ?? []).map((value) => ({ value, isCensored: true })),
  ];
  return { observations, weight: observations.length };
}

function percentileCell(all: readonly Cluster[], share: number): ComparedCell {
  const clusters = all.filter(({ weight }) => weight > 0);
  const trials = clusters.length;
  const pods = clusters.reduce((sum, { weight }) => sum + weight, 0);
  if (trials === 0)
    return { of: '0 pods', why: all.length === 0 ? 'no trial of such a scenario was compared' : 'no pod reached this phase' };
  const at = (one: number): { least: number; most: number } => quantileOf(clusters, one)(clusters.map(() => 1));
  const { least, most } = at(share);
  const ranks = orderBounds(trials, share);
  // The pods of one trial are a block: a lower bound is the first of a block, an upper bound the last.
  const lower = ranks.lower === undefined ? undefined : at((ranks.lower - 1) / trials + 1 / pods).least;
  const upper = ranks.upper === undefined ? Infinity : at(ranks.upper / trials).most;
  const needed = unitsForQuantile(share, ALPHA);
  return {
    value: least,
    ...(most > least && { atLeast: true as const }),
    ...defined({ lower, upper: upper === Infinity ? undefined : upper }),
    of: `${counted(pods, 'pod')} in ${counted(trials, 'trial')}`,
    ...(trials < needed
      ? { why: `no upper bound below ${needed} trials` }
      : upper === Infinity
        ? { why: 'no upper bound: too many pods ran out of time' }
        : {}),
  };
}

/** The ranks of sorted independent values that bound a quantile from below and above, for any distribution. */
function orderBounds(count: number, share: number): { readonly lower?: number; readonly upper?: number } {
  const ranks = Array.from({ length: count }, (_, index) => index + 1);
  const lower = ranks.findLast((rank) => binomialCdf(rank - 1, count, share) <= ALPHA);
  const upper = ranks.find((rank) => binomialCdf(rank - 1, count, share) >= CONFIDENCE);
  return defined({ lower, upper });
}

interface Part {
  readonly above: number;
  readonly below: number;
}

interface Mean {
  /** What a trial adds to numerator and denominator; undefined if it has no value. */
  readonly partOf: (trial: ComparedTrial) => Part | undefined;
  /** Why there is no figure, if no trial has a value. */
  readonly none: string;
  /** Differences within it don't matter. */
  readonly margin: number;
  /** It depends on the available instance types and their prices. */
  readonly isOfMarket?: boolean;
}

/** A quotient of sums, over the trials that have the value on every side. */
export function meanRow(name: RowName & Pick<ComparedRow, 'unit'>, rows: readonly Matched[], context: RowContext, mean: Mean): ComparedRow {
  const { sides, sameMarket, random } = context;
  const measured = rows
    .map((trials) => trials.map(mean.partOf))
    .filter((parts): parts is Part[] => parts.every((part) => part !== undefined));
  const columns = columnsOf(measured, sides);
  const why =
    mean.isOfMarket === true && !sameMarket ? 'the instance types or their prices differ' : measured.length === 0 ? mean.none : undefined;
  const figures = columns.map(quotientOf);
  const isEnough = why === undefined && measured.length >= LEAST_FOR_BOOTSTRAP;
  const lone = random.fork(name.id);
  const cells = figures.map((figure, index): ComparedCell => {
    const of = counted(measured.length, 'trial');
    if (why !== undefined) return { of: '0 trials', why };
    const value = figure(measured.map(() => 1)).least;
    if (!Number.isFinite(value)) return { of, why: mean.none };
    if (!isEnough) return { value, of, why: `no bounds below ${LEAST_FOR_BOOTSTRAP} trials` };
    // The ratio to one gives the bounds of the figure itself.
    const one: Statistic = () => ({ least: 1, most: 1 });
    const { lower, upper } = ratioOf([one, figure], { size: measured.length, isSmooth: true, random: lone.fork(letterOf(index)) });
    return { value, of, ...(Number.isFinite(lower) && Number.isFinite(upper) ? { lower, upper } : {}) };
  });
  const sample = {
    size: measured.length,
    measured: why === undefined ? measured.length : 0,
    needed: LEAST_FOR_BOOTSTRAP,
    margin: mean.margin,
    isSmooth: true,
  };
  const changes = changesOf(figures, { ...sample, better: name.better, random: lone });
  return { ...name, cells, changes };
}

function quotientOf(parts: readonly Part[]): Statistic {
  return (counts) => {
    let [above, below] = [0, 0];
    for (const [index, part] of parts.entries()) {
      above += part.above * (counts[index] ?? 0);
      below += part.below * (counts[index] ?? 0);
    }
    const value = below === 0 ? Number.NaN : above / below;
    return { least: value, most: value };
  };
}

interface Sample {
  /** Number of pairs that are drawn from. */
  readonly size: number;
  /** How many trials each side has with a value. */
  readonly measured: number;
  /** With fewer, there are no bounds. */
  readonly needed: number;
  /** Differences within it don't matter. */
  readonly margin: number;
  /** A mean, and not a quantile. */
  readonly isSmooth: boolean;
}

/** Each other side against the first one, over pairs of trials. */
function changesOf(
  [first, ...others]: readonly Statistic[],
  how: Sample & { readonly better: ComparedRow['better']; readonly random: Random },
): ComparedChange[] {
  const { size, measured, needed, margin, isSmooth, better, random } = how;
  return others.map((other, index) => {
    if (measured === 0 || first === undefined) return { outcome: 'unclear' };
    if (measured < needed) {
      const all = new Array<number>(size).fill(1);
      const value = other(all).least / first(all).least;
      return { outcome: 'unclear', ...(Number.isFinite(value) ? { ratio: { value } } : {}), needs: { trials: needed } };
    }
    const { estimate, lower, upper } = ratioOf([first, other], { size, isSmooth, random: random.fork(`${letterOf(index + 1)} over A`) });
    const outcome =
      lower > 1 ? (better === 'higher' ? 'better' : 'worse') : upper < 1 ? (better === 'higher' ? 'worse' : 'better') : 'unclear';
    const isFinite = [estimate.least, lower, upper].every(Number.isFinite);
    if (!isFinite) return { outcome };
    const within = measured < LEAST_FOR_SAME ? undefined : ratioWithin({ lower, upper }, margin);
    return { outcome, ratio: { value: estimate.least, lower, upper }, ...defined({ within }) };
  });
}

function ratioOf(
  [baseline, candidate]: readonly [Statistic, Statistic],
  { size, isSmooth, random }: { readonly size: number; readonly isSmooth: boolean; readonly random: Random },
): ReturnType<typeof bootstrapRatio> {
  return bootstrapRatio({
    baseline: { size, statistic: baseline },
    candidate: { size, statistic: candidate },
    isPaired: true,
    isSmooth,
    alpha: ALPHA,
    replicates: REPLICATES,
    random,
  });
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
