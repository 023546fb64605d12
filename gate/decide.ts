import { mergeWaits, waitCurveOf } from '../history/wait-curve.ts';
import { defined } from '../model/defined.ts';
import { createRandom } from '../runtime/random.ts';
import { judgeCost, judgeRequests } from './criteria/budgets.ts';
import { judgeExisting } from './criteria/existing.ts';
import type { GateInput } from './criteria/input.ts';
import { judgeKnown } from './criteria/known.ts';
import { judgeShift, judgeTail } from './criteria/latency.ts';
import { judgeScenarios } from './criteria/scenarios.ts';
import { judgeSuccess } from './criteria/success.ts';
import { alphaPerLook } from './criteria/three-way.ts';
import { judgeInvariants, judgeLeaks } from './criteria/zero-tolerance.ts';
import type { Episode } from './episode.ts';
import { existingFailures, leavesPodsUnserved, withoutExisting } from './existing.ts';
import { nextLook } from './policy.ts';
import type { Policy } from './policy.ts';
import { distinct, observationsOf, pairUp } from './sides.ts';
import type { Comparison } from './sides.ts';
import { quantileOfOne } from './statistics/quantile.ts';
import { CRITERIA, actionFor, combineGate } from './verdict.ts';
import type { Criterion, CriterionName, GateDecision, PhaseComparison, PhaseSide } from './verdict.ts';
import { counted } from './wording.ts';

/** The fewest draws of a bootstrap, and the fewest that must lie beyond a bound. */
const MIN_REPLICATES = 2_000;
const MIN_BEYOND = 10;

export interface GateOptions {
  /** Whether a scenario with a seed is the same trial for both sides: true in virtual time, false in real time. */
  readonly paired: boolean;
  /** For the draws of the bootstrap. */
  readonly seed: number | string;
}

const JUDGES: Readonly<Record<CriterionName, (input: GateInput) => Criterion>> = {
  invariants: judgeInvariants,
  leaks: judgeLeaks,
  'known-trials': judgeKnown,
  success: judgeSuccess,
  scenarios: judgeScenarios,
  'latency-shift': judgeShift,
  'latency-tail': judgeTail,
  cost: judgeCost,
  requests: judgeRequests,
  'existing-failures': judgeExisting,
};
/** These judge the candidate by itself. If the policy accepts existing failures, these criteria ignore them. */
const ABSOLUTE: ReadonlySet<CriterionName> = new Set(['invariants', 'success']);
/** These compare waits. It is unknown how long a pod that neither side serves would have waited. */
const OF_WAITS: ReadonlySet<CriterionName> = new Set(['latency-shift', 'latency-tail']);

/** Whether a candidate may replace its baseline. Equal arguments give equal decisions. Repetitions of one scenario and seed count once. */
export function decideGate(
  baselineEpisodes: readonly Episode[],
  candidateEpisodes: readonly Episode[],
  policy: Policy,
  { paired, seed }: GateOptions,
): GateDecision {
  const [baseline, candidate] = [distinct(baselineEpisodes), distinct(candidateEpisodes)];
  const { criteria, comparison } = judgeCriteria(CRITERIA, { baseline, candidate }, policy, { paired, seed });
  const verdict = combineGate(criteria.map((criterion) => criterion.verdict));
  const needs = verdict === 'inconclusive' ? needsOf(criteria, policy, comparison.seen, paired) : { episodes: 0, sentences: [] };
  return {
    verdict,
    action: actionFor(verdict),
    sentence: sentenceFor(verdict, criteria, needs.episodes, comparison.seen, paired),
    criteria,
    phases: phasesOf(baseline, candidate, policy),
    episodes: { isPaired: paired, baseline: baseline.length, candidate: candidate.length, seen: comparison.seen },
    needs,
  };
}

/**
 * Judges some of the criteria, in this order. Existing failures are left out unless the policy accepts them.
 * @param sides distinct episodes of each side
 */
