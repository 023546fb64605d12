import { formatList } from '../../model/format-list.ts';
import { changeLines, formatCell, gapsOf, isMeasuredAnew } from '../comparison.ts';
import { formatCount, formatPercent, formatPhase } from '../format.ts';
import { VERDICT_MARKS } from '../marks.ts';
import { CELL_WORDS, CHANGE_KIND_WORDS, riskText, shareOf, upgradeLines } from '../matrix.ts';
import type {
  CellVerdict,
  MatrixCell,
  MatrixReport,
  MatrixRequirement,
  MatrixScenario,
  MatrixSection,
  MeasurementChange,
  RequirementChange,
  Risk,
  ScenarioChange,
  ScenarioChangeKind,
  Upgrade,
} from '../matrix-report.ts';
import { renderCell, scaleOf } from './compare.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';
import { MATRIX_SCRIPT } from './matrix-script.ts';
import { MATRIX_STYLE } from './matrix-style.ts';
import { renderPage } from './page.ts';
import { badge, code } from './parts.ts';

/** More versions are not named in the heading. */
const MAX_NAMED = 3;

const RISK_VERDICTS = { fail: 'fail', unknown: 'unknown', worse: 'unknown', none: 'pass' } as const satisfies Record<Risk['level'], string>;
const RISK_WORDS: Readonly<Record<Risk['level'], string>> = {
  fail: 'Regression',
  unknown: 'Not sure',
  worse: 'Worse',
  none: 'Nothing worse',
};
const MARKS: Readonly<Record<CellVerdict, string>> = { ...VERDICT_MARKS, missing: '·' };

/** matrix.html: one page, which needs no network. Pure; everything from a run is escaped. */
export function renderMatrix(matrix: MatrixReport): string {
  const { versions, scenarios, seeds, shard, confidence } = matrix;
  const names = namesOf(matrix);
  const [riskiest] = matrix.upgrades;
  const seedText = seeds.count === 1 ? `seed ${seeds.first}` : `seeds ${seeds.first} to ${seeds.first + seeds.count - 1}`;
  return renderPage({
    title: `${names}: scaleproof matrix`,
    style: MATRIX_STYLE,
    script: MATRIX_SCRIPT,
    skip: { to: 'results', text: 'Skip to the results' },
    body: html`<main>
      <header class="top ${riskiest === undefined ? '' : RISK_VERDICTS[riskiest.risk.level]}">
        <div class="brand"><span>Scaleproof</span> matrix</div>
        <h1><span>${names}</span></h1>
        <p class="context">
          ${formatCount(scenarios.length, 'scenario')} with ${seedText} on
          ${formatCount(versions.length, 'version')}${shard !== undefined && `, shard ${shard.number} of ${shard.of}`}, by Scaleproof
          ${matrix.scaleproof}. Each bound has ${formatPercent(confidence)} confidence.
        </p>
        ${riskiest !== undefined && renderRiskiest(riskiest, matrix)}
        <ul class="versions" aria-label="Versions">
          ${versions.map((version) => renderVersion(version))}
        </ul>
      </header>
      ${renderUpgrades(matrix)} ${renderResults(matrix)} ${renderMeasured(matrix)}
      <p class="foot">
        <span class="muted">As data: <code>matrix.json</code> beside this page; for documents: <code>matrix.md</code>.</span>
      </p>
    </main>`,
  });
}

function namesOf({ versions }: MatrixReport): string {
  const names = versions.map(({ target }) => target);
  return names.length <= MAX_NAMED ? formatList(names) : `${names[0] ?? ''} to ${names.at(-1) ?? ''}`;
}

