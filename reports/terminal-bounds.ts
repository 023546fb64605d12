import { closeness } from '../history/verdict.ts';
import { formatLimit, formatPercent, formatValue } from './format.ts';
import type { Ink } from './paint.ts';
import type { BoundReport, ScenarioReport } from './run-report.ts';
import { SHORTEST_NAME, renderTable } from './table.ts';
import type { Cell, Column } from './table.ts';

type Paint = (ink: Ink, text: string) => string;

/** The number of bounds in the short form. */
const NEAREST = 3;

/** How close values came to each bound, over all scenarios, the closest first. */
export function boundsTable(scenarios: readonly ScenarioReport[], paint: Paint, width: number): string[] {
  return tableOf(byCloseness(scenarios), 'BOUND', paint, width);
}

/** The few that came closest to their limits. */
export function nearestBounds(scenarios: readonly ScenarioReport[], paint: Paint, width: number): string[] {
  return tableOf(byCloseness(scenarios).slice(0, NEAREST), 'NEAREST BOUNDS', paint, width);
}

interface SeenBound extends BoundReport {
  readonly scenario: string;
  readonly ratio: number;
}

/** The worst value of each bound of each check, the closest first. */
function byCloseness(scenarios: readonly ScenarioReport[]): SeenBound[] {
  const nearest = new Map<string, SeenBound>();
  for (const { id, bounds } of scenarios) {
    for (const report of bounds) {
      const key = JSON.stringify([report.check, report.bound.name]);
      const ratio = closeness(report);
      if (ratio !== undefined && ratio > (nearest.get(key)?.ratio ?? -Infinity)) nearest.set(key, { ...report, scenario: id, ratio });
    }
  }
  return [...nearest.values()].sort((a, b) => b.ratio - a.ratio);
}

function tableOf(bounds: readonly SeenBound[], heading: string, paint: Paint, width: number): string[] {
  if (bounds.length === 0) return [];
  const columns: Column[] = [
    { heading, align: 'left', shrinkTo: Math.max(SHORTEST_NAME, heading.length) },
    { heading: 'WORST', align: 'right' },
    { heading: 'LIMIT', align: 'right' },
    { heading: 'OF LIMIT', align: 'right' },
    // With little room, the scenario is left out first, then the check.
    { heading: 'CHECK', align: 'left', leaveOut: 1 },
    { heading: 'IN', align: 'left', leaveOut: 2 },
  ];
  const rows = bounds.map(({ bound, worst = 0, ratio, check, scenario, seed }): Cell[] => [
    { text: bound.name },
    { text: formatValue(worst, bound.unit) },
    { text: formatLimit(bound) },
    { text: formatPercent(ratio), paint: (text) => (ratio > 1 ? paint('fail', text) : text) },
    { text: check },
    { text: `${scenario}${seed === undefined ? '' : ` seed ${seed}`}` },
  ]);
  return renderTable(columns, rows, { maxWidth: width, paintHeading: (text) => paint('dim', text) });
}
