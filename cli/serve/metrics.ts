import { Counter, Gauge, expose } from '../../controller/core/metrics.ts';
import type { GateDecision } from '../../gate/verdict.ts';
import { GATE_METRICS } from '../init/gate-metrics.ts';
import type { GateMetric } from '../init/gate-metrics.ts';
import { GATE_EXIT } from '../usage-error.ts';
import type { GateJob, GateJobs } from './jobs.ts';

/** The metrics of `scaleproof serve`. The label `target` has few values: the targets that the command line allows. */
export interface GateMetrics {
  ended(job: GateJob): void;
  /** In the text format. */
  text(jobs: GateJobs): string;
}

/** The label for the scenarios: their profiles, `manifests` for those over a user's manifests, or `selected` if scenarios were selected. */
export function profileLabel({
  scenarios,
  profiles,
  manifests,
}: {
  readonly scenarios: readonly string[];
  readonly profiles: readonly string[];
  readonly manifests?: string | undefined;
}): string {
  if (scenarios.length > 0) return 'selected';
  if (manifests !== undefined) return 'manifests';
  return profiles.length === 0 ? 'all' : profiles.join(',');
}

/** @param profile the label for the scenarios of the gates */
export function createGateMetrics(profile: string): GateMetrics {
  const { verdict, runs, lastSuccess, duration } = GATE_METRICS;
  const ended = new Counter(runs.name, runs.help);
  return {
    ended: ({ candidate, result }) => ended.inc({ target: candidate, profile, verdict: result?.verdict ?? 'inconclusive' }),
    text: (jobs) => {
      const finished = jobs.list().filter((job) => job.status === 'done' && job.byKeyOnly !== true);
      const last = new Map(finished.map((job) => [job.candidate, job] as const));
      const gauge = ({ name, help }: GateMetric, of: (job: GateJob) => number | undefined): Gauge =>
        new Gauge(name, help, () =>
          [...last.values()].flatMap((job) => {
            const value = of(job);
            return value === undefined ? [] : [[{ target: job.candidate, profile }, value] as const];
          }),
        );
      return expose([
        ended,
        gauge(verdict, ({ result }) => GATE_EXIT[result?.verdict ?? 'inconclusive']),
        gauge(lastSuccess, ({ result }) => successRatio(result?.decision)),
        gauge(duration, ({ begunMs = 0, endedMs = 0 }) => (endedMs - begunMs) / 1_000),
      ]);
    },
  };
}

/** Over the candidate's episodes; undefined if none was judged. */
function successRatio(decision: GateDecision | undefined): number | undefined {
  const numbers = decision?.criteria.find(({ criterion }) => criterion === 'success')?.numbers;
  const { succeeded, trials } = numbers ?? {};
  return succeeded === undefined || trials === undefined || trials === 0 ? undefined : succeeded / trials;
}