/** The answer to the first question: which upgrade is the riskiest, and why. */
function renderRiskiest(upgrade: Upgrade, { versions }: MatrixReport): Markup {
  const { risk, from, to } = upgrade;
  const pair = html`<strong>${versions[from]?.target} → ${versions[to]?.target}</strong>`;
  if (risk.level === 'none') return html`<p class="riskiest">${badge('pass', 'Nothing got worse')} from any version to the next.</p>`;
  const scenario = upgrade.scenarios.find(({ kind }) => kind !== 'passes');
  const [line] = upgradeLines(upgrade);
  return html`<p class="riskiest">${badge(RISK_VERDICTS[risk.level], 'Riskiest upgrade')} ${pair}: ${riskText(upgrade)}.</p>
    <p class="reason">
      ${scenario === undefined ? formatPhase(line ?? '') : html`${code(scenario.scenario)} ${CHANGE_KIND_WORDS[scenario.kind]}: ${reasonOf(scenario)}`}
      <a href="#${upgradeId(upgrade)}">All that changed</a>
    </p>`;
}

function renderVersion({ target, page, scenarios, broken }: MatrixReport['versions'][number]): Markup {
  const { passed, failed, unknown, notRun, missing } = scenarios;
  const counts: [CellVerdict, number][] = [
    ['pass', passed],
    ['fail', failed],
    ['unknown', unknown],
    ['not-run', notRun],
    ['missing', missing],
  ];
  return html`<li>
    <a href="${page}">${target}</a>
    ${counts.filter(([, count]) => count > 0).map(([verdict, count]) => html`<span>${mark(verdict)} ${count} ${CELL_WORDS[verdict]}</span>`)}
    ${broken.must + broken.should > 0 && html`<span class="muted">broken requirements: ${broken.must} MUST, ${broken.should} SHOULD</span>`}
  </li>`;
}

function mark(verdict: CellVerdict): Markup {
  return html`<span class="mark ${verdict}" aria-hidden="true">${MARKS[verdict]}</span>`;
}

function upgradeId({ to }: Upgrade): string {
  return `upgrade-to-${to + 1}`;
}

function renderUpgrades(matrix: MatrixReport): Markup {
  const { upgrades } = matrix;
  if (upgrades.length === 0) return html``;
  return html`<section aria-labelledby="changes">
    <h2 id="changes">What changed from each version to the next</h2>
    <p class="muted">
      The riskiest upgrade first: by newly broken MUST requirements, then SHOULD requirements, newly failing scenarios, new ways to fail,
      failures without a verdict before, lost verdicts, and measurements whose bounds show that they got worse.
    </p>
    ${upgrades.map((upgrade) => renderUpgrade(upgrade, matrix))}
  </section>`;
}

function renderUpgrade(upgrade: Upgrade, { versions, requirements, scenarios }: MatrixReport): Markup {
  const { from, to, risk } = upgrade;
  const titles = new Map(scenarios.map((scenario) => [scenario.id, scenario]));
  const listed = new Set(requirements.map(({ id }) => id));
  const isWorse = ({ kind }: ScenarioChange): boolean => kind !== 'passes';
  const part = (title: string, items: readonly Markup[]): Markup | undefined =>
    items.length === 0
      ? undefined
      : html`<h4>${title}</h4>
          <ul>
            ${items}
          </ul>`;
  const of = (change: ScenarioChange): Markup => renderScenarioChange(change, titles.get(change.scenario), { from, to, listed, versions });
  return html`<article class="upgrade ${risk.level}" id="${upgradeId(upgrade)}">
    <h3>${badge(RISK_VERDICTS[risk.level], RISK_WORDS[risk.level])} <span>${versions[from]?.target} → ${versions[to]?.target}</span></h3>
    <p>${riskText(upgrade)}.</p>
    ${part('Newly broken requirements', upgrade.requirements.filter(({ kind }) => kind === 'broken').map(renderRequirementChange))}
    ${part('Scenarios', upgrade.scenarios.filter(isWorse).map(of))}
    ${part('Worse measurements', upgrade.measurements.filter(({ change }) => change.outcome === 'worse').map(renderMeasurementChange))}
    ${part('Requirements that hold now', upgrade.requirements.filter(({ kind }) => kind === 'holds').map(renderRequirementChange))}
    ${part('Scenarios that newly pass', upgrade.scenarios.filter((one) => !isWorse(one)).map(of))}
    ${part('Better measurements', upgrade.measurements.filter(({ change }) => change.outcome === 'better').map(renderMeasurementChange))}
  </article>`;
}

