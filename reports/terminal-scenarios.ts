import { formatPercent } from './format.ts';
import { VERDICT_MARKS } from './marks.ts';
import type { Ink } from './paint.ts';
import { PROFILE_WORDS, byProfile } from './profiles.ts';
import type { RunReport, ScenarioReport } from './run-report.ts';
import { SHORTEST_NAME, renderTable, tableWidth, wrap } from './table.ts';
import type { Cell, Column } from './table.ts';

type Paint = (ink: Ink, text: string) => string;

/** One table, so that its columns are aligned, with a heading before the scenarios of each profile. */
export function scenarioTable(report: RunReport, scenarios: readonly ScenarioReport[], paint: Paint, width: number): string[] {
  const { run } = report;
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
  // Replay lines have the seeds, too.
  const { columns, rows } = !isNarrow ? wide : doesFit(lay(true)) ? lay(true) : lay(true, 1);
  const [head = '', ...cells] = renderTable(columns, rows, { maxWidth: width, paintHeading: (text) => paint('dim', text) });
  const groups = byProfile(
    report,
    scenarios.map(({ profile, verdict }, index) => ({ profile, verdict, line: cells[index] ?? '' })),
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
  return isNarrow ? [...lines, paint('dim', 'instances: launched/ended/live/leaked')] : lines;
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
        right('LAUNCHED', (scenario) => ({ text: String(scenario.instances.created) })),
        right('ENDED', (scenario) => ({ text: String(scenario.instances.terminated) })),
        right('LIVE', (scenario) => ({ text: String(scenario.instances.live) })),
        right('LEAKED', ({ instances: { leaked } }) => alarm(String(leaked), leaked > 0, paint)),
      ];
  return [
    { column: { heading: 'SCENARIO', align: 'left', shrinkTo: SHORTEST_NAME }, cell: ({ id }) => ({ text: id }) },
    {
      column: { heading: 'VERDICT', align: 'left' },
      cell: ({ verdict }) => ({ text: `${VERDICT_MARKS[verdict]} ${verdict}`, paint: (text) => paint(verdict, text) }),
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
