import type { Verdict } from '../history/verdict.ts';
import { timeName } from './clock.ts';
import { countsOf, crashTrialsOf, crashVerdicts } from './crash-points.ts';
import { formatEvidence } from './describe-event.ts';
import { formatCount } from './format.ts';
import { describeGap, verdictOf } from './manifests.ts';
import type { ReportedFinding, RunReport, ScenarioReport, TrialReport } from './run-report.ts';

/** Most findings of a trial that are described; the rest is counted. */
const MAX_FINDINGS = 50;

/**
 * JUnit XML for CI systems: a test suite for each suite, a test case for each scenario and seed. A failed trial is a failure, an unknown
 * one an error whose message starts with UNKNOWN, and one that was not run is skipped with its reason. Times are seconds on the trial's
 * own clock, which may be virtual; that of the root is wall time.
 */
export function formatJunit(report: RunReport): string {
  const names = new Set([...report.scenarios.map(({ suite }) => suite), ...report.notRun.map(({ suite }) => suite)]);
  const suites = [...[...names].map((name) => renderSuite(report, name)), ...renderWorkloads(report)];
  const total = (key: keyof Counts): number => suites.reduce((sum, { counts }) => sum + counts[key], 0);
  const time = report.run.wallMs === undefined ? '' : ` time="${seconds(report.run.wallMs)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="scaleproof" tests="${total('tests')}" failures="${total('failures')}" errors="${total('errors')}" skipped="${total('skipped')}"${time}>`,
    ...suites.map(({ xml }) => xml),
    '</testsuites>',
    '',
  ].join('\n');
}

interface Counts {
  readonly tests: number;
  readonly failures: number;
  readonly errors: number;
  readonly skipped: number;
}

function renderSuite(report: RunReport, name: string): { readonly xml: string; readonly counts: Counts } {
  const { run } = report;
  const scenarios = report.scenarios.filter(({ suite }) => suite === name);
  const notRun = report.notRun.filter(({ suite }) => suite === name);
  const sum = (countOf: (scenario: ScenarioReport) => number): number =>
    scenarios.reduce((total, scenario) => total + countOf(scenario), 0);
  const counts = {
    tests: sum(({ results }) => results.length) + sum(({ trials }) => (trials.notBegun > 0 ? 1 : 0)) + sum(crashCases) + notRun.length,
    failures: sum(({ trials }) => trials.failed) + sum((scenario) => (crashVerdict(scenario) === 'fail' ? 1 : 0)),
    errors:
      sum(({ trials }) => trials.unknown) +
      sum(({ trials }) => (trials.notBegun > 0 ? 1 : 0)) +
      sum((scenario) => (crashVerdict(scenario) === 'unknown' ? 1 : 0)),
    skipped: notRun.length,
  };
  const xml = [
    `  <testsuite name="${attribute(name)}" tests="${counts.tests}" failures="${counts.failures}" errors="${counts.errors}" skipped="${counts.skipped}" timestamp="${timestampOf(run.startedAt)}" time="${seconds(sum(({ virtualMs }) => virtualMs))}">`,
    '    <properties>',
    property('target', run.target.name),
    property('world', run.world.name),
    property('time', timeName(run)),
    property('scaleproof', run.versions.scaleproof),
    property('run', run.id),
    '    </properties>',
    ...scenarios.flatMap((scenario) => [
      ...scenario.results.map((trial) => renderTrial(scenario, trial)),
      ...renderNotBegun(scenario),
      ...renderCrashes(scenario),
    ]),
    ...notRun.map(
      ({
        scenario,
        seed,
        reason,
      }) => `    <testcase classname="${attribute(name)}" name="${attribute(`${scenario} seed ${seed}`)}" time="0">
      <skipped message="${attribute(reason)}"/>
    </testcase>`,
    ),
    '  </testsuite>',
  ].join('\n');
  return { xml, counts };
}

/** A test case for each workload of the user's manifests that is not shown to be served. Without `--strict` it is skipped. */
function renderWorkloads({ run: { manifests, startedAt } }: RunReport): { readonly xml: string; readonly counts: Counts }[] {
  if (manifests === undefined || manifests.gaps.length === 0) return [];
  const { gaps, strict, directory } = manifests;
  const count = (verdict: Verdict): number => (strict ? gaps.filter((gap) => verdictOf(gap) === verdict).length : 0);
  const [failures, errors] = [count('fail'), count('unknown')];
  const counts = { tests: gaps.length, failures, errors, skipped: strict ? 0 : gaps.length };
  const xml = [
    `  <testsuite name="workloads of ${attribute(directory)}" tests="${counts.tests}" failures="${failures}" errors="${errors}" skipped="${counts.skipped}" timestamp="${timestampOf(startedAt)}" time="0">`,
    ...gaps.map((gap) => {
      const verdict = verdictOf(gap);
      const open = `    <testcase classname="workloads" name="${attribute(gap.workload)}" time="0">`;
      const message = attribute(describeGap(gap));
      const element = !strict ? 'skipped' : verdict === 'fail' ? 'failure' : 'error';
      const type = strict ? ` type="${gap.kind}"` : '';
      return `${open}\n      <${element} message="${verdict === 'unknown' && strict ? 'UNKNOWN ' : ''}${message}"${type}/>\n    </testcase>`;
    }),
    '  </testsuite>',
  ].join('\n');
  return [{ xml, counts }];
}