function renderRequirementChange({ requirement, level, title, scenarios }: RequirementChange): Markup {
  return html`<li>
    <a href="#${rowId(requirement)}"><strong>${requirement}</strong></a> ${level}: ${title}
    <small>${formatCount(scenarios.length, 'scenario')}: ${scenarios.join(', ')}</small>
  </li>`;
}

const KIND_VERDICTS: Readonly<Record<ScenarioChangeKind, 'fail' | 'pass' | 'unknown'>> = {
  fails: 'fail',
  'new-finding': 'fail',
  'fails-more': 'fail',
  'fails-unseen': 'fail',
  lost: 'unknown',
  passes: 'pass',
};

interface ChangePlace extends Pick<Upgrade, 'from' | 'to'>, Pick<MatrixReport, 'versions'> {
  /** Ids of requirements that have a row. */
  readonly listed: ReadonlySet<string>;
}

function renderScenarioChange(change: ScenarioChange, scenario: MatrixScenario | undefined, place: ChangePlace): Markup {
  const { kind, breaches, findings } = change;
  const { from, to, versions, listed } = place;
  const verdict = KIND_VERDICTS[kind];
  const evidence = [from, to].map((index) => {
    const cell = scenario?.cells[index];
    if (cell === undefined) return undefined;
    const result = [CELL_WORDS[cell.verdict], shareOf(cell).join(' of ')].filter((text) => text !== '').join(', ');
    return html`<a href="${cell.page}">${versions[index]?.target}: ${result}</a>`;
  });
  const [first, ...others] = findings;
  const named = breaches.filter((id) => listed.has(id));
  return html`<li>
    <p>
      <span class="kind ${verdict}"><span aria-hidden="true">${VERDICT_MARKS[verdict]}</span> ${CHANGE_KIND_WORDS[kind]}</span>
      ${code(change.scenario)}
      <span class="muted">${scenario?.title}${scenario !== undefined && scenario.profile !== 'core' && ` (${scenario.profile})`}</span>
    </p>
    <p>${reasonOf(change)}</p>
    ${others.length > 0 && html`<small>Also: ${others.map(({ code: name }) => name).join(', ')}</small>`}
    ${named.length > 0 && html`<small>Breaks ${named.map((id, index) => html`${index > 0 && ', '}<a href="#${rowId(id)}">${id}</a>`)}</small>`}
    <small>Reports: ${evidence[0]}, ${evidence[1]}</small>
    ${first !== undefined && kind !== 'passes' && html`<small>${code(`scaleproof replay ${first.replay}`)}</small>`}
  </li>`;
}

function reasonOf({ kind, findings: [first], why }: ScenarioChange): Markup {
  if (why !== undefined) return html`${why}.`;
  if (first === undefined) return html``;
  return html`${kind === 'passes' && 'Before: '}${code(first.code)}: ${first.message}`;
}

function renderMeasurementChange(one: MeasurementChange): Markup {
  const { title, unit, before, after, change } = one;
  return html`<li>
    <strong>${formatPhase(title)}</strong>: ${formatCell(before, unit)} before, ${formatCell(after, unit)} now
    <span class="kind ${change.outcome === 'worse' ? 'fail' : 'pass'}">${change.outcome}</span> ${changeLines(change).join(', ')}
    <small>${after.of}</small>
  </li>`;
}

function rowId(requirement: string): string {
  return `row-${requirement}`;
}

/** A row of the table: a requirement or a scenario. */
interface Row {
  readonly name: string;
  readonly cells: readonly { readonly verdict: CellVerdict; readonly page: string; readonly note?: string }[];
}

