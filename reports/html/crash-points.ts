import { countsOf, crashTrialsOf, isUpgraded } from '../crash-points.ts';
import type { CrashPointReport, CrashPointsReport, CrashTrialReport } from '../run-report.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';
import { badge, code, replayLine } from './parts.ts';

/** Crash points of a scenario as a table, with a row for each side effect. Those that did not pass have their findings and replay lines. */
export function renderCrashPoints(crashPoints: CrashPointsReport, id: string): Markup {
  const { points, failed, unknown } = crashPoints;
  const isUpgrade = isUpgraded(points);
  const heading = html`<h4 id="${id}">${isUpgrade ? 'Upgraded' : 'Killed'} at each side effect</h4>
    <p>${countsOf(crashPoints)}.</p>`;
  if (points.length === 0) return heading;
  return html`${heading}
    <details ${failed + unknown > 0 && html` open`}>
      <summary>All side effects, in the order in which they took effect</summary>
      <div class="table-wrap">
        <table class="data">
          <thead>
            <tr>
              <th scope="col" class="num">No.</th>
              <th scope="col">Operation</th>
              <th scope="col">Object</th>
              ${(isUpgrade ? ['Upgraded'] : ['Killed before', 'Killed after']).map((title) => html`<th scope="col">${title}</th>`)}
              <th scope="col">First finding</th>
            </tr>
          </thead>
          <tbody>
            ${points.map((point) => renderPoint(point, isUpgrade))}
          </tbody>
        </table>
      </div>
    </details>`;
}

function renderPoint(point: CrashPointReport, isUpgrade: boolean): Markup {
  const { nth, operation, object = '', before, after, upgrade } = point;
  const bad = crashTrialsOf(point).filter(({ verdict }) => verdict !== 'pass');
  return html`<tr>
    <td class="num">${nth}</td>
    <th scope="row">${code(operation)}</th>
    <td>${object}</td>
    ${(isUpgrade ? [upgrade] : [before, after]).map((trial) => html`<td>${verdictOf(trial)}</td>`)}
    <td>
      ${bad.map(({ code: found, check = 'unknown', why = '', replay }) => html`<div>${code(found ?? check)} ${why} ${replayLine(replay)}</div>`)}
    </td>
  </tr>`;
}

function verdictOf(trial: CrashTrialReport | undefined): Markup | string {
  return trial === undefined ? '–' : badge(trial.verdict);
}
