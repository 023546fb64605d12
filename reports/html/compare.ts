import { formatList } from '../../model/format-list.ts';
import type { ComparedCell, ComparedChange, ComparedSection, ComparedUnit, TargetComparison } from '../../history/comparison.ts';
import {
  changeLines,
  comparedText,
  findingsOf,
  formatBounds,
  formatCell,
  tellChange,
  gapsOf,
  isMeasuredAnew,
  leftOutText,
  resultOf,
} from '../comparison.ts';
import type { ChangeResult } from '../comparison.ts';
import { formatPhase } from '../format.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';
import { renderPage } from './page.ts';
import { VERDICT_MARKS } from '../marks.ts';
import { badge, code } from './parts.ts';
import { sideKey, SIDE_STYLE } from './sides.ts';
import { PAGE_STYLE } from './style.ts';
import { CURVES_STYLE, waitCurves, wholeFirst } from './wait-curves.ts';

/** The style of tables of figures: in a narrow window a row is stacked, and each figure names its column. */
export const FIGURES_STYLE = `
.compare td.num small { display: block; white-space: nowrap; } .compare tbody th { min-width: 200px; } .compare td:has(svg) { min-width: 150px; } .compare .change { min-width: 150px; padding-left: 24px; } .compare thead .change { padding-left: 24px; }
.range { display: block; margin: 4px 0 0 auto; width: 100%; max-width: 190px; height: 10px; } .range .line { fill: var(--line); } .range .span { fill: var(--side-soft); } .range .point { fill: var(--side); }
@media (max-width: 560px) {
  .compare.data, .compare tbody { display: block; } .compare thead { display: block; position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); } .compare tr { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 4px 16px; padding: 10px 0; border-top: 1px solid var(--line); } .compare tbody tr:first-child { border-top: 0; }
  .compare tbody th, .compare td, .compare td:has(svg), .compare .change { min-width: 0; padding: 0; border: 0; text-align: left; } .compare th, .compare .change { grid-column: 1 / -1; } .compare .range { margin-left: 0; } .compare td.num small { white-space: normal; } .compare [data-head]::before { content: attr(data-head) " "; color: var(--muted); font-size: 12.5px; margin-right: 6px; }
}
`;

/** The style of a comparison, in addition to that of the report. */
const COMPARE_STYLE = `${PAGE_STYLE}${SIDE_STYLE}${CURVES_STYLE}${FIGURES_STYLE}
.compare .letter { display: inline-block; min-width: 22px; font-weight: 650; }
.sides { list-style: none; margin: 0; padding: 0; display: grid; gap: 6px; } .sides li { overflow-wrap: anywhere; } .sides .letter { font-size: 17px; margin-right: 8px; }
.said { list-style: none; margin: 22px 0 0; padding: 0; display: grid; gap: 8px; } .said li { display: flex; gap: 12px; align-items: baseline; } .said .badge { flex: none; min-width: 86px; justify-content: center; } .said code { white-space: nowrap; }
`;

const VERDICTS = { better: 'pass', worse: 'fail', same: 'not-run', unclear: 'not-run' } as const satisfies Record<ChangeResult, string>;
const WORDS: Readonly<Record<ChangeResult, string>> = { better: 'Better', worse: 'Worse', same: 'Same', unclear: 'Unclear' };

