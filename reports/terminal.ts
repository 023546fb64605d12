import type { Verdict } from '../history/verdict.ts';
import { timeName } from './clock.ts';
import { formatEvidence } from './describe-event.ts';
import { formatCount, formatDuration, formatPercent, formatRatio } from './format.ts';
import { createPaint, printable } from './paint.ts';
import type { Ink } from './paint.ts';
import { PROFILE_WORDS, byProfile, profileCounts } from './profiles.ts';
import { sourceOf } from './program.ts';
import type { RunReport, ScenarioReport, TrialReport } from './run-report.ts';
import { SHORTEST_NAME, renderTable, tableWidth, wrap } from './table.ts';
import type { Cell, Column } from './table.ts';
import { crashPointsOfRun } from './terminal-crash-points.ts';
import { boundsTable } from './terminal-bounds.ts';
import { latencyTable } from './terminal-latencies.ts';

/** Where the report is printed. */
interface TerminalOptions {
  /** Whether escape sequences for colours may be used. */
  readonly color: boolean;
  /** Width of the terminal; the report is laid out for 60 to 160. */
  readonly columns: number;
}

const MIN_COLUMNS = 60;
const MAX_COLUMNS = 160;
/** Findings of one trial that are spelled out, of those with the same code. */
const MAX_ALIKE = 2;
/** Events that are printed with a finding: its last ones, which mostly tell. */
const MAX_EVENTS = 6;

const MARKS: Readonly<Record<Verdict, string>> = { pass: '✓', fail: '✗', unknown: '?' };

type Paint = (ink: Ink, text: string) => string;

