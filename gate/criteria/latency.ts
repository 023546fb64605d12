import { MAX_COMPARED, measure, observationsOf, scalesOf, weightsOf } from '../sides.ts';
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

/** With fewer units the percentiles of a bootstrap are too narrow to trust. */
export const MIN_UNITS = 20;

/**
 * Whether most episodes got slower. An episode counts with its median, the wait of its typical pod; pairs with the logarithm of
 * their ratio, so that slow scenarios have no more weight than fast ones. Both must hold for a failure: slower by more than the
 * margin, and more than chance. Pods that ran out of time are slower than all that was observed.
 */
export function judgeShift(input: GateInput): Criterion {
  const { policy, comparison } = input;
  const latencies = latenciesOf(input);
  const reason = notYet(input, latencies, 1);
  if (reason !== undefined) return undecided('latency-shift', reason);
  const alpha = alphaPerLook(policy.latency.alpha, policy);
  const shiftOf = logMediansOf(latencies, comparison.isPaired, alpha);
  const shift = shiftOf('most', 'most');
  // Two that ran out of time are equal in rank and may differ by anything: bounds hold whatever the truth is.
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
 * Whether the slowest pods got slower: the ratio of a quantile over all pods of all episodes, an episode's pods weighing as much as
 * another's. Whole episodes, or pairs, are drawn in the bootstrap, with all their pods. The quantile is that of the sides and not of
 * single pairs, since where one episode in ten takes three times as long, nine pairs in ten are as they were.
 */
export function judgeTail(input: GateInput): Criterion {
  const { policy, comparison, random, replicates } = input;
  const { quantile } = policy.latency;
  const latencies = latenciesOf(input);
  const reason = notYet(input, latencies, MIN_UNITS);
  if (reason !== undefined) return undecided('latency-tail', reason);
  const alpha = alphaPerLook(policy.latency.alpha, policy);
  const scaleOf = scalesOf(mapValues(latencies, (all) => all.map((one) => (one.isCensored ? Infinity : one.value))));
  const sideOf = (side: readonly Valued<readonly Observation[]>[]) => ({
    size: side.length,
    statistic: quantileOf(clustersOf(side, comparison.isPaired, scaleOf), quantile),
  });
  const ratio = bootstrapRatio({
    baseline: sideOf(latencies.baseline),
    candidate: sideOf(latencies.candidate),
    isPaired: comparison.isPaired,
    alpha,
    replicates,
    random: random.fork('latency-tail'),
  });
  const { least, most } = ratio.estimate;
  if (least === 0 && most === Infinity)
    return undecided('latency-tail', `On both sides more than ${percent(1 - quantile)} of the pods ran out of time, so no ratio is known.`);
  const known = { estimate: least > 0 ? least : most, lower: ratio.lower, upper: ratio.upper };
  const limit = 1 + policy.latency.tailMarginRatio;
  const units = Math.min(latencies.baseline.length, latencies.candidate.length);
  const enough = unitsForQuantile(quantile, policy.latency.alpha);
  const isSlower = known.estimate > limit && known.lower > 1;
  const verdict = isSlower ? 'fail' : known.upper <= limit && units >= enough ? 'pass' : 'inconclusive';
  const tooFew = `; fewer than ${enough} say nothing about a quantile of ${quantile}, however alike they are`;
  return conclude(input, latencies, {
    criterion: 'latency-tail',
    verdict,
    known,
    alpha,
    limit,
    what: `The wait that ${percent(quantile)} of the pods don't exceed`,
    share: quantile,
    numbers: { unitsNeeded: enough },
    note: openNote(ratio.estimate),
    instead: known.upper <= limit && units < enough ? tooFew : undefined,
  });
}

function openNote({ least, most }: Range): string {
  if (most === Infinity) return '; it is at least so much, since it falls among pods of the candidate that ran out of time';
  return most > least ? '; it is at most so much, since it falls among pods of the baseline that ran out of time' : '';
}

function latenciesOf({ comparison, policy }: GateInput): Latencies {
  return measure(comparison, (episode) => observationsOf(episode, policy.latency.phases));
}

/** Why nothing can be said yet. */
function notYet({ comparison, policy }: GateInput, { baseline, candidate }: Latencies, least: number): string | undefined {
  const unit = comparison.isPaired ? 'pair' : 'episode';
  const units = Math.min(baseline.length, candidate.length);
  const { first } = policy.episodes;
  if (comparison.seen === 0)
    return comparison.isPaired
      ? 'No episodes of the two sides share scenario and seed, so there are no pairs to compare.'
      : 'The two sides have no scenario in common, so there is nothing to compare.';
  if (comparison.seen < first) return `It is compared from ${counted(first, unit)} on; there are ${comparison.seen}.`;
  if (units === 0) return `No pod went through ${policy.latency.phases.join(' or ')} on both sides, so there is nothing to compare.`;
  if (units < least) return `Only ${counted(units, unit)} can be compared; from ${least} on it says something.`;
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
  /** What is compared, as the beginning of a sentence. */
  readonly what: string;
  /** The quantile of an episode by which the worst are found. */
  readonly share: number;
  readonly numbers: Readonly<Record<string, number>>;
  readonly note?: string;
  /** What follows, where it is not the usual. */
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

/** The slowest episodes of the candidate; if they have partners, those that are slower than these. */
function worst({ baseline, candidate }: Latencies, isPaired: boolean, share: number): Criterion['evidence'] {
  const said = ({ least, most }: { least: number; most: number }): string => `${seconds(least)}${most > least ? ' at least' : ''}`;
  const rated = candidate.map(({ episode, value }, index) => {
    const own = quantileOfOne(value, share);
    const partner = isPaired ? baseline[index] : undefined;
    const other = partner === undefined ? undefined : quantileOfOne(partner.value, share);
    const what = `${percent(share)} of its pods within ${said(own)}${other === undefined ? '' : `, the baseline's within ${said(other)}`}`;
    return { episode, what, rate: own.most / (other?.most ?? 1) || 0 };
  });
  const slower = isPaired ? rated.filter(({ rate }) => rate > 1) : rated;
  return evidenceOf(slower.sort((a, b) => (a.rate === b.rate ? 0 : b.rate - a.rate)));
}

/**
 * The shift between the logarithms of the medians of episodes. Unpaired ones first lose the median of their scenario, so that
 * scenarios don't add to the spread (aligned ranks).
 * @returns for what is to be taken of a median that falls among pods that ran out of time, on either side
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