/** compare.html: one self-contained page without scripts. Pure; everything from a run is escaped. */
export function renderComparison(comparison: TargetComparison): string {
  const { sides, sections, broken, differences, leftOut, compared, unserved = [] } = comparison;
  const names = formatList(sides.map(({ target }) => target));
  return renderPage({
    title: `${names}: scaleproof comparison`,
    style: COMPARE_STYLE,
    skip: { to: 'section-provisioning', text: 'Skip to the figures' },
    body: html`<main>
      <header class="top">
        <div class="brand"><span>Scaleproof</span> comparison</div>
        <h1><span>${names}</span></h1>
        <p class="context">
          ${compared.trials === 0 ? 'Nothing was compared: the sides have no trial in common.' : comparedText(comparison)}
        </p>
        <ul class="sides">
          ${sides.map(
            ({ letter, target, world, trials, version, directory }, index) =>
              html`<li>
                <span class="letter">${sideKey(index)}${letter}</span><strong>${target}</strong>
                <span class="muted">in the ${world} world, ${trials} trials, scaleproof ${version}, ${directory}</span>
              </li>`,
          )}
        </ul>
        ${
          compared.trials > 0 &&
          html`<ul class="said">
            ${findingsOf(comparison).map(({ outcome, text }) => html`<li>${badge(VERDICTS[outcome], WORDS[outcome])}<span>${withCode(formatPhase(text))}</span></li>`)}
          </ul>`
        }
      </header>
      ${
        unserved.length > 0 &&
        html`<section class="problems" aria-labelledby="unserved">
          <h2 id="unserved">Workloads that are not shown to be served</h2>
          <ol>
            ${unserved.map((text) => html`<li class="problem unknown"><p>${VERDICT_MARKS.unknown} ${text}</p></li>`)}
          </ol>
        </section>`
      }
      ${
        differences.length > 0 &&
        html`<section class="problems" aria-labelledby="differences">
          <h2 id="differences">Other differences between the runs</h2>
          <ol>
            ${differences.map((text) => html`<li class="problem unknown"><p>${VERDICT_MARKS.unknown} ${text}</p></li>`)}
          </ol>
        </section>`
      }
      ${renderBroken(broken)} ${sections.map((section) => renderSection(section, comparison))}
      ${
        leftOut.length > 0 &&
        html`<section aria-labelledby="left-out">
          <h2 id="left-out">What was not compared</h2>
          <ul>
            ${leftOut.map((one) => html`<li>${leftOutText(one)}</li>`)}
          </ul>
        </section>`
      }
      <p class="foot">
        <span class="muted">As data: <code>compare.json</code> beside this page.</span>
      </p>
    </main>`,
  });
}

/** A sentence of the terminal, in which code is between backticks. */
function withCode(text: string): Markup {
  return html`${text.split('`').map((part, index) => (index % 2 === 0 ? part : code(part)))}`;
}

function renderBroken(broken: TargetComparison['broken']): Markup | undefined {
  if (broken.length === 0) return undefined;
  return html`<section class="problems" aria-labelledby="broken">
    <h2 id="broken">Violations of invariants</h2>
    <ol>
      ${broken.map(
        ({ letter, check, code: name, trials, example }) =>
          html`<li class="problem fail">
            <p class="problem-head">${badge('fail', letter)} ${code(name)} <span class="muted">${example.scenario}</span></p>
            <p>${example.message}</p>
            <p class="muted">
              Check ${check}, in ${trials} ${trials === 1 ? 'trial' : 'trials'}; this is seed ${example.seed}:
              ${code(`scaleproof replay ${example.replay}`)}
            </p>
          </li>`,
      )}
    </ol>
  </section>`;
}