/** What a person reads after a run: tables, findings with their replay lines, totals, verdict. Ends with a line break. */
export function formatRun(report: RunReport, options: TerminalOptions): string {
  const paint = createPaint(options.color);
  const width = Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, options.columns));
  const sections = [
    scenarioTable(report, paint, width),
    latencyTable(report.scenarios, paint, width),
    boundsTable(report.scenarios, paint, width),
    replaysOf(report, paint),
    findingsOf(report, paint, width),
    crashPointsOfRun(report, paint, width),
    vacuousFaults(report, paint, width),
    notRunOf(report, paint, width),
    totalsOf(report, paint, width),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** One table, so that its columns are aligned, with a heading before the scenarios of each profile. */
function scenarioTable(report: RunReport, paint: Paint, width: number): string[] {
  const { scenarios, run } = report;
  if (scenarios.length === 0) return [];
  const lay = (isNarrow: boolean, without = 0): { columns: Column[]; rows: Cell[][] } => {
    const all = scenarioColumns(run, paint, isNarrow);
    const parts = all.slice(0, all.length - without);
    return { columns: parts.map(({ column }) => column), rows: scenarios.map((scenario) => parts.map(({ cell }) => cell(scenario))) };
  };
  const longest = Math.max(...scenarios.map(({ id }) => id.length));
  const doesFit = ({ columns, rows }: ReturnType<typeof lay>): boolean =>
    tableWidth(columns, rows) - Math.max(0, longest - SHORTEST_NAME) <= width;
  const wide = lay(false);
  const isNarrow = !doesFit(wide);
  // Seeds stand in the replay lines too.
  const { columns, rows } = !isNarrow ? wide : doesFit(lay(true)) ? lay(true) : lay(true, 1);
  const [head = '', ...cells] = renderTable(columns, rows, { maxWidth: width, paintHeading: (text) => paint('dim', text) });
  const groups = byProfile(
    report,
    scenarios.map(({ profile }, index) => ({ profile, line: cells[index] ?? '' })),
  ).filter(({ parts }) => parts.length > 0);
  const lines = [
    head,
    ...groups.flatMap(({ profile: { name }, parts }) => [
      '',
      ...wrap(`${name}: ${PROFILE_WORDS[name]}`, width).map((line, index) =>
        index === 0 ? `${paint('bold', name)}${paint('dim', line.slice(name.length))}` : paint('dim', line),
      ),
      ...parts.map(({ line }) => line),
    ]),
  ];
  return isNarrow ? [...lines, paint('dim', 'instances: made/ended/live/leaked')] : lines;
}

interface ScenarioColumn {
  readonly column: Column;
  readonly cell: (scenario: ScenarioReport) => Cell;
}

function scenarioColumns(run: RunReport['run'], paint: Paint, isNarrow: boolean): ScenarioColumn[] {
  const seeds = run.trials > 1 ? `${run.seed}-${run.seed + run.trials - 1}` : String(run.seed);
  const right = (heading: string, cell: (scenario: ScenarioReport) => Cell): ScenarioColumn => ({
    column: { heading, align: 'right' },
    cell,
  });
  const instances: ScenarioColumn[] = isNarrow
    ? [
        right('INSTANCES', ({ instances: { created, terminated, live, leaked } }) =>
          alarm([created, terminated, live, leaked].join('/'), leaked > 0, paint),
        ),
      ]
    : [
        right('MADE', (scenario) => ({ text: String(scenario.instances.created) })),
        right('ENDED', (scenario) => ({ text: String(scenario.instances.terminated) })),
        right('LIVE', (scenario) => ({ text: String(scenario.instances.live) })),
        right('LEAKED', ({ instances: { leaked } }) => alarm(String(leaked), leaked > 0, paint)),
      ];
  return [
    { column: { heading: 'SCENARIO', align: 'left', shrinkTo: SHORTEST_NAME }, cell: ({ id }) => ({ text: id }) },
    {
      column: { heading: 'VERDICT', align: 'left' },
      cell: ({ verdict }) => ({ text: `${MARKS[verdict]} ${verdict}`, paint: (text) => paint(verdict, text) }),
    },
    ...(run.trials > 1
      ? [
          right('PASSED', ({ trials, trials: { passed, failed, unknown, notBegun } }) => ({
            text: `${trials.passed}/${passed + failed + unknown + notBegun}`,
          })),
        ]
      : []),
    right('SERVED', ({ success }) => servedCell(success, paint, isNarrow)),
    ...instances,
    right('FAULTS', ({ faults }) => ({ text: faults.armed === 0 ? '-' : `${faults.fired}/${faults.armed}` })),
    right(run.trials > 1 ? 'SEEDS' : 'SEED', () => ({ text: seeds })),
  ];
}

function alarm(text: string, isBad: boolean, paint: Paint): Cell {
  return isBad ? { text, paint: (plain) => paint('fail', plain) } : { text };
}

function servedCell({ served, asked }: ScenarioReport['success'], paint: Paint, isNarrow: boolean): Cell {
  if (asked === 0) return { text: '-' };
  return alarm(`${served}/${asked}${isNarrow ? '' : ` ${formatPercent(served / asked)}`}`, served < asked, paint);
}

/** The first trial of each scenario that passed; the others' lines stand beside their findings. */
function replaysOf({ scenarios }: RunReport, paint: Paint): string[] {
  const lines = scenarios
    .filter(({ verdict }) => verdict === 'pass')
    .flatMap(({ results }) => results.slice(0, 1).map((trial) => replayLine(trial, paint)));
  return lines.length === 0 ? [] : [paint('dim', 'REPLAY'), ...lines];
}

/** Every trial that did not pass with its replay line; findings that a scenario's earlier trial had too are only counted. */
function findingsOf({ scenarios }: RunReport, paint: Paint, width: number): string[] {
  const blocks = scenarios.flatMap((scenario) => {
    const told = new Set<string>();
    return scenario.results
      .filter(({ verdict }) => verdict !== 'pass')
      .map((trial) => {
        const story = storyOf(trial);
        const isTold = told.has(story);
        told.add(story);
        return isTold ? alikeTrial(scenario, trial, { story, paint, width }) : trialFindings(scenario, trial, paint, width);
      });
  });
  return blocks.flatMap((lines, index) => (index > 0 ? ['', ...lines] : lines));
}

/** Which findings a trial has and which checks could not judge it: equal for trials that failed alike. */
function storyOf({ checks }: TrialReport): string {
  const codes = checks.flatMap(({ findings }) => findings.map(({ code }) => code));
  const unknown = checks.filter(({ verdict }) => verdict === 'unknown').map(({ check }) => `unknown: ${check}`);
  return [...new Set([...codes, ...unknown])].join(', ');
}

function alikeTrial(
  scenario: ScenarioReport,
  trial: TrialReport,
  { story, paint, width }: { readonly story: string; readonly paint: Paint; readonly width: number },
): string[] {
  return [heading(scenario, trial, paint), ...indent(wrap(`as above: ${story}`, width - 2), 2), replayLine(trial, paint)];
}

function heading({ id }: ScenarioReport, { verdict, seed }: TrialReport, paint: Paint): string {
  return `${paint(verdict, `${MARKS[verdict]} ${verdict.toUpperCase()}`)} ${paint('bold', id)} seed ${seed}`;
}

/** Never wrapped or cut: it is there to be copied. */
function replayLine({ replay }: TrialReport, paint: Paint): string {
  return `  ${paint('accent', `scaleproof replay ${replay}`)}`;
}

function trialFindings(scenario: ScenarioReport, trial: TrialReport, paint: Paint, width: number): string[] {
  const { verdict } = trial;
  const lines = [heading(scenario, trial, paint)];
  const shown = new Map<string, number>();
  for (const check of trial.checks) {
    for (const finding of check.findings) {
      const alike = (shown.get(finding.code) ?? 0) + 1;
      shown.set(finding.code, alike);
      if (alike > MAX_ALIKE) continue;
      const found = `${check.check}, ${printable(finding.object)}`;
      const isShort = finding.code.length + found.length + 3 <= width;
      lines.push(`  ${paint(verdict, finding.code)}${isShort ? ` ${paint('dim', found)}` : ''}`);
      if (!isShort) lines.push(...indent(wrap(found, width - 4), 4).map((line) => paint('dim', line)));
      lines.push(...indent(wrap(printable(finding.message), width - 4), 4));
      if (alike === 1)
        lines.push(
          ...finding.evidence.slice(-MAX_EVENTS).map((event) => paint('dim', `      ${clip(printable(formatEvidence(event)), width - 6)}`)),
        );
    }
    if (check.verdict === 'unknown') lines.push(...indent(wrap(`unknown: ${check.check}: ${printable(check.summary)}`, width - 2), 2));
  }
  for (const [code, count] of shown) {
    if (count > MAX_ALIKE) lines.push(`  ${paint('dim', `and ${formatCount(count - MAX_ALIKE, 'more finding')} of ${code}`)}`);
  }
  if (trial.truncated) lines.push('  the history broke off: the process of the trial was killed');
  return [...lines, replayLine(trial, paint)];
}

function vacuousFaults({ scenarios }: RunReport, paint: Paint, width: number): string[] {
  const lines = scenarios.flatMap(({ id, faults }) =>
    faults.injections
      .filter(({ vacuous }) => vacuous)
      .flatMap(({ fault, description }) => wrap(`vacuous: ${fault} in ${id} never fired (${printable(description)})`, width)),
  );
  return lines.map((line) => paint('dim', line));
}

function notRunOf({ notRun }: RunReport, paint: Paint, width: number): string[] {
  const reasons = new Map<string, number>();
  for (const { scenario, reason } of notRun) {
    const key = `not run: ${scenario}: ${reason}`;
    reasons.set(key, (reasons.get(key) ?? 0) + 1);
  }
  return [...reasons].flatMap(([line, count]) =>
    wrap(printable(count > 1 ? `${line} (${count} seeds)` : line), width).map((part) => paint('dim', part)),
  );
}

function totalsOf({ run, totals, profiles, verdict }: RunReport, paint: Paint, width: number): string[] {
  const { scenarios, trials, instances } = totals;
  const notBegun = trials.notBegun > 0 ? [`${trials.notBegun} not begun`] : [];
  const counts = [
    `${scenarios.passed} passed`,
    `${scenarios.failed} failed`,
    `${scenarios.unknown} unknown`,
    `${scenarios.notRun} not run`,
    ...notBegun,
  ];
  const all = trials.passed + trials.failed + trials.unknown;
  const time = [
    `${formatDuration(run.virtualMs)} of ${timeName(run)}`,
    ...(run.wallMs === undefined ? [] : [`in ${formatDuration(run.wallMs)}`]),
    ...(run.ratio === undefined ? [] : [`(${formatRatio(run.ratio)})`]),
  ].join(' ');
  const facts = [
    `${run.target.name} in ${run.world.name}: ${counts.join(', ')}; ${formatCount(all, 'trial')}, ${formatCount(totals.interleavings, 'distinct interleaving')}`,
    `${totals.success.served} of ${totals.success.asked} pods served; ${instances.leaked} of ${formatCount(instances.created, 'instance')} leaked; ${totals.faults.fired} of ${formatCount(totals.faults.armed, 'fault')} fired`,
    ...crashTotals(totals.crashPoints),
    time,
    ...profiles.map((profile) => `${profile.name}: ${profile.result}, ${profileCounts(profile)}`),
    ...programLine(run.target.program),
    ...(run.world.unseen ?? []),
  ];
  return [...facts.flatMap((fact) => wrap(fact, width)), paint('bold', paint(verdict, `${MARKS[verdict]} ${verdict.toUpperCase()}`))];
}

function programLine(program: RunReport['run']['target']['program']): string[] {
  if (program === undefined) return [];
  return [printable(`${program.name} ${program.version} was built from ${sourceOf(program)} with ${program.goVersion}`)];
}

function crashTotals(crashed: RunReport['totals']['crashPoints']): string[] {
  if (crashed === undefined) return [];
  const { passed, failed, unknown } = crashed;
  const all = passed + failed + unknown;
  if (all === 0) return [];
  return [`killed at ${formatCount(all, 'crash point')}: ${passed} passed, ${failed} failed, ${unknown} unknown`];
}

function indent(lines: readonly string[], by: number): string[] {
  return lines.map((line) => ' '.repeat(by) + line);
}

function clip(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}
