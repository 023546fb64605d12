import { closeness } from '../history/verdict.ts';
import { formatLimit, formatPercent, formatValue } from './format.ts';
import type { Ink } from './paint.ts';
import type { BoundReport, ScenarioReport } from './run-report.ts';
import { SHORTEST_NAME, renderTable, tableWidth } from './table.ts';
import type { Cell, Column } from './table.ts';

/** How close each bound came, over all scenarios, the nearest first. */
export function boundsTable(scenarios: readonly ScenarioReport[], paint: (ink: Ink, text: string) => string, width: number): string[] {
  const nearest = new Map<string, BoundReport & { readonly scenario: string; readonly ratio: number }>();
  for (const { id, bounds } of scenarios) {
    for (const report of bounds) {
      const key = JSON.stringify([report.check, report.bound.name]);
      const ratio = closeness(report);
      if (ratio !== undefined && ratio > (nearest.get(key)?.ratio ?? -Infinity)) nearest.set(key, { ...report, scenario: id, ratio });
    }
  }
  if (nearest.size === 0) return [];
  const columns: Column[] = [
    { heading: 'BOUND', align: 'left', shrinkTo: SHORTEST_NAME },
    { heading: 'WORST', align: 'right' },
    { heading: 'LIMIT', align: 'right' },
    { heading: 'OF IT', align: 'right' },
    { heading: 'CHECK', align: 'left' },
    { heading: 'IN', align: 'left' },
  ];
  const rows = [...nearest.values()]
    .sort((a, b) => b.ratio - a.ratio)
    .map(({ bound, worst = 0, ratio, check, scenario, seed }): Cell[] => [
      { text: bound.name },
      { text: formatValue(worst, bound.unit) },
      { text: formatLimit(bound) },
      { text: formatPercent(ratio), paint: (text) => (ratio > 1 ? paint('fail', text) : text) },
      { text: check },
      { text: `${scenario}${seed === undefined ? '' : ` seed ${seed}`}` },
    ]);
  // Where there is little room, where it was seen is what one can do without, and then by whom.
  const kept =
    [0, 1].map((fewer) => columns.length - fewer).find((count) => widthOf(columns.slice(0, count), rows) <= width) ?? columns.length - 2;
  return renderTable(
    columns.slice(0, kept),
    rows.map((row) => row.slice(0, kept)),
    { maxWidth: width, paintHeading: (text) => paint('dim', text) },
  );
}

function widthOf(columns: readonly Column[], rows: readonly (readonly Cell[])[]): number {
  return tableWidth(
    columns,
    rows.map((row) => row.slice(0, columns.length)),
  );
}
