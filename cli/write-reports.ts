import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { buildReport } from '../reports/build-report.ts';
import { renderHtml } from '../reports/html/render-html.ts';
import { formatJunit } from '../reports/junit.ts';
import type { ReportInput } from '../reports/report-input.ts';
import { formatReport } from '../reports/run-report.ts';
import type { RunReport } from '../reports/run-report.ts';
import { trendOf } from '../reports/trend.ts';
import type { TrendSource } from '../reports/trend.ts';
import { wrap } from '../reports/table.ts';
import { formatRun } from '../reports/terminal.ts';
import type { Console } from './console.ts';

/**
 * Writes every report of a run into its directory. Returns the report.
 * @param earlier runs for a trend; none by default
 */
export function writeReports(directory: string, input: ReportInput, earlier: readonly TrendSource[] = []): RunReport {
  const built = buildReport(input);
  const report = earlier.length === 0 ? built : { ...built, trend: trendOf(built, earlier) };
  writeFileSync(join(directory, 'report.json'), formatReport(report));
  writeFileSync(join(directory, 'junit.xml'), formatJunit(report));
  writeFileSync(join(directory, 'report.html'), renderHtml(input, report));
  return report;
}

/** Prints the results of a run, and where the full report is. */
export function printRun(report: RunReport, directory: string, console: Console): void {
  console.out(formatRun(report, console));
  printReportPath(directory, console);
  const more = 'It has every scenario, latency and bound; report.json also has replay lines. To print them all, use --verbose.';
  if (console.verbose !== true) console.out(`${wrap(more, console.columns).join('\n')}\n`);
}

/** Prints the path of the report. */
export function printReportPath(directory: string, console: Console): void {
  console.out(`\nReport: ${relative('.', join(directory, 'report.html')) || directory}\n`);
}
