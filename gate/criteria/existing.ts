import type { Episode } from '../episode.ts';
import { existingFailures, kindsOf } from '../existing.ts';
import { moreOftenByChance } from '../statistics/fisher.ts';
import type { Share } from '../statistics/fisher.ts';
import type { Criterion } from '../verdict.ts';
import { counted } from '../wording.ts';
import { evidenceOf } from './input.ts';
import type { GateInput } from './input.ts';
import { alphaPerLook } from './three-way.ts';

/** One kind of failure in one scenario, which the baseline has too. */
interface Tally {
  readonly scenario: string;
  readonly kind: string;
  readonly before: Share;
  readonly after: Share;
  readonly failed: readonly Episode[];
}

/**
 * Whether failures that the baseline has too have become more frequent: by Fisher's exact test for each kind of failure in each
 * scenario, which share the error between them. Asked for only where the policy accepts existing failures.
 */
export function judgeExisting({ baseline, candidate, policy }: GateInput): Criterion {
  const tallies = talliesOf(baseline, candidate);
  const alpha = alphaPerLook(policy.success.alpha, policy) / Math.max(1, tallies.length);
  const worse = tallies.filter(({ before, after }) => moreOftenByChance(before, after) < alpha);
  const still = tallies.filter(({ failed }) => failed.length > 0);
  const scenarios = new Set(still.map(({ scenario }) => scenario)).size;
  const [first] = worse;
  const accepted = `${counted(still.length, 'failure')} in ${counted(scenarios, 'scenario')} ${still.length === 1 ? 'is' : 'are'} accepted, since the baseline has ${still.length === 1 ? 'it' : 'them'} too`;
  const gone = tallies.length - still.length;
  return {
    criterion: 'existing-failures',
    verdict: worse.length > 0 ? 'fail' : 'pass',
    sentence:
      first === undefined
        ? `${accepted}; none of them is more frequent${gone === 0 ? '' : `, and ${gone} of the baseline's did not happen again`}.`
        : `${counted(worse.length, 'failure')} of the baseline's ${worse.length === 1 ? 'is' : 'are'} more frequent: ${describe(first)}${worse.length > 1 ? ', and others' : ''}.`,
    numbers: { accepted: still.length, scenarios, gone, worse: worse.length },
    evidence: evidenceOf(
      (worse.length > 0 ? worse : still).flatMap((tally) =>
        tally.failed.slice(0, 1).map((episode) => ({ episode, what: describe(tally) })),
      ),
    ),
  };
}

function talliesOf(baseline: readonly Episode[], candidate: readonly Episode[]): Tally[] {
  return [...existingFailures(baseline)].flatMap(([scenario, kinds]) => {
    const [ours, theirs] = [baseline, candidate].map((side) => side.filter((episode) => episode.scenario === scenario)) as [
      Episode[],
      Episode[],
    ];
    return [...kinds].map((kind): Tally => {
      const having = (side: readonly Episode[]): Episode[] => side.filter((episode) => kindsOf(episode).has(kind));
      const failed = having(theirs);
      return {
        scenario,
        kind,
        before: { failed: having(ours).length, trials: ours.length },
        after: { failed: failed.length, trials: theirs.length },
        failed,
      };
    });
  });
}

function describe({ scenario, kind, before, after }: Tally): string {
  return `${scenario}: ${kind} in ${after.failed} of ${counted(after.trials, 'episode')}, in the baseline in ${before.failed} of ${before.trials}`;
}
