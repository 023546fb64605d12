import type { Episode } from '../episode.ts';
import { isKnown } from '../sides.ts';
import type { Criterion, GateVerdict } from '../verdict.ts';
import { combineGate } from '../verdict.ts';
import { counted } from '../wording.ts';
import { evidenceOf } from './input.ts';
import type { GateInput } from './input.ts';

/** One scenario on both sides. */
interface Tally {
  readonly scenario: string;
  readonly failed: readonly Episode[];
  readonly trials: number;
  readonly baselineFailed: number;
  readonly baselineTrials: number;
}

/** A scenario that fails in so large a share of its episodes is broken, and no matter of chance. */
const BROKEN_SHARE = 0.5;
/** So many failures are no chance either: where one episode in a thousand fails, half of two or more do in less than one of 100,000. */
const BROKEN_FAILURES = 2;

/**
 * Whether each scenario by itself is served as it was: in the share of all episodes one that always fails is lost among the others.
 * A scenario is broken if the candidate fails in half of its episodes or more, at least twice, and the baseline less often. A single
 * failure that is half of what was seen holds, until there is more; so does a scenario that only the baseline ran, since whatever
 * it would have shown is missing.
 */
export function judgeScenarios({ baseline, candidate }: GateInput): Criterion {
  const tallies = talliesOf(baseline, candidate);
  const rated = tallies.map((tally) => ({ tally, verdict: judge(tally) }));
  const verdict = combineGate(rated.map((one) => one.verdict));
  const odd = rated.filter((one) => one.verdict !== 'pass').sort((a, b) => rank(a.verdict) - rank(b.verdict));
  const [first] = odd;
  const lost = tallies.filter(({ trials }) => trials === 0).length;
  const sentence =
    first === undefined
      ? `None of ${counted(tallies.length, 'scenario')} fails in half of its episodes or more where the baseline does not.`
      : `${counted(odd.length, 'scenario')} of ${tallies.length} ${odd.length === 1 ? 'is' : 'are'} not served as by the baseline: ${describe(first.tally)}${odd.length > 1 ? ', and others' : ''}.`;
  return {
    criterion: 'scenarios',
    verdict: tallies.length === 0 ? 'inconclusive' : verdict,
    sentence: tallies.length === 0 ? 'No episode was asked to serve pods.' : sentence,
    numbers: { scenarios: tallies.length, worse: odd.length - lost, notRun: lost },
    evidence: evidenceOf(odd.flatMap(({ tally }) => tally.failed.slice(0, 1).map((episode) => ({ episode, what: describe(tally) })))),
  };
}

function talliesOf(baseline: readonly Episode[], candidate: readonly Episode[]): Tally[] {
  const ofTrials = (episodes: readonly Episode[]): Map<string, Episode[]> =>
    Map.groupBy(
      episodes.filter((episode) => isKnown(episode) && episode.success.asked > 0),
      ({ scenario }) => scenario,
    );
  const [ours, theirs] = [ofTrials(baseline), ofTrials(candidate)];
  const hasRun = new Set(candidate.map(({ scenario }) => scenario));
  const failed = (episodes: readonly Episode[]): Episode[] => episodes.filter(({ success }) => success.served < success.asked);
  return (
    [...new Set([...ours.keys(), ...theirs.keys()])]
      // Without a verdict is another criterion's business.
      .filter((scenario) => theirs.has(scenario) || !hasRun.has(scenario))
      .map((scenario) => {
        const [before, after] = [ours.get(scenario) ?? [], theirs.get(scenario) ?? []];
        return {
          scenario,
          failed: failed(after),
          trials: after.length,
          baselineFailed: failed(before).length,
          baselineTrials: before.length,
        };
      })
  );
}

function judge({ failed, trials, baselineFailed, baselineTrials }: Tally): GateVerdict {
  if (trials === 0) return 'inconclusive';
  const share = failed.length / trials;
  // It is as hard for the baseline.
  const isAsBefore = baselineTrials > 0 && baselineFailed / baselineTrials >= share;
  if (share < BROKEN_SHARE || isAsBefore) return 'pass';
  return failed.length >= BROKEN_FAILURES ? 'fail' : 'inconclusive';
}

function rank(verdict: GateVerdict): number {
  return verdict === 'fail' ? 0 : 1;
}

function describe({ scenario, failed, trials, baselineFailed, baselineTrials }: Tally): string {
  if (trials === 0) return `${scenario} was run by the baseline only`;
  return `${scenario} failed in ${failed.length} of ${counted(trials, 'episode')}, in the baseline in ${baselineFailed} of ${baselineTrials}`;
}
