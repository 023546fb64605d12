import type { Episode } from '../episode.ts';
import { isKnown, trialsOf } from '../sides.ts';
import type { Criterion, GateVerdict } from '../verdict.ts';
import { combineGate } from '../verdict.ts';
import { counted } from '../wording.ts';
import { evidenceOf } from './input.ts';
import type { GateInput } from './input.ts';

/** One scenario on both sides. */
interface Tally {
  readonly scenario: string;
  /** The candidate has so few verdicts in it that those may be the easier episodes. */
  readonly isMissing: boolean;
  /** The candidate has fewer trials in it, with verdicts or without, than the policy asks for. */
  readonly isThin: boolean;
  readonly failed: readonly Episode[];
  readonly trials: number;
  readonly baselineFailed: number;
  readonly baselineTrials: number;
}

/** A scenario that fails in at least this share of its episodes is broken, which is not chance. */
const BROKEN_SHARE = 0.5;
/** The candidate needs a verdict in at least this share of the number of episodes in which the baseline has one. */
const KNOWN_SHARE = 0.5;
/** Fewer may be chance. If one episode in 1,000 fails, half of two or more fail in less than one case of 100,000. */
const BROKEN_FAILURES = 2;

/**
 * Whether each scenario by itself is served as before: in the share over all episodes, one that always fails would not be noticed.
 * A scenario is broken if the candidate fails at least half of its episodes, at least twice, and the baseline fails less often. A
 * single failure in up to two episodes holds until there are more. So does a scenario in which the candidate has too few verdicts,
 * and the baseline has them, and one that ran with fewer seeds than the policy asks for.
 */
export function judgeScenarios({ baseline, candidate, policy }: GateInput): Criterion {
  const { seeds } = policy.episodes;
  const tallies = talliesOf(baseline, candidate, seeds);
  const rated = tallies.map((tally) => ({ tally, verdict: judge(tally) }));
  const thin = tallies.filter(({ isThin }) => isThin).length;
  const verdict = combineGate([...rated.map((one) => one.verdict), ...(thin > 0 ? (['inconclusive'] as const) : [])]);
  const odd = rated.filter((one) => one.verdict !== 'pass').sort((a, b) => rank(a.verdict) - rank(b.verdict));
  const [first] = odd;
  const lost = odd.filter(({ tally }) => tally.isMissing).length;
  const found =
    first === undefined
      ? `None of ${counted(tallies.length, 'scenario')} leaves pods unserved in half of its episodes or more where the baseline does not.`
      : `${counted(odd.length, 'scenario')} of ${tallies.length} ${odd.length === 1 ? 'is' : 'are'} not served as by the baseline: ${first.tally.scenario} ${describe(first.tally)}${odd.length > 1 ? ', and others' : ''}.`;
  const unseen = `${counted(thin, 'scenario')} of ${tallies.length} ran with fewer than ${seeds} seeds: a failure that needs an unlucky order of events may not have shown yet.`;
  return {
    criterion: 'scenarios',
    verdict: tallies.length === 0 ? 'inconclusive' : verdict,
    sentence: tallies.length === 0 ? 'No episode has a verdict.' : [found, ...(thin === 0 ? [] : [unseen])].join(' '),
    numbers: { scenarios: tallies.length, worse: odd.length - lost, withoutVerdict: lost, fewSeeds: thin },
    evidence: evidenceOf(odd.flatMap(({ tally }) => tally.failed.slice(0, 1).map((episode) => ({ episode, what: describe(tally) })))),
  };
}

function talliesOf(baseline: readonly Episode[], candidate: readonly Episode[], leastSeeds: number): Tally[] {
  const byScenario = (episodes: readonly Episode[]): Map<string, Episode[]> =>
    Map.groupBy(episodes.filter(isKnown), ({ scenario }) => scenario);
  const [ours, theirs] = [byScenario(baseline), byScenario(candidate)];
  const asked = Map.groupBy(candidate, ({ scenario }) => scenario);
  return [...new Set([...ours.keys(), ...theirs.keys()])].map((scenario) => {
    const [known, own] = [ours.get(scenario) ?? [], theirs.get(scenario) ?? []];
    const [before, after] = [trialsOf(known), trialsOf(own)];
    return {
      scenario,
      isMissing: own.length < KNOWN_SHARE * known.length,
      isThin: (asked.get(scenario)?.length ?? 0) < leastSeeds,
      failed: after.failed,
      trials: after.trials.length,
      baselineFailed: before.failed.length,
      baselineTrials: before.trials.length,
    };
  });
}

/** Whatever the number of seeds. */
function judge({ isMissing, failed, trials, baselineFailed, baselineTrials }: Tally): GateVerdict {
  const otherwise = isMissing ? 'inconclusive' : 'pass';
  if (failed.length === 0) return otherwise;
  const share = failed.length / trials;
  // The baseline fails as often.
  const isAsBefore = baselineTrials > 0 && baselineFailed / baselineTrials >= share;
  if (share < BROKEN_SHARE || isAsBefore) return otherwise;
  return failed.length >= BROKEN_FAILURES ? 'fail' : 'inconclusive';
}

function rank(verdict: GateVerdict): number {
  return verdict === 'fail' ? 0 : 1;
}

/** What happened in the scenario. */
function describe({ isMissing, failed, trials, baselineFailed, baselineTrials }: Tally): string {
  if (isMissing) return `has verdicts for the baseline, but hardly any for the candidate: run it with the candidate`;
  return `failed in ${failed.length} of ${counted(trials, 'episode')}, in the baseline in ${baselineFailed} of ${baselineTrials}`;
}