/** JUnit's times have no fractions. */
function timestampOf(startedAt: string): string {
  return attribute(startedAt.replace(/\.\d+Z$/, 'Z'));
}

function renderTrial(scenario: ScenarioReport, trial: TrialReport): string {
  const open = `    <testcase classname="${attribute(scenario.suite)}" name="${attribute(`${scenario.id} seed ${trial.seed}`)}" time="${seconds(trial.virtualMs)}"`;
  if (trial.verdict === 'pass') return `${open}/>`;
  const findings = trial.checks.flatMap((check) => check.findings.map((finding) => ({ check: check.check, finding })));
  const shown = findings.slice(0, MAX_FINDINGS).map(({ check, finding }) => describeFinding(check, finding));
  const more = findings.length > MAX_FINDINGS ? [`and ${formatCount(findings.length - MAX_FINDINGS, 'more finding')}`] : [];
  const unknown = trial.checks.filter(({ verdict }) => verdict === 'unknown').map(({ check, summary }) => `UNKNOWN ${check}: ${summary}`);
  const replay = [`replay: scaleproof replay ${trial.replay}`, `history: ${trial.history}`];
  const body = text([...shown, ...more, ...unknown, replay.join('\n')].join('\n\n'));
  const element = trial.verdict === 'fail' ? 'failure' : 'error';
  const message =
    trial.verdict === 'fail'
      ? summarize(findings.map(({ finding }) => finding))
      : `UNKNOWN ${unknown[0]?.replace(/^UNKNOWN /, '') ?? scenario.title}`;
  const type = trial.verdict === 'fail' ? (findings[0]?.finding.code ?? 'fail') : 'unknown';
  return `${open}>
      <${element} message="${attribute(message)}" type="${attribute(type)}">${body}</${element}>
    </testcase>`;
}

/** One test case for all planned trials that never started. */
function renderNotBegun({ id, suite, trials }: ScenarioReport): string[] {
  if (trials.notBegun === 0) return [];
  const message = attribute(`UNKNOWN ${formatCount(trials.notBegun, 'trial')} never started`);
  return [
    `    <testcase classname="${attribute(suite)}" name="${attribute(`${id} not started`)}" time="0">
      <error message="${message}" type="unknown"/>
    </testcase>`,
  ];
}

/** The verdict over all crash points of a scenario; undefined if there are none to judge. */
function crashVerdict({ crashPoints }: ScenarioReport): Verdict | undefined {
  return crashPoints === undefined ? undefined : crashVerdicts(crashPoints)[0];
}

function crashCases(scenario: ScenarioReport): number {
  return crashVerdict(scenario) === undefined ? 0 : 1;
}

/** One test case for all crash points of a scenario. It lists those that did not pass, with their replay lines. */
function renderCrashes(scenario: ScenarioReport): string[] {
  const { id, suite, crashPoints } = scenario;
  const verdict = crashVerdict(scenario);
  if (crashPoints === undefined || verdict === undefined) return [];
  const open = `    <testcase classname="${attribute(suite)}" name="${attribute(`${id} crash points`)}" time="0"`;
  if (verdict === 'pass') return [`${open}/>`];
  const bad = crashPoints.points.flatMap((point) =>
    crashTrialsOf(point)
      .filter((trial) => trial.verdict !== 'pass')
      .map(
        ({ code = 'unknown', why = '', replay }) =>
          `${point.operation} (number ${point.nth}): ${code} ${why}\nreplay: scaleproof replay ${replay}`,
      ),
  );
  const more = bad.length > MAX_FINDINGS ? [`and ${bad.length - MAX_FINDINGS} more`] : [];
  const [element, type] = verdict === 'fail' ? (['failure', 'crash-points'] as const) : (['error', 'unknown'] as const);
  const message = `${verdict === 'fail' ? '' : 'UNKNOWN '}${countsOf(crashPoints)}`;
  return [
    `${open}>
      <${element} message="${attribute(message)}" type="${type}">${text([...bad.slice(0, MAX_FINDINGS), ...more].join('\n\n'))}</${element}>
    </testcase>`,
  ];
}

function summarize(findings: readonly ReportedFinding[]): string {
  const first = findings[0];
  if (first === undefined) return 'fail';
  return findings.length === 1 ? first.message : `${first.message} (and ${formatCount(findings.length - 1, 'more finding')})`;
}

function describeFinding(check: string, finding: ReportedFinding): string {
  return [
    `${finding.code} (${check}) ${finding.object}`,
    finding.message,
    ...finding.evidence.map((event) => `  ${formatEvidence(event)}`),
  ].join('\n');
}

function property(name: string, value: string): string {
  return `      <property name="${attribute(name)}" value="${attribute(value)}"/>`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** XML 1.0 can't represent most control characters and lone surrogates, so they are written as text. */
function legal(value: string): string {
  return value
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g, spellOut)
    .replaceAll(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, spellOut);
}

function spellOut(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Escapes character data. `]]>` must not occur in it, so > is escaped, too. */
function text(value: string): string {
  return legal(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#13;');
}

/** Escapes an attribute's value: its line breaks would become spaces. */
function attribute(value: string): string {
  return text(value).replaceAll('"', '&quot;').replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');
}
