import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { phaseValuesOf } from '../history/latency.ts';
import { createView } from '../history/view.ts';
import { packageRoot } from '../model/package-root.ts';
import { unrequestedProfiles } from './profiles.ts';
import { buildReport } from './build-report.ts';
import type { ReportInput } from './report-input.ts';
import { parseRunFacts } from './report-input.ts';
import { formatReport, formatReportSchema, runReportSchema } from './run-report.ts';
import type { ScenarioReport } from './run-report.ts';
import { sampleRun } from './testing/sample-run.ts';

function scenarioOf(input: ReportInput, id: string): ScenarioReport {
  const found = buildReport(input).scenarios.find((scenario) => scenario.id === id);
  if (found === undefined) throw new Error(`no scenario ${id}`);
  return found;
}

test('a run is added up over scenarios and trials', () => {
  const report = buildReport(sampleRun({ trials: 2 }));
  expect(report.verdict).toBe('fail');
  expect(report.totals.scenarios).toEqual({ passed: 3, failed: 2, unknown: 1, notRun: 1 });
  expect(report.totals.trials).toEqual({ passed: 7, failed: 3, unknown: 2, notBegun: 0, notRun: 2 });
  expect(report.totals.success).toEqual({ served: 170, asked: 190 });
  expect(report.totals.instances.leaked).toBe(1);
  expect(report.run.ratio).toBeCloseTo(report.run.virtualMs / 4_200);
  const crash = report.scenarios.find(({ id }) => id === 'crashes/killed-after-launch');
  expect(crash).toMatchObject({
    verdict: 'fail',
    trials: { passed: 1, failed: 1, unknown: 0, notBegun: 0 },
    instances: { created: 12, terminated: 11, live: 1, leaked: 1 },
  });
});

test('the result of a profile: failure before unknown before partial, and success only if complete', () => {
  expect(buildReport(sampleRun({ trials: 2 })).profiles).toEqual([
    { name: 'core', result: 'failure', scenarios: { passed: 2, failed: 1, unknown: 1, notRun: 0 } },
    { name: 'extended', result: 'partial', scenarios: { passed: 1, failed: 0, unknown: 0, notRun: 1 } },
    { name: 'robustness', result: 'failure', scenarios: { passed: 0, failed: 1, unknown: 0, notRun: 0 } },
  ]);
  const resultOf = (input: ReportInput): (string | undefined)[] => buildReport(input).profiles.map(({ result }) => result);
  const id = 'provisioning/scale-out-and-back';
  const whole = sampleRun({ trials: 2, only: [id] });
  expect(resultOf(whole)).toEqual(['success']);
  expect(resultOf({ ...whole, trials: whole.trials.slice(0, 1) })).toEqual(['unknown']);
  const notRun = [{ scenario: id, title: 't', suite: 's', seed: 2, reason: 'the run was interrupted before it started' }];
  expect(resultOf({ ...whole, trials: whole.trials.slice(0, 1), notRun })).toEqual(['partial']);
  const leaving = (core: number): ReportInput => ({ ...whole, run: { ...whole.run, notRequested: { core, extended: 3, robustness: 1 } } });
  expect([...resultOf(leaving(0)), ...resultOf(leaving(2))]).toEqual(['success', 'partial']);
  expect(unrequestedProfiles(buildReport(leaving(2)))).toEqual(['not requested: 3 scenarios of extended, 1 scenario of robustness']);
  // The other scenario of this profile belongs to another shard.
  const other = sampleRun({ trials: 2, only: [id, 'capacity/spot-runs-out'] }).run;
  const shard = buildReport({ ...whole, run: { ...other, planned: whole.run.planned } });
  expect(shard.profiles).toMatchObject([{ result: 'partial', scenarios: { passed: 1, notRequested: 1 } }]);
});

test('scenarios are grouped by profile, in requested order', () => {
  expect(buildReport(sampleRun({ trials: 1 })).scenarios.map(({ profile, id }) => `${profile} ${id}`)).toEqual([
    'core provisioning/scale-out-and-back',
    'core capacity/spot-runs-out',
    'core crashes/killed-after-launch',
    'core api-pressure/lost-launch-answer',
    'extended scheduling/spot-spread',
    'robustness scheduling/negative-max-skew',
  ]);
});

test('percentiles are computed over all pods of all trials, not over the trials’ percentiles', () => {
  const id = 'provisioning/scale-out-and-back';
  const input = sampleRun({ trials: 3, only: [id] });
  const all = input.trials
    .flatMap(({ events }) => phaseValuesOf(createView(events)))
    .filter(({ phase }) => phase === 'pending -> running')
    .flatMap(({ valuesMs }) => valuesMs)
    .sort((a, b) => a - b);
  const latency = scenarioOf(input, id).latencies.find(({ phase }) => phase === 'pending -> running');
  expect(all).toHaveLength(30);
  expect(latency).toEqual({ phase: 'pending -> running', count: 30, p50Ms: all[14], p95Ms: all[28], p99Ms: all[29] });
});

