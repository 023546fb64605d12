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

/** Draws of a bootstrap at least, and those that must lie beyond a bound. */
const MIN_REPLICATES = 2_000;
const MIN_BEYOND = 10;

export interface GateOptions {
  /** Whether one scenario with one seed is the same trial for both: true on a virtual clock, false in real time. */
  readonly paired: boolean;
  /** Of the draws of the bootstrap. */
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
/** These ask what the candidate does by itself, and so what it shares with its baseline is accepted here if the policy accepts it. */
const BY_ITSELF: ReadonlySet<CriterionName> = new Set(['invariants', 'success']);
/** These compare waits, and there is no telling how long a pod would have waited that neither serves. */
const OF_WAITS: ReadonlySet<CriterionName> = new Set(['latency-shift', 'latency-tail']);
/** Criteria that may be judged after any number of pairs: findings stand, and the test of success is sequential. */
const LASTING: ReadonlySet<CriterionName> = new Set(['invariants', 'leaks', 'success']);

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
 * Asks some of the criteria, in this order. That of existing failures is left out where the policy accepts none.
 * @param sides distinct episodes of each
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
  const inputOf = (name: CriterionName): GateInput => (BY_ITSELF.has(name) ? fresh : OF_WAITS.has(name) ? served : input);
  return { criteria: names.map((name) => JUDGES[name](inputOf(name))), comparison };
}

/**
 * Whether a gate may end here, before its first look: by criteria that may be judged at any time. Where existing failures are
 * accepted it may not: what looks new may be found in further episodes of the baseline.
 */
export function failsEarly({ criteria }: GateDecision, { existing }: Policy): boolean {
  return existing.failures === 'reject' && criteria.some(({ criterion, verdict }) => verdict === 'fail' && LASTING.has(criterion));
}

function needsOf(criteria: readonly Criterion[], policy: Policy, seen: number, paired: boolean): GateDecision['needs'] {
  const next = nextLook(policy.episodes, seen);
  const open = criteria.filter(({ verdict }) => verdict === 'inconclusive').map(({ criterion, sentence }) => `${criterion}: ${sentence}`);
  const unit = paired ? 'pair' : 'episode';
  const plan =
    next === undefined
      ? `There are ${counted(seen, unit)}, and the policy has no more than ${policy.episodes.max}: it holds.`
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
  if (verdict === 'pass') return `Promote: every criterion is met, by ${counted(seen, unit)}.`;
  if (verdict === 'fail') return `Reject: the candidate fails ${names('fail')}.`;
  const then = more > 0 ? `${counted(more, `more ${unit}`)} may tell` : 'there have been as many as the policy has';
  return `Hold: it can't be told yet (${names('inconclusive')}); ${then}. Nothing is promoted and nothing rolled back.`;
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
  const at = (share: number): PhaseSide['p50'] => {
    const { least, most } = quantileOfOne(all, share);
    return { ms: least, isAtLeast: most > least };
  };
  return { pods: all.length, censored: all.filter(({ isCensored }) => isCensored).length, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
