import type { Episode } from './episode.ts';
import { NOT_SERVED, kindOf, leavesPodsUnserved } from './existing.ts';
import type { ScenarioFinding, ScenarioPair, ScenarioTally } from './outcome.ts';
import { distinct } from './sides.ts';
import { counted } from './wording.ts';

/** Most kinds of findings of a scenario that are kept for each side. */
const MAX_KINDS = 20;

/** Both sides of every scenario. Those in which the candidate fails come first, before all others that did not pass everywhere. */
export function sideBySide(baseline: readonly Episode[], candidate: readonly Episode[]): ScenarioPair[] {
  const [ours, theirs] = [baseline, candidate].map((side) => Map.groupBy(distinct(side), ({ scenario }) => scenario));
  const scenarios = [...new Set([...(ours?.keys() ?? []), ...(theirs?.keys() ?? [])])].sort();
  return scenarios
    .map((scenario) => ({ scenario, baseline: tallyOf(ours?.get(scenario) ?? []), candidate: tallyOf(theirs?.get(scenario) ?? []) }))
    .sort((a, b) => rank(a) - rank(b));
}

function rank({ baseline, candidate }: ScenarioPair): number {
  const order = [candidate.fail > 0, baseline.fail > 0, candidate.unknown > 0, baseline.unknown > 0, true];
  return order.indexOf(true);
}

function tallyOf(episodes: readonly Episode[]): ScenarioTally {
  const of = (verdict: Episode['verdict']): number => episodes.filter((episode) => episode.verdict === verdict).length;
  const all = [...episodes].sort((a, b) => a.seed - b.seed).flatMap(findingsOf);
  const kinds = [...Map.groupBy(all, ({ kind }) => kind).values()].flatMap((own): ScenarioFinding[] => {
    const [first] = own;
    return first === undefined ? [] : [{ ...first, trials: own.length }];
  });
  return { pass: of('pass'), fail: of('fail'), unknown: of('unknown'), findings: kinds.slice(0, MAX_KINDS) };
}

/** One of each kind. */
function findingsOf(episode: Episode): ScenarioFinding[] {
  const { seed, replay, violations, success } = episode;
  const finding = (kind: string, what: string): ScenarioFinding => ({ kind, trials: 1, seed, replay, what });
  const firsts = new Map(violations.toReversed().map((one) => [kindOf(one), finding(kindOf(one), `${one.object}: ${one.message}`)]));
  const unserved = finding(NOT_SERVED, `${success.served} of ${counted(success.asked, 'pod')} served in time`);
  return [...[...firsts.values()].reverse(), ...(leavesPodsUnserved(episode) ? [unserved] : [])];
}
