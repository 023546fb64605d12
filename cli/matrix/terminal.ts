import { VERDICT_MARKS } from '../../reports/marks.ts';
import { riskText, upgradeLines, versionText } from '../../reports/matrix.ts';
import type { CellVerdict, MatrixReport } from '../../reports/matrix-report.ts';
import { createPaint, printable } from '../../reports/paint.ts';
import type { Ink } from '../../reports/paint.ts';
import { renderTable, wrap } from '../../reports/table.ts';
import type { Console } from '../console.ts';

/** Most lines of one upgrade; the page has all of them. */
const MAX_LINES = 6;

const INKS: Readonly<Partial<Record<CellVerdict, Ink>>> = { fail: 'fail', pass: 'pass', unknown: 'unknown' };

/** A matrix for the terminal: what changed, the riskiest upgrade first, and then all versions. */
export function formatMatrixSummary(matrix: MatrixReport, { columns, color }: Pick<Console, 'columns' | 'color'>): string {
  const paint = createPaint(color);
  const { upgrades, versions } = matrix;
  const fold = (text: string, indent: string): string[] =>
    wrap(printable(text), columns - indent.length).map((line, index) => `${index === 0 ? indent : ' '.repeat(indent.length)}${line}`);
  const lines = upgrades.flatMap((upgrade, index) => {
    const [from, to] = [versions[upgrade.from]?.target ?? '', versions[upgrade.to]?.target ?? ''];
    const told = upgradeLines(upgrade);
    const more = told.length > MAX_LINES ? [`  and ${told.length - MAX_LINES} more on the page`] : [];
    const ink = upgrade.risk.level === 'fail' ? 'fail' : upgrade.risk.level === 'none' ? 'pass' : 'unknown';
    return [
      ...(index === 0 ? [] : ['']),
      paint('bold', printable(`${from} -> ${to}`)),
      ...fold(riskText(upgrade), '  ').map((line) => paint(ink, line)),
      ...told.slice(0, MAX_LINES).flatMap((line) => fold(line, '  - ')),
      ...more,
    ];
  });
  const table = renderTable(
    [
      { heading: 'VERSION', align: 'left', shrinkTo: 12 },
      ...['PASS', 'FAIL', 'UNKNOWN', 'NOT RUN', 'MISSING'].map((heading) => ({ heading, align: 'right' as const })),
      { heading: 'BROKEN REQUIREMENTS', align: 'left' },
    ],
    versions.map((version) => {
      const { passed, failed, unknown, notRun, missing } = version.scenarios;
      const counted = (verdict: CellVerdict, count: number): { text: string; paint?: (text: string) => string } => {
        const ink = INKS[verdict];
        return count === 0 || ink === undefined ? { text: String(count) } : { text: String(count), paint: (text) => paint(ink, text) };
      };
      return [
        { text: printable(version.target) },
        counted('pass', passed),
        counted('fail', failed),
        counted('unknown', unknown),
        counted('not-run', notRun),
        counted('missing', missing),
        { text: versionText(version) },
      ];
    }),
    { maxWidth: columns, paintHeading: (text) => paint('dim', text) },
  );
  const open = versions.some(({ scenarios }) => scenarios.missing > 0)
    ? ['', `${VERDICT_MARKS.unknown} Some cells are missing: they were not run yet.`]
    : [];
  return `${[...lines, ...(lines.length === 0 ? [] : ['']), ...table, ...open].join('\n')}\n`;
}
