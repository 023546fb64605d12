import { buildReport } from '../build-report.ts';
import type { ReportInput } from '../report-input.ts';
import type { RunReport } from '../run-report.ts';
import { renderFinder } from './finder.ts';
import { html } from './markup.ts';
import { renderFacts, renderHeader, renderTable } from './overview.ts';
import { renderPage } from './page.ts';
import { VERDICT_MARKS } from '../marks.ts';
import { renderProblems } from './problems.ts';
import { renderRequirements } from './requirements.ts';
import { renderRunWaits } from './run-waits.ts';
import { renderScenarios } from './scenario.ts';
import { PAGE_SCRIPT } from './script.ts';
import { SIDE_STYLE } from './sides.ts';
import { PAGE_STYLE } from './style.ts';
import { timelineDefinitions } from './timeline/draw.ts';
import { TREND_STYLE, renderTrend } from './trend.ts';
import { CURVES_STYLE } from './wait-curves.ts';

/** The style of a run's page. */
const REPORT_STYLE = `${PAGE_STYLE}${SIDE_STYLE}${CURVES_STYLE}${TREND_STYLE}`;

/**
 * report.html. Pure. Events are read once, only for trials that are drawn; everything from a cluster is escaped.
 * @param report built from the input by default
 */
export function renderHtml(input: ReportInput, report: RunReport = buildReport(input)): string {
  return renderPage({
    title: `${VERDICT_MARKS[report.verdict]} ${report.run.target.name}: scaleproof report`,
    style: REPORT_STYLE,
    script: PAGE_SCRIPT,
    skip: { to: 'scenarios', text: 'Skip to the scenarios' },
    body: html`${timelineDefinitions()} ${renderFinder(report)}
      <main>
        ${renderHeader(report)} ${renderProblems(report)} ${renderTrend(report)} ${renderRunWaits(report)} ${renderTable(report)}
        ${renderRequirements(report)} ${renderScenarios(report, input.trials)} ${renderFacts(report)}
        <p class="foot">
          <span class="muted"
            >As data: <code>report.json</code> beside this page. The histories are there, too: <code>scaleproof check</code> judges them
            again.</span
          >
        </p>
      </main>`,
  });
}
