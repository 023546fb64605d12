import { formatCount } from '../format.ts';
import type { RequirementReport, RunReport } from '../run-report.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';
import { VERDICT_MARKS } from '../marks.ts';
import { badge } from './parts.ts';
import { requirementId, scenarioId } from './scenario.ts';

/** The requirements that scenarios of the run test, by area, with their evidence. Those that do not hold are expanded. */
export function renderRequirements({ requirements = [], scenarios }: RunReport): Markup {
  const shown = requirements.filter(isAsked);
  if (shown.length === 0) return html``;
  const sections = new Map(scenarios.map(({ id }, index) => [id, scenarioId(index)]));
  const isOpen = shown.some(({ verdict }) => verdict === 'fail' || verdict === 'unknown');
  const others = requirements.filter((requirement) => !isAsked(requirement));
  return html`<section class="requirements" aria-labelledby="requirements">
    <h2 id="requirements">Requirements</h2>
    <p class="muted">
      Results for every MUST and SHOULD of the specification of a conforming node autoscaler, over the scenarios that test it.
    </p>
    <details class="table-wrap" ${isOpen && html` open`}>
      <summary>${summaryOf(shown)}</summary>
      <table class="data">
        <thead>
          <tr>
            <th scope="col">Id</th>
            <th scope="col">Requirement</th>
            <th scope="col">Verdict</th>
            <th scope="col">Scenarios</th>
          </tr>
        </thead>
        ${areasOf(shown).map(
          ({ area, own }) =>
            html`<tbody>
              <tr class="group">
                <th scope="rowgroup" colspan="4"><span>${area}</span></th>
              </tr>
              ${own.map((requirement) => rowOf(requirement, sections))}
            </tbody>`,
        )}
      </table>
    </details>
    ${others.length > 0 && renderUntested(others)}
  </section>`;
}

/** The requirements that no scenario of the run tests: one line, and the list by area on request. */
function renderUntested(others: readonly RequirementReport[]): Markup {
  return html`<details class="untested">
    <summary>No scenario of this run tests ${formatCount(others.length, 'other requirement')}</summary>
    <dl>
      ${areasOf(others).map(
        ({ area, own }) =>
          html`<div>
            <dt>${area}</dt>
            <dd>${own.map(({ id }) => id).join(', ')}</dd>
          </div>`,
      )}
    </dl>
  </details>`;
}

/** By area, in order. */
function areasOf(requirements: readonly RequirementReport[]): { readonly area: string; readonly own: readonly RequirementReport[] }[] {
  return [...new Set(requirements.map(({ area }) => area))].map((area) => ({ area, own: requirements.filter((one) => one.area === area) }));
}

function isAsked({ scenarios, notRun }: RequirementReport): boolean {
  return scenarios.length + notRun.length > 0;
}

/** How many of each level hold, as badges. */
function summaryOf(requirements: readonly RequirementReport[]): Markup {
  const levels = [...new Set(requirements.map(({ level }) => level))];
  return html`${levels.map((level) => {
    const own = requirements.filter((one) => one.level === level);
    const counts = (['pass', 'fail', 'unknown', 'not-run'] as const)
      .map((verdict) => ({ verdict, count: own.filter((one) => one.verdict === verdict).length }))
      .filter(({ count }) => count > 0);
    return html`<span class="level"
      ><strong>${level}</strong> ${counts.map(({ verdict, count }) => html`${badge(verdict, countOf(verdict, count))} `)}</span
    > `;
  })}`;
}

function countOf(verdict: RequirementReport['verdict'], count: number): string {
  const words = { pass: 'hold', fail: 'broken', unknown: 'unknown', 'not-run': 'not run' } as const;
  return `${count} ${count === 1 && verdict === 'pass' ? 'holds' : words[verdict]}`;
}

function rowOf(
  { id, level, profile, title, verdict, scenarios, notRun, notAskedFor }: RequirementReport,
  sections: ReadonlyMap<string, string>,
): Markup {
  return html`<tr id="${requirementId(id)}" ${verdict === 'not-run' && html` class="not-run"`}>
    <th scope="row">${id}<small>${level}${profile !== 'core' && `, ${profile}`}</small></th>
    <td>${title}</td>
    <td>${badge(verdict)}</td>
    <td>
      <ul>
        ${scenarios.map(
          (one) =>
            html`<li>
              <span class="mark ${one.verdict}">${VERDICT_MARKS[one.verdict]}<span class="visually-hidden"> ${one.verdict}</span></span>
              <a href="#${sections.get(one.id)}">${one.id}</a>
            </li>`,
        )}
        ${notRun.map(
          (one) =>
            html`<li class="not-run">
              <span class="mark">${VERDICT_MARKS['not-run']}</span> ${one.id} <small>not run: ${one.reason}</small>
            </li>`,
        )}
        ${notAskedFor.length > 0 && html`<li><small>not requested: ${notAskedFor.join(', ')}</small></li>`}
      </ul>
    </td>
  </tr>`;
}
