import { MAX_COMPARED, measure, observationsOf, scalesOf, usableScale, weightsOf } from '../sides.ts';
import type { Measured, Valued } from '../sides.ts';
import { bootstrapRatio } from '../statistics/bootstrap.ts';
import { quantileOf, quantileOfOne, unitsForQuantile } from '../statistics/quantile.ts';
import type { Cluster, Observation, Range } from '../statistics/quantile.ts';
import { rankSum } from '../statistics/rank-sum.ts';
import { difference } from '../statistics/ranks.ts';
import type { Shift } from '../statistics/ranks.ts';
import { signedRank } from '../statistics/signed-rank.ts';
import type { Criterion, GateVerdict } from '../verdict.ts';
import { counted, percent, seconds } from '../wording.ts';
import { evidenceOf, finite } from './input.ts';
import type { GateInput } from './input.ts';
import { alphaPerLook, describeKnown, describeVerdict } from './three-way.ts';
import type { Known } from './three-way.ts';

type Latencies = Measured<readonly Observation[]>;

/** With fewer units, a bootstrap's bounds are too narrow. */
export const MIN_UNITS = 20;

/**
 * Whether most episodes got slower. An episode counts with its median, the wait of its typical pod; a pair with the logarithm of
 * their ratio, so that slow scenarios have no more weight than fast ones. To fail, the candidate must be slower by more than the
 * margin, and significantly slower. Pods that ran out of time count as slower than all observed ones.
 */
export function judgeShift(input: GateInput): Criterion {
  const { policy, comparison } = input;
  const latencies = latenciesOf(input);
  const reason = notYet(input, latencies, 1);
  if (reason !== undefined) return undecided('latency-shift', reason);
  const alpha = alphaPerLook(policy.latency.alpha, policy);
  const shiftOf = logMediansOf(latencies, comparison.isPaired, alpha);
  const shift = shiftOf('most', 'most');
  // Two values that ran out of time have equal ranks, but their difference is unknown: the bounds cover every case.
  const known = {
    estimate: Math.exp(shift.estimate),
    lower: Math.exp(shiftOf('most', 'least').lower),
    upper: Math.exp(shiftOf('least', 'most').upper),
  };
  const limit = 1 + policy.latency.marginRatio;
  const verdict = known.estimate > limit && shift.pHigher <= alpha ? 'fail' : known.upper <= limit ? 'pass' : 'inconclusive';
  return conclude(input, latencies, {
    criterion: 'latency-shift',
    verdict,
    known,
    alpha,
    limit,
    what: 'The typical wait of an episode',
    share: 0.5,
    numbers: { pSlower: shift.pHigher, pFaster: shift.pLower },
  });
}

/**
 * Whether the slowest pods got slower: the ratio of a quantile over all pods of all episodes, with the same weight for every episode.
 * The bootstrap draws whole episodes, or pairs, with all their pods. The quantile is that of the sides and not of single pairs: if
 * one episode in ten takes three times as long, nine pairs in ten do not change.
 */
export function judgeTail(input: GateInput): Criterion {
  const { policy, comparison, random, replicates } = input;
  const { quantile } = policy.latency;
  const latencies = latenciesOf(input);
  const reason = notYet(input, latencies, MIN_UNITS);
  if (reason !== undefined) return undecided('latency-tail', reason);
  const alpha = alphaPerLook(policy.latency.alpha, policy);
  const scaleOf = tailScalesOf(latencies, quantile);
  const sideOf = (side: readonly Valued<readonly Observation[]>[]) => ({
    size: side.length,
    statistic: quantileOf(clustersOf(side, comparison.isPaired, scaleOf), quantile),
  });
  const ratio = bootstrapRatio({
    baseline: sideOf(latencies.baseline),
    candidate: sideOf(latencies.candidate),
    isPaired: comparison.isPaired,
    isSmooth: false,
    alpha,
    replicates,
    random: random.fork('latency-tail'),
  });
  const { least, most } = ratio.estimate;
  if (least === 0 && most === Infinity)
    return undecided(
      'latency-tail',
      `On both sides more than ${percent(1 - quantile)} of the pods ran out of time, so the ratio is unknown.`,
    );
  const known = { estimate: least > 0 ? least : most, lower: ratio.lower, upper: ratio.upper };
  const limit = 1 + policy.latency.tailMarginRatio;
  const units = Math.min(latencies.baseline.length, latencies.candidate.length);
  const enough = unitsForQuantile(quantile, policy.latency.alpha);
  const isSlower = known.estimate > limit && known.lower > 1;
  const verdict = isSlower ? 'fail' : known.upper <= limit && units >= enough ? 'pass' : 'inconclusive';
  const tooFew = `; a quantile of ${quantile} needs at least ${enough}, even if all are alike`;
  return conclude(input, latencies, {
    criterion: 'latency-tail',
    verdict,
    known,
    alpha,
    limit,
    what: `The wait that ${percent(quantile)} of the pods do not exceed`,
    share: quantile,
    numbers: { unitsNeeded: enough },
    note: openNote(ratio.estimate),
    instead: known.upper <= limit && units < enough ? tooFew : undefined,
  });
}

