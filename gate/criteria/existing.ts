import type { Episode } from '../episode.ts';
import { existingFailures, kindsOf } from '../existing.ts';
import { isKnown } from '../sides.ts';
import { moreOftenByChance } from '../statistics/fisher.ts';
import type { Share } from '../statistics/fisher.ts';
import { combineGate } from '../verdict.ts';
import type { Criterion, GateVerdict } from '../verdict.ts';
import { counted } from '../wording.ts';
import { evidenceOf } from './input.ts';
import type { GateInput } from './input.ts';
import { alphaPerLook } from './three-way.ts';

/** Most accepted failures that are listed, so that users see what they accept. */
const MAX_LISTED = 100;

/** One kind of failure in one scenario, which the baseline has too. */
interface Tally {
  readonly scenario: string;
  readonly kind: string;
  readonly before: Share;
  readonly after: Share;
  readonly failed: readonly Episode[];
}

/**
 * Whether failures that the baseline has too have become more frequent: Fisher's exact test for each kind of failure in each
 * scenario, with the error rate split among all of them. A failure that became more frequent, in too few episodes for the test to
 * reject at all, is inconclusive. Judged only if the policy accepts existing failures.
 */
export function judgeExisting({ baseline, candidate, policy }: GateInput): Criterion {
  const tallies = talliesOf(baseline, candidate);
  const alpha = alphaPerLook(policy.success.alpha, policy) / Math.max(1, tallies.length);
  const rated = tallies.map((tally) => ({ tally, verdict: judge(tally, alpha) }));
  const still = tallies.filter(({ failed }) => failed.length > 0);
  const talliesThat = (verdict: GateVerdict): Tally[] => rated.filter((one) => one.verdict === verdict).map(({ tally }) => tally);
  const [worse, open] = [talliesThat('fail'), talliesThat('inconclusive')];
  const shown = [...worse, ...open];
  const numbers = {
    accepted: still.length,
    scenarios: new Set(still.map(({ scenario }) => scenario)).size,
    gone: tallies.length - still.length,
    worse: worse.length,
    undecided: open.length,
    tooFew: still.filter((tally) => isTooFew(tally, alpha)).length,
  };
  return {
    criterion: 'existing-failures',
    verdict: tallies.length === 0 ? 'pass' : combineGate(rated.map((one) => one.verdict)),
    sentence: sentenceFor(numbers, shown[0]),
    numbers,
    evidence: evidenceOf(shown.length > 0 ? shown.flatMap(evidenceFor) : inScenarios(still), MAX_LISTED),
  };
}

/** One line for each scenario: its first failed episode, with all its kinds of failure. */
function inScenarios(tallies: readonly Tally[]): { readonly episode: Episode; readonly what: string }[] {
  return [...Map.groupBy(tallies, ({ scenario }) => scenario).values()].flatMap((own) => {
    const [episode] = own.flatMap(({ failed }) => failed);
    return episode === undefined ? [] : [{ episode, what: own.map(describe).join('; ') }];
  });
}

/** An episode that shows this failure. */
function evidenceFor(tally: Tally): { readonly episode: Episode; readonly what: string }[] {
  return tally.failed.slice(0, 1).map((episode) => ({ episode, what: describe(tally) }));
}

/** Whether there are too few episodes for the test to reject anything: not even a failure that went from never to always. */
function isTooFew({ before, after }: Tally, alpha: number): boolean {
  return moreOftenByChance({ ...before, failed: 0 }, { ...after, failed: after.trials }) >= alpha;
}

function judge({ before, after }: Tally, alpha: number): GateVerdict {
  if (moreOftenByChance(before, after) < alpha) return 'fail';
  const hasRisen = after.failed * before.trials > before.failed * after.trials;
  const couldReject = moreOftenByChance(before, { ...after, failed: after.trials }) < alpha;
  return hasRisen && !couldReject ? 'inconclusive' : 'pass';
}

function sentenceFor(
  {
    accepted,
    scenarios,
    gone,
    worse,
    undecided,
    tooFew,
  }: Readonly<Record<'accepted' | 'scenarios' | 'gone' | 'worse' | 'undecided' | 'tooFew', number>>,
  first: Tally | undefined,
): string {
  const example = first === undefined ? '' : `: ${first.scenario}: ${describe(first)}${worse + undecided > 1 ? ', and others' : ''}`;
  if (worse > 0) return `${counted(worse, 'failure')} of the baseline's ${worse === 1 ? 'is' : 'are'} more frequent${example}.`;
  if (undecided > 0)
    return `${counted(undecided, 'failure')} of the baseline's became more frequent, in too few episodes to rule out chance${example}.`;
  if (accepted + gone === 0) return 'The baseline has no failures that could be accepted.';
  const few =
    tooFew === 0 ? '' : ` For ${tooFew === accepted ? 'all' : tooFew} of them there are too few episodes to tell: more seeds can.`;
  const also = gone === 0 ? '' : ` ${gone} of the baseline's did not happen again.`;
  return `${counted(accepted, 'kind')} of failure in ${counted(scenarios, 'scenario')} accepted, since the baseline has the same; none is significantly more frequent.${few}${also}`;
}

function talliesOf(baseline: readonly Episode[], candidate: readonly Episode[]): Tally[] {
  const byScenario = (side: readonly Episode[]): Map<string, Episode[]> => Map.groupBy(side, ({ scenario }) => scenario);
  const [ours, theirs] = [byScenario(baseline), byScenario(candidate)];
  return [...existingFailures(baseline)].flatMap(([scenario, { kinds }]) =>
    [...kinds].map((kind): Tally => {
      const before = sideOf(ours.get(scenario) ?? [], kind);
      const after = sideOf(theirs.get(scenario) ?? [], kind);
      return { scenario, kind, before: shareOf(before), after: shareOf(after), failed: after.failed };
    }),
  );
}

/** Episodes without a verdict count only if they show the failure. */
function sideOf(side: readonly Episode[], kind: string): { readonly failed: Episode[]; readonly clean: Episode[] } {
  const { failed = [], clean = [] } = Object.groupBy(side, (episode) => (kindsOf(episode).has(kind) ? 'failed' : 'clean'));
  return { failed, clean: clean.filter(isKnown) };
}

function shareOf({ failed, clean }: ReturnType<typeof sideOf>): Share {
  return { failed: failed.length, trials: failed.length + clean.length };
}

function describe({ kind, before, after }: Tally): string {
  return `${kind} in ${after.failed} of ${counted(after.trials, 'episode')}, in the baseline in ${before.failed} of ${before.trials}`;
}
