import { buildReport } from '../build-report.ts';
import type { ReportInput } from '../report-input.ts';
import type { RunReport } from '../run-report.ts';
import { MAX_TREND_RUNS, trendOf } from '../trend.ts';
import { sampleRun } from './sample-run.ts';

/** The scenarios of the sample that pass, and one that fails. */
const PASSING = ['provisioning/scale-out-and-back', 'scheduling/spot-spread', 'capacity/spot-runs-out'];
const FAILING = 'crashes/killed-after-launch';

/**
 * A report with any number of scenarios, copies of a few made-up ones, and with the longest trend. As large as a page gets.
 * @param count of scenarios that fail, and that pass
 */
export function largeRun(
  count: { readonly failed: number; readonly passed: number },
  trials: number,
): { input: ReportInput; report: RunReport } {
  const sample = sampleRun({ trials, only: [...PASSING, FAILING] });
  const copies = [
    ...Array.from({ length: count.passed }, (_, index) => PASSING[index % PASSING.length] ?? FAILING),
    ...Array.from({ length: count.failed }, () => FAILING),
  ].map((original, index) => ({ original, id: `${original}-${index + 1}` }));
  const copied = <T>(all: readonly T[], idOf: (one: T) => string, withId: (one: T, id: string) => T): T[] =>
    copies.flatMap(({ original, id }) => all.filter((one) => idOf(one) === original).map((one) => withId(one, id)));
  const input: ReportInput = {
    ...sample,
    run: {
      ...sample.run,
      scenarios: copied(
        sample.run.scenarios,
        (one) => one.id,
        (one, id) => ({ ...one, id }),
      ),
      planned: [],
    },
    trials: copied(
      sample.trials,
      ({ result }) => result.scenario,
      (trial, id) => ({ ...trial, result: { ...trial.result, scenario: id } }),
    ),
  };
  const built = buildReport(input);
  return { input, report: { ...built, trend: sampleTrend(built) } };
}

/** The trend of a report over as many runs as possible: each third was with another version of Scaleproof. */
export function sampleTrend(report: RunReport, runs: number = MAX_TREND_RUNS): NonNullable<RunReport['trend']> {
  const earlier = Array.from({ length: runs - 1 }, (_, index): RunReport => {
    const startedAt = new Date(Date.parse(report.run.startedAt) - (index + 1) * 86_400_000).toISOString();
    const versions = { ...report.run.versions, ...(index % 3 === 2 && { scaleproof: '0.0.9' }) };
    return { ...report, run: { ...report.run, id: `nightly-${startedAt.slice(0, 10)}`, startedAt, versions } };
  });
  return trendOf(report, earlier);
}