/**
 * The scale of a scenario's tail: the smaller of the two sides' quantiles. On the scale of its median, a scenario in which few pods wait
 * long would fill the tail of all scenarios together, whose quantile would then lie between its quick and its slow pods and say little.
 * The smaller one, since a scenario in which one side got slower must not be scaled down; both sides are treated alike.
 */
function tailScalesOf({ baseline, candidate }: Latencies, quantile: number): (scenario: string) => number {
  const tailsOf = (side: Latencies['baseline']): Map<string, number> =>
    new Map(
      [...Map.groupBy(side, ({ episode }) => episode.scenario)].map(([scenario, all]) => {
        const clusters = clustersOf(all, true, () => 1);
        return [scenario, quantileOf(clusters, quantile)(all.map(() => 1)).least];
      }),
    );
  const tails = [tailsOf(baseline), tailsOf(candidate)];
  return (scenario) => usableScale(Math.min(...tails.map((side) => side.get(scenario) ?? Infinity)));
}

function openNote({ least, most }: Range): string {
  if (most === Infinity) return '; it is at least that much, since it falls among pods of the candidate that ran out of time';
  return most > least ? '; it is at most that much, since it falls among pods of the baseline that ran out of time' : '';
}

function latenciesOf({ comparison, policy }: GateInput): Latencies {
  return measure(comparison, (episode) => observationsOf(episode, policy.latency.phases));
}

/** Why there can't be a decision yet. */
function notYet({ comparison, policy }: GateInput, { baseline, candidate }: Latencies, least: number): string | undefined {
  const unit = comparison.isPaired ? 'pair' : 'episode';
  const units = Math.min(baseline.length, candidate.length);
  const { first } = policy.episodes;
  if (comparison.seen === 0)
    return comparison.isPaired
      ? 'No episodes of the two sides share scenario and seed, so there are no pairs to compare.'
      : 'The two sides have no scenario in common, so there is nothing to compare.';
  if (comparison.seen < first) return `Not compared yet: at least ${counted(first, unit)} are needed, and there are ${comparison.seen}.`;
  if (units === 0) return `No pod went through ${policy.latency.phases.join(' or ')} on both sides, so there is nothing to compare.`;
  if (units < least) return `Only ${counted(units, unit)} can be compared; at least ${least} are needed.`;
  return undefined;
}

function undecided(criterion: 'latency-shift' | 'latency-tail', sentence: string): Criterion {
  return { criterion, verdict: 'inconclusive', sentence, numbers: {}, evidence: [] };
}

interface Conclusion {
  readonly criterion: 'latency-shift' | 'latency-tail';
  readonly verdict: GateVerdict;
  readonly known: Known;
  readonly limit: number;
  readonly alpha: number;
  /** What is compared, as the start of a sentence. */
  readonly what: string;
  /** The quantile by which the worst episodes are chosen. */
  readonly share: number;
  readonly numbers: Readonly<Record<string, number>>;
  readonly note?: string;
  /** Replaces the usual conclusion. */
  readonly instead?: string | undefined;
}