function renderSection(section: ComparedSection, { sides }: TargetComparison): Markup {
  const letters = sides.map(({ letter }) => letter);
  return html`<section aria-labelledby="section-${section.id}">
    <h2 id="section-${section.id}">${section.title}</h2>
    <p class="muted">${section.about}</p>
    ${renderCurves(section, sides)}
    <div class="table-wrap" tabindex="0" role="region" aria-label="Figures: ${section.title}">
      <table class="data compare">
        <thead>
          <tr>
            <th scope="col">Measure</th>
            ${sides.map(({ letter, target }, index) => html`<th scope="col" class="num">${sideKey(index)}${letter}<br /><small>${target}</small></th>`)}
            ${letters.slice(1).map((letter) => html`<th scope="col" class="change">${letter} against ${letters[0]}<br /><small>the figure of ${letter} over that of ${letters[0]}</small></th>`)}
          </tr>
        </thead>
        <tbody>
          ${section.rows.map(
            ({ id, title, unit, cells, changes }, index) =>
              html`<tr id="row-${id}">
                <th scope="row">${formatPhase(title)}</th>
                ${cells.map((cell, side) => renderCell(cell, unit, { max: scaleOf(cells, unit), isNew: isMeasuredAnew(section, index), side, letter: letters[side] }))}
                ${changes.map((change, at) => renderChange(change, `${letters[at + 1]} against ${letters[0]}`))}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${gapsOf(section).map((text) => html`<p class="muted"><small>${formatPhase(text)}.</small></p>`)}
  </section>`;
}

/** The distributions of waits, with how much each other side differs from the first. */
function renderCurves({ curves = [], rows }: ComparedSection, sides: TargetComparison['sides']): Markup | undefined {
  if (curves.length === 0) return undefined;
  const others = sides.slice(1);
  return html`${waitCurves(
      wholeFirst(curves).map((one) => ({
        phase: one.phase,
        curves: one.sides,
        told: [50, 95].flatMap((rank) => {
          const row = rows.find(({ title }) => title === `${one.phase} p${rank}`);
          return others.flatMap(({ letter }, index) => {
            const change = row?.changes[index];
            return change === undefined ? [] : [html`p${rank}: ${tellChange(letter, change)}`];
          });
        }),
      })),
      sides.map(({ letter, target }, index) => ({ name: letter, label: `${letter} ${target}`, index })),
    )}
    <h3>All figures</h3>`;
}

/** What a cell needs to know of its row and column. */
interface CellPlace {
  readonly max: number;
  readonly isNew: boolean;
  readonly side: number;
  readonly letter: string | undefined;
  /** More about the figure. */
  readonly note?: Markup | undefined;
}

/** A figure, its bounds, and how large the sample is. */
export function renderCell(cell: ComparedCell, unit: ComparedUnit, { max, isNew, side, letter, note }: CellPlace): Markup {
  const bounds = formatBounds(cell, unit);
  return html`<td class="num" data-head="${letter}">
    ${formatCell(cell, unit)}${drawRange(cell, max, side)}${bounds !== undefined && html`<small>${bounds}</small>`}${isNew && html`<small>${cell.of}</small>`}${cell.detail !== undefined && html`<small>${cell.detail}</small>`}${note}
  </td>`;
}

/** @param head of its column, which narrow windows show here */
function renderChange(change: ComparedChange, head: string): Markup {
  const result = resultOf(change);
  return html`<td class="change" data-head="${head}">
    ${result === 'unclear' ? html`<span class="muted">unclear</span>` : badge(VERDICTS[result], WORDS[result])}${changeLines(change).map((text) => html`<br /><small>${text}</small>`)}
  </td>`;
}

/** The end of the scale for all figures of a row. */
export function scaleOf(cells: readonly ComparedCell[], unit: ComparedUnit): number {
  return unit === 'ratio' ? 1 : Math.max(...cells.flatMap(({ value = 0, upper = 0 }) => [value, upper]));
}

/** The figure as a point, its bounds as a band. */
function drawRange({ value, lower, upper }: ComparedCell, max: number, side: number): Markup | undefined {
  if (value === undefined || max === 0) return undefined;
  const share = (one: number): number => Math.round(Math.min(1, one / max) * 1_000) / 10;
  const from = share(lower ?? value);
  const to = upper === undefined ? share(value) : share(upper);
  return html`<svg class="range side-${side}" aria-hidden="true">
    <rect class="line" y="4" width="100%" height="2" />
    <rect class="span" x="${from}%" y="2" width="${Math.max(0, Math.round((to - from) * 10) / 10)}%" height="6" />
    <rect class="point" x="${share(value) * 0.98}%" width="2%" height="10" />
  </svg>`;
}
