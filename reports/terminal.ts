import { createPaint } from './paint.ts';
import type { RunReport } from './run-report.ts';
import { boundsTable, nearestBounds } from './terminal-bounds.ts';
import { gapsInShort, gapsOf, totalsOf } from './terminal-closing.ts';
import { crashPointsOfRun } from './terminal-crash-points.ts';
import { findingsOf, replaysOf } from './terminal-findings.ts';
import { latencyTable } from './terminal-latencies.ts';
import { scenarioTable } from './terminal-scenarios.ts';

/** Where the report is printed. */
interface TerminalOptions {
  /** Whether escape sequences for colours may be used. */
  readonly color: boolean;
  /** Width of the terminal; the report is laid out for 60 to 160. */
  readonly columns: number;
  /** Also print what passed: tables of all scenarios, latencies and bounds, and replay lines. Default: what did not pass, and totals. */
  readonly verbose?: boolean;
}

const MIN_COLUMNS = 60;
const MAX_COLUMNS = 160;

/** The report for a terminal, with the most important parts last: findings with replay lines, totals, verdict. Ends with a line break. */
export function formatRun(report: RunReport, { color, columns, verbose = false }: TerminalOptions): string {
  const paint = createPaint(color);
  const width = Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, columns));
  const { scenarios } = report;
  const isBad = ({ verdict }: { readonly verdict: string }): boolean => verdict !== 'pass';
  const sections = [
    scenarioTable(report, verbose ? scenarios : scenarios.filter(isBad), paint, width),
    ...(verbose ? [latencyTable(scenarios, paint, width), boundsTable(scenarios, paint, width), replaysOf(report, paint)] : []),
    findingsOf(report, paint, width),
    crashPointsOfRun(verbose ? scenarios : scenarios.filter(isBad), paint, width),
    ...(verbose ? [gapsOf(report, paint, width)] : [nearestBounds(scenarios, paint, width), gapsInShort(report, paint, width)]),
    totalsOf(report, paint, width),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}