function conclude(
  input: GateInput,
  latencies: Latencies,
  { criterion, verdict, known, limit, alpha, what, share, numbers, note = '', instead }: Conclusion,
): Criterion {
  const { comparison } = input;
  const unit = comparison.isPaired ? 'pair' : 'episode';
  const units = Math.min(latencies.baseline.length, latencies.candidate.length);
  const censored = (side: Latencies['baseline']): number =>
    side.reduce((sum, { value }) => sum + value.filter(({ isCensored }) => isCensored).length, 0);
  const counts = { censored: censored(latencies.candidate), baselineCensored: censored(latencies.baseline) };
  const follows = instead ?? `; ${describeVerdict(verdict, known, limit, { seen: units, unit, max: input.policy.episodes.max })}`;
  const outOfTime =
    counts.censored + counts.baselineCensored === 0
      ? ''
      : ` ${counted(counts.censored, 'pod')} of the candidate and ${counts.baselineCensored} of the baseline ran out of time and count as the slowest.`;
  const without = Math.min(comparison.seen, MAX_COMPARED) - units;
  const left = without > 0 ? ` ${counted(without, unit)} could not be compared.` : '';
  return {
    criterion,
    verdict,
    sentence: `${what}: ${describeKnown(known, alpha)} in ${counted(units, unit)}${note}${follows}.${outOfTime}${left}`,
    numbers: finite({ ...known, limit, units, alphaPerLook: alpha, ...counts, ...numbers }),
    evidence: verdict === 'pass' ? [] : worst(latencies, comparison.isPaired, share),
  };
}

/** The slowest episodes of the candidate; if paired, only those that are slower than their partners. */
function worst({ baseline, candidate }: Latencies, isPaired: boolean, share: number): Criterion['evidence'] {
  const text = ({ least, most }: { least: number; most: number }): string => `${seconds(least)}${most > least ? ' at least' : ''}`;
  const rated = candidate.map(({ episode, value }, index) => {
    const own = quantileOfOne(value, share);
    const partner = isPaired ? baseline[index] : undefined;
    const other = partner === undefined ? undefined : quantileOfOne(partner.value, share);
    const what = `${percent(share)} of its pods within ${text(own)}${other === undefined ? '' : `, the baseline's within ${text(other)}`}`;
    return { episode, what, rate: own.most / (other?.most ?? 1) || 0 };
  });
  const slower = isPaired ? rated.filter(({ rate }) => rate > 1) : rated;
  return evidenceOf(slower.sort((a, b) => (a.rate === b.rate ? 0 : b.rate - a.rate)));
}

/**
 * The shift between the logarithms of the medians of episodes. From unpaired ones the median of their scenario is subtracted first,
 * so that differences between scenarios don't add to the spread (aligned ranks).
 * @returns a function of the ends to use, on either side, for a median that falls among pods that ran out of time
 */
function logMediansOf(latencies: Latencies, isPaired: boolean, alpha: number): (first: keyof Range, second: keyof Range) => Shift {
  const medians = mapValues(latencies, (value) => quantileOfOne(value, 0.5));
  const scaleOf = isPaired ? () => 1 : scalesOf(mapValues(medians, ({ most }) => [most]));
  const logs = (side: readonly Valued<Range>[], end: keyof Range): number[] =>
    side.map(({ episode, value }) => Math.log(value[end] / scaleOf(episode.scenario)));
  const shift = (first: keyof Range, second: keyof Range): Shift => {
    const [before, after] = [logs(medians.baseline, first), logs(medians.candidate, second)];
    if (!isPaired) return rankSum(before, after, alpha);
    return signedRank(
      before.map((value, index) => difference(value, after[index] ?? value)),
      alpha,
    );
  };
  const isOpen = [...medians.baseline, ...medians.candidate].some(({ value }) => value.most > value.least);
  if (isOpen) return shift;
  const only = shift('most', 'most');
  return () => only;
}

function clustersOf(side: Latencies['baseline'], isPaired: boolean, scaleOf: (scenario: string) => number): Cluster[] {
  const weights = weightsOf(side, isPaired);
  return side.map(({ episode, value }, index) => {
    const scale = scaleOf(episode.scenario);
    return { observations: value.map((one) => ({ ...one, value: one.value / scale })), weight: weights[index] ?? 1 };
  });
}

function mapValues<A, B>({ baseline, candidate }: Measured<A>, map: (value: A) => B): Measured<B> {
  const all = (side: readonly Valued<A>[]): Valued<B>[] => side.map(({ episode, value }) => ({ episode, value: map(value) }));
  return { baseline: all(baseline), candidate: all(candidate) };
}