function renderResults(matrix: MatrixReport): Markup {
  const { versions, requirements, scenarios } = matrix;
  const known = new Map(scenarios.map((scenario) => [scenario.id, scenario]));
  const listed = new Set(requirements.map(({ id }) => id));
  const areas = [...new Set(requirements.map(({ area }) => area))];
  const others = scenarios.filter((scenario) => !scenario.requirements.some((id) => listed.has(id)));
  const targets = versions.map(({ target }) => target);
  const isBad = ({ cells }: { readonly cells: readonly { readonly verdict: CellVerdict }[] }): boolean =>
    cells.some(({ verdict }) => verdict === 'fail');
  const changed = [...requirements, ...scenarios].filter(({ cells }) => isChanged(cells)).length;
  const failed = [...requirements, ...scenarios].filter(isBad).length;
  return html`<section aria-labelledby="results">
    <h2 id="results">Requirements and scenarios</h2>
    <p class="muted">
      Each result leads to its evidence in the report of its version. A requirement counts by the scenarios below it, which may test others,
      too.
    </p>
    <div class="filters" role="search" aria-label="Results" hidden>
      <button type="button" data-show="all" aria-pressed="true">All</button>
      <button type="button" data-show="changed" aria-pressed="false" ${changed === 0 && html` disabled`}>Changed</button>
      <button type="button" data-show="failed" aria-pressed="false" ${failed === 0 && html` disabled`}>Failed</button>
      <span role="status"></span>
      <input type="search" placeholder="Search (/)" aria-label="Search requirements and scenarios" aria-keyshortcuts="/" />
    </div>
    <div class="grid-wrap" tabindex="0" role="region" aria-label="Results">
      <table class="data results">
        <thead>
          <tr>
            <th scope="col">Requirement and scenarios</th>
            ${targets.map((target) => html`<th scope="col">${versionName(target)}</th>`)}
          </tr>
        </thead>
        ${areas.map(
          (area) =>
            html`${renderArea(area, targets.length)}${requirements
              .filter((one) => one.area === area)
              .map((requirement) => renderGroup(requirement, known, targets))}`,
        )}
        ${
          others.length > 0 &&
          html`${renderArea('Scenarios without a requirement', targets.length)}${others.map(
            (scenario) =>
              html`<tbody data-group>
                ${renderScenarioRow(scenario, targets)}
              </tbody>`,
          )}`
        }
      </table>
    </div>
  </section>`;
}

/** A name with a possible line break before its version. */
function versionName(target: string): Markup {
  const at = target.indexOf('@');
  return at === -1 ? html`${target}` : html`${target.slice(0, at + 1)}<br /><b>${target.slice(at + 1)}</b>`;
}

function renderArea(area: string, versions: number): Markup {
  return html`<tbody data-area>
    <tr class="group">
      <th scope="rowgroup" colspan="${versions + 1}">${area}</th>
    </tr>
  </tbody>`;
}

function renderGroup(requirement: MatrixRequirement, known: ReadonlyMap<string, MatrixScenario>, targets: readonly string[]): Markup {
  const { id, level, profile, title, cells } = requirement;
  const own = requirement.scenarios.flatMap((scenario) => known.get(scenario) ?? []);
  const isOpen = [requirement, ...own].some((row) => isChanged(row.cells));
  return html`<tbody data-group data-open="${String(isOpen)}">
    <tr class="requirement${classesOf(cells)}" id="${rowId(id)}">
      <th scope="row">
        <b>${id}</b> ${title}
        <small
          >${level}${profile !== 'core' && `, ${profile}`}<button type="button" class="more" aria-expanded="${String(isOpen)}">
            ${formatCount(own.length, 'scenario')}<span class="visually-hidden"> of ${id}</span>
          </button></small
        >
      </th>
      ${renderCells({ name: id, cells }, targets)}
    </tr>
    ${own.map((scenario) => renderScenarioRow(scenario, targets, requirement))}
  </tbody>`;
}

/** @param requirement the one that it stands below; a scenario may fail by another one that it tests */
function renderScenarioRow({ id, title, cells }: MatrixScenario, targets: readonly string[], requirement?: MatrixRequirement): Markup {
  const isElsewhere = (index: number): boolean => requirement?.cells[index]?.breachedBy.includes(id) === false;
  const row: Row = {
    name: id,
    cells: cells.map((cell, index) => ({
      ...cell,
      note: `${noteOf(cell)}${cell.verdict === 'fail' && isElsewhere(index) ? ', not of this requirement' : ''}`,
    })),
  };
  return html`<tr class="sub${classesOf(cells)}">
    <th scope="row">${code(id)}<small>${title}</small></th>
    ${renderCells(row, targets)}
  </tr>`;
}