test('a fault that may fire and never did is vacuous; one that must fire is not', () => {
  const { injections, armed, fired } = scenarioOf(sampleRun({ trials: 2 }), 'capacity/spot-runs-out').faults;
  expect({ armed, fired }).toEqual({ armed: 4, fired: 2 });
  expect(
    injections.map(({ fault, armedTrials, firedTrials, firings, vacuous }) => ({ fault, armedTrials, firedTrials, firings, vacuous })),
  ).toEqual([
    { fault: 'insufficient-capacity', armedTrials: 2, firedTrials: 2, firings: 8, vacuous: false },
    { fault: 'slow-answer', armedTrials: 2, firedTrials: 0, firings: 0, vacuous: true },
  ]);
});

test('a bound has its worst value over all trials, and its trial', () => {
  const id = 'provisioning/scale-out-and-back';
  const input = sampleRun({ trials: 3, only: [id] });
  const all = input.trials.flatMap(({ result }) =>
    result.checks
      .filter(({ check }) => check === 'success-rate')
      .flatMap(({ measurements }) => measurements.map(({ worst }) => ({ worst: worst ?? 0, seed: result.seed }))),
  );
  const worst = all.reduce((a, b) => (b.worst > a.worst ? b : a));
  expect(scenarioOf(input, id).bounds.find(({ check }) => check === 'success-rate')).toMatchObject({
    ...worst,
    bound: { name: 'provision' },
  });
});

test('findings have descriptions of their evidence', () => {
  const trial = scenarioOf(sampleRun({ trials: 1 }), 'crashes/killed-after-launch').results[0];
  const finding = trial?.checks.flatMap(({ findings }) => findings)[0];
  expect(finding?.code).toBe('leaked-instance');
  expect(finding?.evidence.map(({ what }) => what).join('\n')).toContain('ec2:CreateFleet took effect');
});

test('a planned trial that never started makes its scenario and the run unknown', () => {
  const input = sampleRun({ trials: 2, only: ['provisioning/scale-out-and-back', 'scheduling/spot-spread'] });
  const report = buildReport({ ...input, trials: input.trials.slice(0, 3) });
  expect(report.verdict).toBe('unknown');
  expect(report.scenarios.map(({ verdict, trials }) => ({ verdict, notBegun: trials.notBegun }))).toEqual([
    { verdict: 'pass', notBegun: 0 },
    { verdict: 'unknown', notBegun: 1 },
  ]);
});

test('a run without any trial is unknown', () => {
  const { run } = sampleRun({ trials: 1, only: [] });
  expect(buildReport({ run, trials: [], notRun: [] })).toMatchObject({ verdict: 'unknown', scenarios: [] });
});

test('the order in which trials ended does not change the report', () => {
  const input = sampleRun({ trials: 2 });
  const reversed = { ...input, trials: [...input.trials].reverse() };
  expect(formatReport(buildReport(reversed))).toBe(formatReport(buildReport(input)));
});

test('the published schema is up to date', ({}, { config }) => {
  const path = join('schemas', 'report.v1.json');
  if (config.updateSnapshots === 'changed' || config.updateSnapshots === 'all')
    writeFileSync(join(packageRoot(), path), formatReportSchema());
  const committed: unknown = JSON.parse(readFileSync(join(packageRoot(), path), 'utf8'));
  const hint = `${path} is out of date: run \`npx playwright test reports/build-report.test.ts --update-snapshots\` and commit it`;
  expect(committed, hint).toEqual(JSON.parse(formatReportSchema()));
});

test('a report fits its schema', () => {
  expect(() => runReportSchema.parse(JSON.parse(formatReport(buildReport(sampleRun()))))).not.toThrow();
});

test('run.json is parsed, or refused with one line that says why', () => {
  const { run } = sampleRun({ trials: 1 });
  expect(parseRunFacts(JSON.stringify(run), 'run.json')).toEqual(run);
  expect(() => parseRunFacts('{', 'run.json')).toThrow('run.json is not JSON');
  expect(() => parseRunFacts(JSON.stringify({ ...run, seed: -1 }), 'run.json')).toThrow(
    /^run\.json is not a valid description of a run: seed: [^\n]+$/,
  );
  expect(() => parseRunFacts(JSON.stringify({ ...run, scenarios: run.scenarios.slice(1) }), 'run.json')).toThrow(
    'run.json is not a valid description of a run: scenarios: "provisioning/scale-out-and-back" was planned and is not listed',
  );
});

for (const history of [
  '../../etc/passwd',
  '/etc/passwd',
  'histories/../../etc/passwd.jsonl',
  'histories/a/b.jsonl',
  'histories\\..\\a.jsonl',
  'histories/.jsonl\n',
  'run.json',
]) {
  test(`run.json cannot name ${JSON.stringify(history)} as a history`, () => {
    const { run } = sampleRun({ trials: 1 });
    const planned = run.planned.map((trial, index) => (index === 1 ? { ...trial, history } : trial));
    expect(() => parseRunFacts(JSON.stringify({ ...run, planned }), 'run.json')).toThrow(
      'run.json is not a valid description of a run: planned.1.history: not a file of the run: it must be histories/NAME.jsonl',
    );
  });
}

test('a trial of a scenario that is not part of the run is refused', () => {
  const { run, trials } = sampleRun({ trials: 1 });
  expect(() => buildReport({ run: { ...run, scenarios: run.scenarios.slice(1) }, trials, notRun: [] })).toThrow(
    'provisioning/scale-out-and-back has a trial, but is not part of the run',
  );
});
