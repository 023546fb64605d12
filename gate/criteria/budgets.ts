import type { Episode } from '../episode.ts';
import { sameWork } from '../same-work.ts';
import { measure, scalesOf, weightsOf } from '../sides.ts';
import type { Valued } from '../sides.ts';
import { bootstrapRatio } from '../statistics/bootstrap.ts';
import { meanOf } from '../statistics/quantile.ts';
import type { Criterion } from '../verdict.ts';
import { counted } from '../wording.ts';
import { evidenceOf, finite } from './input.ts';
import type { GateInput } from './input.ts';
import { MIN_UNITS } from './latency.ts';
import { alphaPerLook, describeKnown, describeVerdict } from './three-way.ts';

/** A measured amount of an episode, which a candidate may exceed only up to the budget. */
interface Budget {
  readonly criterion: 'cost' | 'requests';
  /** The start of a sentence. */
  readonly what: string;
  /** Undefined if it was not observed. */
  readonly of: (episode: Episode) => number | undefined;
  readonly describe: (amount: number) => string;
}

const COST: Budget = {
  criterion: 'cost',
  what: 'The cost of an episode',
  of: ({ usd }) => usd,
  describe: (usd) => `$${usd.toFixed(4)}`,
};

const REQUESTS: Budget = {
  criterion: 'requests',
  what: 'The requests of an episode',
  of: ({ requests }) => requests,
  describe: (requests) => counted(requests, 'request'),
};

/** Whether the candidate's instances cost more than the budget allows, compared with the baseline's. */
export function judgeCost(input: GateInput): Criterion {
  return judgeBudget(input, COST, input.policy.budgets.costRatio);
}

/** Whether the candidate sends more requests than the budget allows, compared with the baseline. */
export function judgeRequests(input: GateInput): Criterion {
  return judgeBudget(input, REQUESTS, input.policy.budgets.requestsRatio);
}

/** The ratio of means, with every scenario scaled by itself. It fails when the whole interval of the ratio is above the budget. */
function judgeBudget(
  { comparison, policy, random, replicates }: GateInput,
  { criterion, what, of, describe }: Budget,
  limit: number | 'none',
): Criterion {
  const untested = (sentence: string, numbers: Criterion['numbers'] = {}): Criterion => {
    return { criterion, verdict: 'pass', isUntested: true, sentence, numbers, evidence: [] };
  };
  if (limit === 'none') return untested('Not judged: the policy has no such budget.');
  const { isPaired, seen } = comparison;
  const unit = isPaired ? 'pair' : 'episode';
  const { first } = policy.episodes;
  const work = sameWork(comparison);
  const amounts = measure(work, of);
  const units = Math.min(amounts.baseline.length, amounts.candidate.length);
  const undecided = (sentence: string): Criterion => ({ criterion, verdict: 'inconclusive', sentence, numbers: {}, evidence: [] });
  if (seen < first) return undecided(`Not compared yet: at least ${counted(first, unit)} are needed, and there are ${seen}.`);
  const total = Math.min(comparison.baseline.length, comparison.candidate.length);
  const left = Math.min(work.baseline.length, work.candidate.length);
  if (left < MIN_UNITS && total >= MIN_UNITS) {
    const sentence = `Not compared: the sides failed in different ways in ${total - left} of ${counted(total, unit)}, so the work that they did differs; at least ${MIN_UNITS} alike are needed.`;
    return untested(sentence, { units: left });
  }
  if (units === 0 && comparison.candidate.length > 0)
    return undecided(
      `${what}: not known in this world, at least on one side; set budgets.${criterion}Ratio to none in the policy to leave it out.`,
    );
  if (units < MIN_UNITS) return undecided(`Only ${counted(units, unit)} can be compared; at least ${MIN_UNITS} are needed.`);
  const single = (side: readonly Valued<number>[]): Valued<readonly number[]>[] => side.map((one) => ({ ...one, value: [one.value] }));
  const scaleOf = scalesOf({ baseline: single(amounts.baseline), candidate: single(amounts.candidate) });
  const sideOf = (side: readonly Valued<number>[]) => {
    const weights = weightsOf(side, isPaired);
    return {
      size: side.length,
      statistic: meanOf(
        side.map(({ episode, value }, index) => ({ value: value / scaleOf(episode.scenario), weight: weights[index] ?? 1 })),
      ),
    };
  };
  const alpha = alphaPerLook(policy.budgets.alpha, policy);
  const ratio = bootstrapRatio({
    baseline: sideOf(amounts.baseline),
    candidate: sideOf(amounts.candidate),
    isPaired,
    isSmooth: true,
    alpha,
    replicates,
    random: random.fork(criterion),
  });
  const known = { estimate: ratio.estimate.least, lower: ratio.lower, upper: ratio.upper };
  const verdict = known.lower > limit ? 'fail' : known.upper <= limit ? 'pass' : 'inconclusive';
  const mean = (side: readonly Valued<number>[]): number => side.reduce((sum, { value }) => sum + value, 0) / side.length;
  const worst = amounts.candidate
    .map(({ episode, value }, index) => {
      const other = isPaired ? amounts.baseline[index]?.value : undefined;
      const what = `${describe(value)}${other === undefined ? '' : `, the baseline's ${describe(other)}`}`;
      return { episode, what, rate: value / (other ?? scaleOf(episode.scenario)) || 0 };
    })
    .sort((a, b) => (a.rate === b.rate ? 0 : b.rate - a.rate));
  return {
    criterion,
    verdict,
    sentence: `${what}: ${describeKnown(known, alpha)} in ${counted(units, unit)}; ${describeVerdict(verdict, known, limit, { seen: units, unit, max: policy.episodes.max })}.`,
    numbers: finite({
      ...known,
      limit,
      units,
      alphaPerLook: alpha,
      baselineMean: mean(amounts.baseline),
      candidateMean: mean(amounts.candidate),
    }),
    evidence: verdict === 'pass' ? [] : evidenceOf(worst),
  };
}
