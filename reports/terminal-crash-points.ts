import { formatCount } from './format.ts';
import { createPaint, printable } from './paint.ts';
import type { Ink } from './paint.ts';
import { CRASH_MOMENTS } from '../history/verdict.ts';
import { countsOf, crashTrialsOf, isUpgraded } from './crash-points.ts';
import type { CrashPointReport, CrashTrialReport, RunReport, ScenarioReport } from './run-report.ts';
import { renderTable, wrap } from './table.ts';
import type { Cell } from './table.ts';

type Paint = (ink: Ink, text: string) => string;

/** Most crash points of one scenario that did not pass and are described in the report of a run; the others are counted. */
const MAX_DESCRIBED = 10;
/** Names of objects may be cut down to this. */
const SHORTEST_OBJECT = 16;

/** The counts of the crash points of each scenario, and those that did not pass. */
export function crashPointsOfRun(scenarios: readonly ScenarioReport[], paint: Paint, width: number): string[] {
  const lines = scenarios.flatMap(({ id, crashPoints }) => {
    if (crashPoints === undefined) return [];
    const bad = crashPoints.points.flatMap((point) => troubleOf(point, paint, width));
    const shown = bad.slice(0, MAX_DESCRIBED).flat();
    const rest = bad.length - MAX_DESCRIBED;
    return [
      ...wrap(`${id}: ${countsOf(crashPoints)}`, width),
      ...shown,
      ...(rest > 0 ? [paint('dim', `  and ${rest} more: in the report`)] : []),
    ];
  });
  return lines.length === 0 ? [] : [paint('dim', 'CRASH POINTS'), ...lines];
}

/** The table of `scaleproof crash-points`: a row for each side effect, then those that did not pass with their replay lines. */
export function formatCrashPoints(report: RunReport, { color, columns }: { readonly color: boolean; readonly columns: number }): string {
  const paint = createPaint(color);
  const sections = report.scenarios.flatMap(({ id, results, crashPoints }) => {
    if (crashPoints === undefined) return [];
    const { points } = crashPoints;
    const uncrashed = results.flatMap(({ verdict, replay }) =>
      verdict === 'pass' ? [] : [paint(verdict, `the trial without a crash: ${verdict}`), replayLine({ replay }, paint)],
    );
    const trouble = points.flatMap((point) => troubleOf(point, paint, columns)).flat();
    return [
      uncrashed,
      points.length === 0 ? [] : tableOf(points, paint, columns),
      trouble,
      wrap(`${id} with ${report.run.target.name}, seed ${report.run.seed}: ${countsOf(crashPoints)}`, columns),
    ].filter((lines) => lines.length > 0);
  });
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function tableOf(points: readonly CrashPointReport[], paint: Paint, width: number): string[] {
  const verdict = (trial: CrashTrialReport | undefined): Cell =>
    trial === undefined ? { text: '-' } : { text: trial.verdict, paint: (text) => paint(trial.verdict, text) };
  const rows = points.map((point): Cell[] => [
    { text: String(point.nth) },
    { text: point.operation },
    { text: printable(point.object ?? '') },
    ...(isUpgraded(points) ? [verdict(point.upgrade)] : [verdict(point.before), verdict(point.after)]),
    { text: crashTrialsOf(point).find(({ code }) => code !== undefined)?.code ?? '' },
  ]);
  const columns = [
    { heading: 'K', align: 'right' },
    { heading: 'OPERATION', align: 'left' },
    { heading: 'OBJECT', align: 'left', shrinkTo: SHORTEST_OBJECT },
    ...(isUpgraded(points) ? ['UPGRADE'] : ['BEFORE', 'AFTER']).map((heading) => ({ heading, align: 'left' }) as const),
    { heading: 'FIRST FINDING', align: 'left' },
  ] as const;
  return renderTable(columns, rows, { maxWidth: width, paintHeading: (text) => paint('dim', text) });
}

/** For each crash or upgrade at a side effect that did not pass: its finding and its replay line. */
function troubleOf(point: CrashPointReport, paint: Paint, width: number): string[][] {
  return CRASH_MOMENTS.flatMap((moment) => {
    const trial = point[moment];
    if (trial === undefined || trial.verdict === 'pass') return [];
    const { verdict, check, code, why = '', findings } = trial;
    const more = findings > 1 ? ` (and ${formatCount(findings - 1, 'more finding')})` : '';
    const place = `${moment === 'upgrade' ? 'upgrade at' : moment} ${point.nth}, ${point.operation}`;
    return [
      [
        `  ${paint(verdict, verdict)} ${place}: ${code ?? check ?? 'unknown'}`,
        ...wrap(`${printable(why)}${more}`, width - 4).map((line) => `    ${line}`),
        replayLine(trial, paint),
      ],
    ];
  });
}

/** Never wrapped or cut: it is there to be copied. */
function replayLine({ replay }: Pick<CrashTrialReport, 'replay'>, paint: Paint): string {
  return `  ${paint('accent', `scaleproof replay ${replay}`)}`;
}
