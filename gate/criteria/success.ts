import type { Episode } from '../episode.ts';
import { trialsOf } from '../sides.ts';
import { lowerSuccessBound } from '../../history/confidence.ts';
import { sequentialTest, trialsToAccept } from '../statistics/sequential.ts';
import type { Criterion } from '../verdict.ts';
import { counted, percent, percentDown } from '../wording.ts';
import { evidenceOf, finite } from './input.ts';
import type { GateInput } from './input.ts';

/** For the exact bound that is printed beside the test. */
const BOUND_ALPHA = 0.05;

const VERDICTS = { accept: 'pass', reject: 'fail', continue: 'inconclusive' } as const;

/**
 * Whether enough episodes serve all their pods, by a sequential test. An episode is one trial: its pods share instances,
 * faults and luck. One that requested no pod, or has no verdict, does not count.
 */
export function judgeSuccess({ baseline, candidate, policy }: GateInput): Criterion {
  const plan = policy.success;
  const { failed, trials } = trialsOf(candidate);
  const others = trialsOf(baseline);
  const good = trials.length - failed.length;
  const result = sequentialTest(plan, good, failed.length);
  const verdict = VERDICTS[result.verdict];
  const lower = lowerSuccessBound(good, trials.length, BOUND_ALPHA);
  const sum = (of: (success: Episode['success']) => number): number => trials.reduce((all, { success }) => all + of(success), 0);
  const found = `${good} of ${counted(trials.length, 'episode')} served all their pods`;
  const means = {
    pass: `this rules out ${percent(plan.p1)} or less`,
    fail: `this rules out ${percent(plan.p0)}`,
    inconclusive: `${trials.length + result.cleanTrialsNeeded} are needed, ${result.cleanTrialsNeeded} more, if all of them are clean`,
  }[verdict];
  const bound = `this shows at least ${percentDown(lower)}, with 95 % confidence`;
  return {
    criterion: 'success',
    verdict,
    sentence: `${found}: ${means}; ${bound}. The baseline: ${others.trials.length - others.failed.length} of ${others.trials.length}.`,
    numbers: finite({
      trials: trials.length,
      succeeded: good,
      failed: failed.length,
      lowerBound: lower,
      logLikelihoodRatio: result.logLikelihoodRatio,
      cleanTrialsNeeded: result.cleanTrialsNeeded,
      trialsToAccept: trialsToAccept(plan, failed.length),
      podsServed: sum(({ served }) => served),
      podsAsked: sum(({ asked }) => asked),
      baselineTrials: others.trials.length,
      baselineFailed: others.failed.length,
    }),
    evidence:
      verdict === 'pass'
        ? []
        : evidenceOf(
            failed.map((episode) => ({
              episode,
              what: `${episode.success.served} of ${counted(episode.success.asked, 'pod')} served in time`,
            })),
          ),
  };
}