/** What a cell says besides its verdict: how many of several trials failed or passed, and the first finding's code. */
function noteOf(cell: MatrixCell): string {
  const found = cell.verdict === 'fail' ? cell.findings[0]?.code : undefined;
  return [shareOf(cell).join(' of '), found ?? ''].filter((text) => text !== '').join(' ');
}

function classesOf(cells: Row['cells']): string {
  return `${isChanged(cells) ? ' changed' : ''}${cells.some(({ verdict }) => verdict === 'fail') ? ' failed' : ''}`;
}

/** Whether any two neighbours have different verdicts; what is missing says nothing. */
function isChanged(cells: readonly { readonly verdict: CellVerdict }[]): boolean {
  return cells.some((_, index) => wasOf(cells, index) !== undefined);
}

/** The verdict before, if it was another one. A pass without a verdict before is no news. */
function wasOf(cells: readonly { readonly verdict: CellVerdict }[], index: number): CellVerdict | undefined {
  const [before, now] = [cells[index - 1]?.verdict, cells[index]?.verdict];
  if (before === undefined || before === 'missing' || now === 'missing' || before === now) return undefined;
  return now === 'pass' && before !== 'fail' ? undefined : before;
}

function renderCells({ name, cells }: Row, targets: readonly string[]): Markup[] {
  return cells.map(({ verdict, page, note = '' }, index) => {
    const was = wasOf(cells, index);
    return html`<td data-head="${targets[index]}">
      <a class="${verdict}" href="${page}"
        ><span aria-hidden="true">${MARKS[verdict]}</span> ${CELL_WORDS[verdict]}<span class="visually-hidden">
          in ${name}, ${targets[index]}</span
        ></a
      >${note !== '' && html`<small>${note}</small>`}${was !== undefined && html`<small class="was">was ${CELL_WORDS[was]}</small>`}
    </td>`;
  });
}

function renderMeasured(matrix: MatrixReport): Markup {
  const { measured, versions } = matrix;
  if (measured.trials === 0)
    return html`<section aria-labelledby="measured">
      <h2 id="measured">Measurements</h2>
      <p class="muted">The versions have no trial in common, so nothing is compared.</p>
    </section>`;
  return html`<section class="measured" aria-labelledby="measured">
    <h2 id="measured">Measurements</h2>
    <p class="muted">
      Over the ${formatCount(measured.trials, 'trial')} that all versions have, with their bounds. “Worse” and “better” compare with the
      version before, over all trials that both have, and are only said if the bounds show it.
    </p>
    ${measured.sections.map((section) =>
      renderSection(
        section,
        matrix,
        versions.map(({ target }) => target),
      ),
    )}
  </section>`;
}

function renderSection(section: MatrixSection, { upgrades }: MatrixReport, targets: readonly string[]): Markup {
  const changeOf = (id: string, to: number): MeasurementChange | undefined =>
    upgrades.find((upgrade) => upgrade.to === to)?.measurements.find((one) => one.id === id);
  return html`<h3 id="measured-${section.id}">${section.title}</h3>
    <div class="table-wrap" tabindex="0" role="region" aria-label="${section.title}">
      <table class="data compare">
        <thead>
          <tr>
            <th scope="col">Measure</th>
            ${targets.map((target) => html`<th scope="col" class="num">${versionName(target)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${section.rows.map(({ id, title, unit, cells }, at) => {
            const isNew = isMeasuredAnew(section, at);
            return html`<tr>
              <th scope="row">${formatPhase(title)}</th>
              ${cells.map((cell, side) => renderCell(cell, unit, { max: scaleOf(cells, unit), isNew, side: 0, letter: targets[side], note: noteOn(changeOf(id, side)) }))}
            </tr>`;
          })}
        </tbody>
      </table>
    </div>
    ${gapsOf(section).map((text) => html`<p class="muted"><small>${formatPhase(text)}.</small></p>`)}`;
}

function noteOn(change: MeasurementChange | undefined): Markup | undefined {
  if (change === undefined) return undefined;
  const { outcome } = change.change;
  return html`<small class="${outcome}">${outcome}: ${changeLines(change.change)[0]}</small>`;
}
