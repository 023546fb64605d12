import { createHash } from 'node:crypto';
import { buildReport } from '../build-report.ts';
import type { ReportInput } from '../report-input.ts';
import type { RunReport } from '../run-report.ts';
import { html, trusted } from './markup.ts';
import { renderFacts, renderHeader, renderProblems, renderTable } from './overview.ts';
import { VERDICT_MARKS } from './parts.ts';
import { renderRequirements } from './requirements.ts';
import { renderScenarios } from './scenario.ts';
import { PAGE_SCRIPT } from './script.ts';
import { PAGE_STYLE } from './style.ts';
import { timelineDefinitions } from './timeline/draw.ts';

/**
 * report.html: one page that needs nothing else, not even a network. Pure. Of the trials that are drawn the events are
 * read once; whatever comes from a cluster is escaped, and the page's policy runs no script but its own.
 * @param report if it has been built already
 */
export function renderHtml(input: ReportInput, report: RunReport = buildReport(input)): string {
  const policy = `default-src 'none'; script-src '${digest(PAGE_SCRIPT)}'; style-src '${digest(PAGE_STYLE)}'; img-src data:; base-uri 'none'; form-action 'none'`;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${VERDICT_MARKS[report.verdict]} ${report.run.target.name}: scaleproof report</title>
        <link rel="icon" href="data:," />
        ${trusted(`<style>${PAGE_STYLE}</style>`)}
      </head>
      <body>
        <a class="skip" href="#scenarios">Skip to the scenarios</a>
        ${timelineDefinitions()}
        <main>
          ${renderHeader(report)} ${renderProblems(report)} ${renderTable(report)} ${renderRequirements(report)}
          ${renderScenarios(report, input.trials)} ${renderFacts(report)}
          <p class="foot">
            <span class="muted"
              >As data: <code>report.json</code> beside this page. The histories are there too: <code>scaleproof check</code> judges them
              again.</span
            >
          </p>
        </main>
        ${trusted(`<script>${PAGE_SCRIPT}</script>`)}
      </body>
    </html> `;
  return page.text;
}

function digest(content: string): string {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`;
}
