import { expect, test } from '@playwright/test';
import type { TrialResult } from '../history/verdict.ts';
import { buildReport } from './build-report.ts';
import { countsOf, crashVerdicts } from './crash-points.ts';
import { renderHtml } from './html/render-html.ts';
import { formatJunit } from './junit.ts';
import type { ReportInput } from './report-input.ts';
import { formatCrashPoints } from './terminal-crash-points.ts';
import { formatRun } from './terminal.ts';
import { sampleRun } from './testing/sample-run.ts';

const ID = 'provisioning/scale-out-and-back';
const TERMINAL = { color: false, columns: 120 };

type Outcome = 'pass' | 'fail' | 'never-started';

/** A run of one scenario with two side effects, and these outcomes: before the first one, after it, and so on. */
function withCrashes(outcomes: readonly Outcome[], asked: ReportInput['run']['scenarios'][number]['crashPoints'] = {}): ReportInput {
  const { run, trials, notRun } = sampleRun({ trials: 1, only: [ID] });
  const [sample] = trials;
  if (sample === undefined) throw new Error('the sample has a trial');
  const crashed = outcomes.map((outcome, index) => {
    const nth = Math.floor(index / 2) + 1;
    const moment = index % 2 === 0 ? ('before' as const) : ('after' as const);
    const crash = { moment, nth, operation: 'patch nodes', object: `nodes/n-${nth}` };
    const replay = `${sample.result.replay},crash=${moment}:${nth}`;
    const finding = { code: 'leaked-instance', object: 'instance/i-1', events: [], message: 'Instance i-1 was never terminated.' };
    const checks = [{ check: 'no-leaked-instances', verdict: 'fail' as const, summary: '1 leaked', findings: [finding], measurements: [] }];
    const result: TrialResult = {
      ...sample.result,
      crash,
      replay,
      history: `histories/${moment}-${nth}.jsonl`,
      ...(outcome === 'fail' ? { verdict: 'fail', checks } : {}),
    };
    return { outcome, result };
  });
  return {
    run: {
      ...run,
      scenarios: run.scenarios.map((scenario) => ({ ...scenario, crashPoints: asked })),
      planned: [
        ...run.planned,
        ...crashed.map(({ result: { scenario, title, suite, seed, crash, replay, history } }) => ({
          ...{ scenario, title, suite, seed, replay, history },
          crash,
        })),
      ],
    },
    trials: [
      sample,
      ...crashed
        .filter(({ outcome }) => outcome !== 'never-started')
        .map(({ result }) => ({
          result,
          seen: sample.seen,
          get events(): never {
            throw new Error('the events of crash points are not read for a report');
          },
        })),
    ],
    notRun,
  };
}

test('crash points have their own table and counts; other numbers are those of ordinary trials', () => {
  const report = buildReport(withCrashes(['pass', 'pass', 'pass', 'pass']));
  const [scenario] = report.scenarios;
  expect(scenario?.verdict).toBe('pass');
  expect(scenario?.results).toHaveLength(1);
  expect(scenario?.crashPoints).toMatchObject({ passed: 4, failed: 0, unknown: 0 });
  expect(scenario?.crashPoints?.points).toMatchObject([
    { nth: 1, operation: 'patch nodes', object: 'nodes/n-1', before: { verdict: 'pass' }, after: { verdict: 'pass' } },
    { nth: 2, object: 'nodes/n-2' },
  ]);
  expect(report.totals).toMatchObject({ trials: { passed: 1 }, crashPoints: { passed: 4, failed: 0, unknown: 0 } });
  expect(formatRun(report, TERMINAL)).toContain('killed at 4 crash points: 4 passed, 0 failed, 0 unknown');
});

test('a failed crash point fails its scenario, and every report has its finding and replay line', () => {
  const input = withCrashes(['pass', 'fail', 'pass', 'pass']);
  const report = buildReport(input);
  expect(report.verdict).toBe('fail');
  const line = `scaleproof replay ${report.scenarios[0]?.results[0]?.replay ?? ''},crash=after:1`;
  for (const text of [formatRun(report, TERMINAL), formatCrashPoints(report, TERMINAL), formatJunit(report), renderHtml(input)]) {
    expect(text).toContain(line);
    expect(text).toContain('leaked-instance');
    expect(text).toContain('Instance i-1 was never terminated.');
  }
  expect(formatJunit(report)).toMatch(/<testsuites name="scaleproof" tests="2" failures="1" errors="0"/);
  expect(formatCrashPoints(report, TERMINAL)).toMatch(/1 +patch nodes +nodes\/n-1 +pass +fail +leaked-instance/);
});

for (const { what, input, says } of [
  { what: 'one never started', input: withCrashes(['pass', 'never-started']), says: '1 passed, 1 unknown' },
  { what: 'the side effects could not be counted', input: withCrashes([], { uncounted: 'it has none' }), says: 'unknown: it has none' },
  { what: 'the run was killed before it counted', input: withCrashes([]), says: 'unknown: the side effects were not counted' },
]) {
  test(`never green: ${what}`, () => {
    const report = buildReport(input);
    const crashPoints = report.scenarios[0]?.crashPoints;
    expect(report.verdict).toBe('unknown');
    expect(crashPoints === undefined ? '' : countsOf(crashPoints)).toContain(says);
    expect(formatRun(report, TERMINAL)).toContain(says);
    expect(formatJunit(report)).toContain('errors="1"');
  });
}

test('crash points that are left out are not part of the verdict, and the report says why', () => {
  const report = buildReport(withCrashes([], { leftOut: 'they need time.virtual' }));
  const crashPoints = report.scenarios[0]?.crashPoints;
  expect(report.verdict).toBe('pass');
  expect(crashPoints === undefined ? undefined : crashVerdicts(crashPoints)).toEqual([]);
  expect(formatRun(report, TERMINAL)).toContain('crash points left out: provisioning/scale-out-and-back: they need time.virtual');
});