export function judgeCriteria(
  names: readonly CriterionName[],
  { baseline, candidate }: Pick<GateInput, 'baseline' | 'candidate'>,
  policy: Policy,
  { paired, seed }: GateOptions,
): { readonly criteria: Criterion[]; readonly comparison: Comparison } {
  const comparison = pairUp(baseline, candidate, paired);
  const alpha = alphaPerLook(Math.min(policy.latency.alpha, policy.budgets.alpha), policy);
  const replicates = Math.max(MIN_REPLICATES, Math.ceil(MIN_BEYOND / alpha));
  const input: GateInput = { baseline, candidate, comparison, policy, replicates, random: createRandom(`gate/${seed}`) };
  if (policy.existing.failures === 'reject')
    return { criteria: names.filter((name) => name !== 'existing-failures').map((name) => JUDGES[name](input)), comparison };
  const existing = existingFailures(baseline);
  const isServed = (episode: Episode): boolean => !leavesPodsUnserved(episode);
  const [ours, theirs] = [withoutExisting(baseline, existing), withoutExisting(candidate, existing)];
  const fresh: GateInput = { ...input, baseline: ours, candidate: theirs };
  const served: GateInput = { ...input, comparison: pairUp(baseline.filter(isServed), candidate.filter(isServed), paired) };
  const inputOf = (name: CriterionName): GateInput => (ABSOLUTE.has(name) ? fresh : OF_WAITS.has(name) ? served : input);
  return { criteria: names.map((name) => JUDGES[name](inputOf(name))), comparison };
}

function needsOf(criteria: readonly Criterion[], policy: Policy, seen: number, paired: boolean): GateDecision['needs'] {
  const next = nextLook(policy.episodes, seen);
  const open = criteria.filter(({ verdict }) => verdict === 'inconclusive').map(({ criterion, sentence }) => `${criterion}: ${sentence}`);
  const unit = paired ? 'pair' : 'episode';
  const plan =
    next === undefined
      ? `There are ${counted(seen, unit)}, and the policy allows ${policy.episodes.max}: it holds.`
      : `${counted(next - seen, `more ${unit}`)}${paired ? '' : ' on each side'}, to ${next} of at most ${policy.episodes.max}.`;
  return { episodes: next === undefined ? 0 : next - seen, sentences: [plan, ...open] };
}

function sentenceFor(
  verdict: GateDecision['verdict'],
  criteria: readonly Criterion[],
  more: number,
  seen: number,
  paired: boolean,
): string {
  const names = (of: GateDecision['verdict']): string =>
    criteria
      .filter((criterion) => criterion.verdict === of)
      .map(({ criterion }) => criterion)
      .join(', ');
  const unit = paired ? 'pair' : 'episode';
  if (verdict === 'pass') {
    const untested = criteria.filter(({ isUntested }) => isUntested === true).map(({ criterion }) => criterion);
    if (untested.length === 0) return `Promote: every criterion is met, by ${counted(seen, unit)}.`;
    return `Promote: every criterion that was compared is met, by ${counted(seen, unit)}; not compared: ${untested.join(', ')}.`;
  }
  if (verdict === 'fail') return `Reject: the candidate fails ${names('fail')}.`;
  const then = more > 0 ? `${counted(more, `more ${unit}`)} may decide` : 'the policy allows no more';
  return `Hold: there is no decision yet (${names('inconclusive')}); ${then}. Neither promote nor roll back.`;
}

function phasesOf(baseline: readonly Episode[], candidate: readonly Episode[], policy: Policy): PhaseComparison[] {
  const names = new Set([...baseline, ...candidate].flatMap(({ latencies }) => latencies.map(({ phase }) => phase)));
  return [...names].map((phase) => {
    const [before, after] = [phaseOf(baseline, phase), phaseOf(candidate, phase)];
    return {
      phase,
      isJudged: policy.latency.phases.includes(phase),
      ...defined({ baseline: before, candidate: after }),
    };
  });
}

function phaseOf(episodes: readonly Episode[], phase: string): PhaseSide | undefined {
  const all = episodes.flatMap((episode) => observationsOf(episode, [phase]) ?? []);
  if (all.length === 0) return undefined;
  const [waits] = mergeWaits(episodes.map(({ latencies }) => latencies.filter((one) => one.phase === phase)));
  const at = (share: number): PhaseSide['p50'] => {
    const { least, most } = quantileOfOne(all, share);
    return { ms: least, isAtLeast: most > least };
  };
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), ...waitCurveOf(waits ?? { valuesMs: [], censoredMs: [] }) };
}
