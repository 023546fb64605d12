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
  /** The candidate has a verdict in so few of its episodes that the rest may be the easier part. */
  readonly isMissing: boolean;
  readonly failed: readonly Episode[];
  readonly trials: number;
  readonly baselineFailed: number;
  readonly baselineTrials: number;
}

/** A scenario that fails in so large a share of its episodes is broken, and no matter of chance. */
const BROKEN_SHARE = 0.5;
/** Of the episodes in which the baseline has a verdict, the candidate has one in so many at least. */
const KNOWN_SHARE = 0.5;
/** So many failures are no chance either: where one episode in a thousand fails, half of two or more do in less than one of 100,000. */
const BROKEN_FAILURES = 2;

/**
 * Whether each scenario by itself is served as it was: in the share of all episodes one that always fails is lost among the others.
 * A scenario is broken if the candidate fails in half of its episodes or more, at least twice, and the baseline less often. A single
 * failure that is half of what was seen holds, until there is more; so does a scenario of which the candidate has hardly a verdict
 * where the baseline has: whatever it would have shown is missing.
 */
export function judgeScenarios({ baseline, candidate }: GateInput): Criterion {
  const tallies = talliesOf(baseline, candidate);
  const rated = tallies.map((tally) => ({ tally, verdict: judge(tally) }));
  const verdict = combineGate(rated.map((one) => one.verdict));
  const odd = rated.filter((one) => one.verdict !== 'pass').sort((a, b) => rank(a.verdict) - rank(b.verdict));
  const [first] = odd;
  const lost = odd.filter(({ tally }) => tally.isMissing).length;
  const sentence =
    first === undefined
      ? `None of ${counted(tallies.length, 'scenario')} fails in half of its episodes or more where the baseline does not.`
      : `${counted(odd.length, 'scenario')} of ${tallies.length} ${odd.length === 1 ? 'is' : 'are'} not served as by the baseline: ${describe(first.tally)}${odd.length > 1 ? ', and others' : ''}.`;
  return {
    criterion: 'scenarios',
    verdict: tallies.length === 0 ? 'inconclusive' : verdict,
    sentence: tallies.length === 0 ? 'No episode has a verdict.' : sentence,
    numbers: { scenarios: tallies.length, worse: odd.length - lost, withoutVerdict: lost },
    evidence: evidenceOf(odd.flatMap(({ tally }) => tally.failed.slice(0, 1).map((episode) => ({ episode, what: describe(tally) })))),
  };
}

function talliesOf(baseline: readonly Episode[], candidate: readonly Episode[]): Tally[] {
  const byScenario = (episodes: readonly Episode[]): Map<string, Episode[]> =>
    Map.groupBy(episodes.filter(isKnown), ({ scenario }) => scenario);
  const [ours, theirs] = [byScenario(baseline), byScenario(candidate)];
  return [...new Set([...ours.keys(), ...theirs.keys()])].map((scenario) => {
    const [known, own] = [ours.get(scenario) ?? [], theirs.get(scenario) ?? []];
    const [before, after] = [trialsOf(known), trialsOf(own)];
    return {
      scenario,
      isMissing: own.length < KNOWN_SHARE * known.length,
      failed: after.failed,
      trials: after.trials.length,
      baselineFailed: before.failed.length,
      baselineTrials: before.trials.length,
    };
  });
}

function judge({ isMissing, failed, trials, baselineFailed, baselineTrials }: Tally): GateVerdict {
  if (failed.length === 0) return isMissing ? 'inconclusive' : 'pass';
  const share = failed.length / trials;
  // It is as hard for the baseline.
  const isAsBefore = baselineTrials > 0 && baselineFailed / baselineTrials >= share;
  if (share < BROKEN_SHARE || isAsBefore) return isMissing ? 'inconclusive' : 'pass';
  return failed.length >= BROKEN_FAILURES ? 'fail' : 'inconclusive';
}

function rank(verdict: GateVerdict): number {
  return verdict === 'fail' ? 0 : 1;
}

function describe({ scenario, isMissing, failed, trials, baselineFailed, baselineTrials }: Tally): string {
  if (isMissing) return `${scenario} has a verdict in the baseline, and in most of its episodes none of the candidate: run it there`;
  return `${scenario} failed in ${failed.length} of ${counted(trials, 'episode')}, in the baseline in ${baselineFailed} of ${baselineTrials}`;
}
