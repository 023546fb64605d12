import type { Growth } from '../../history/growth.ts';
import { timeName } from '../clock.ts';
import { formatCount, formatDuration, formatMiB } from '../format.ts';
import { PROFILE_WORDS, byProfile } from '../profiles.ts';
import type { ReportTrial } from '../report-input.ts';
import type { RunReport, ScenarioReport, TrialReport } from '../run-report.ts';
import { renderCrashPoints } from './crash-points.ts';
import { findableBy } from './finder.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';
import { packed } from './packed.ts';
import { badge, boundsTable, code, latencyTable, servedText } from './parts.ts';
import { renderPicture, representative } from './picture.ts';
import { renderTrial, renderTrialInBrief } from './trial.ts';
import type { TrialPlace } from './trial.ts';
import { Budget, EVENT_BUDGET } from './budget.ts';
import { latencyChart, waitBounds } from './latency-chart.ts';
import { latencyPoints } from './latency-points.ts';
import type { TrialWaits } from './latency-points.ts';

/** Most trials of a scenario that did not pass and are shown in full; in addition, one that passed. */
export const MAX_TRIALS_SHOWN = EVENT_BUDGET.trialsFailed;

/** The id of a scenario's section. */
export function scenarioId(index: number): string {
  return `scenario-${index + 1}`;
}

/** The id of a requirement's row, if it has one. */
export function requirementId(id: string): string {
  return `requirement-${id}`;
}

/** The id of the heading of a scenario's crash points. */
export function crashPointsId(index: number): string {
  return `${scenarioId(index)}-crash-points`;
}

/** The id of a trial's section, if the trial is shown. */
export function trialId(index: number, seed: number): string {
  return `${scenarioId(index)}-seed-${seed}`;
}

/** The trials that are shown in full, in the order of seeds. */
export function shownTrials({ results }: ScenarioReport): TrialReport[] {
  const bad = results.filter(({ verdict }) => verdict !== 'pass').slice(0, MAX_TRIALS_SHOWN);
  return [...bad, ...results.filter(({ verdict }) => verdict === 'pass').slice(0, 1)];
}

/** The scenarios, under a heading for each profile, failures first. */
export function renderScenarios(report: RunReport, trials: readonly ReportTrial[]): Markup {
  const listed = new Set((report.requirements ?? []).map(({ id }) => id));
  const passing = report.scenarios.filter(({ verdict }) => verdict === 'pass').length;
  const sources = sourcesOf(trials);
  const pictures = report.scenarios.map((scenario) => pictureOf(scenario, sources));
  const budget = new Budget(passing);
  for (const picture of pictures) budget.spend(picture.text.length, 'passed');
  const context = { sources, time: timeName(report.run), listed, budget };
  const render = (isPass: boolean): (Markup | undefined)[] =>
    report.scenarios.map((scenario, index) =>
      (scenario.verdict === 'pass') === isPass ? renderScenario(scenario, index, pictures[index], context) : undefined,
    );
  // Scenarios that did not pass get the budget first, wherever they are on the page.
  const failed = render(false);
  const passed = render(true);
  const sections = byProfile(
    report,
    report.scenarios.map(({ profile, verdict }, index) => ({ profile, verdict, section: failed[index] ?? passed[index] })),
  ).filter(({ parts }) => parts.length > 0);
  return html`${sections.map(
    ({ profile: { name }, parts }) =>
      html`<section class="profile" aria-labelledby="profile-${name}">
        <h2 id="profile-${name}">${name}</h2>
        <p>${PROFILE_WORDS[name]}</p>
        ${parts.map(({ section }) => section)}
      </section>`,
  )}`;
}

/** The trials of each scenario by seed, without those of crash points. */
type Sources = ReadonlyMap<string, ReadonlyMap<number, ReportTrial>>;

function sourcesOf(trials: readonly ReportTrial[]): Sources {
  const sources = new Map<string, Map<number, ReportTrial>>();
  for (const trial of trials) {
    const { scenario, seed, crash } = trial.result;
    if (crash !== undefined) continue;
    sources.set(scenario, (sources.get(scenario) ?? new Map<number, ReportTrial>()).set(seed, trial));
  }
  return sources;
}

/** Empty if the scenario has no trial. */
function pictureOf(scenario: ScenarioReport, sources: Sources): Markup {
  const trial = representative(scenario);
  const source = trial === undefined ? undefined : sources.get(scenario.id)?.get(trial.seed);
  return trial === undefined || source === undefined ? html`` : renderPicture(trial, source.seen);
}

/** The context for rendering scenarios and trials. */
interface Context {
  readonly sources: Sources;
  readonly time: string;
  /** Ids of requirements that have a row. */
  readonly listed: ReadonlySet<string>;
  readonly budget: Budget;
}

/** A scenario: a picture of one trial, its numbers over all trials, then the trials. If it did not pass, it is expanded, else packed. */
function renderScenario(scenario: ScenarioReport, index: number, picture: Markup | undefined, context: Context): Markup {
  const { id, title, verdict } = scenario;
  const render: Render = (show) => renderBody(scenario, index, context, show);
  return html`<details
    class="scenario"
    id="${scenarioId(index)}"
    data-verdict="${verdict}"
    data-find="${findableBy(scenario)}"
    ${verdict !== 'pass' && html` open`}
  >
    <summary>
      <h3>${badge(verdict)} <span class="scenario-title">${title}</span></h3>
      <span class="scenario-id">${id}</span>
      ${picture}
    </summary>
    <div class="scenario-body">${(verdict === 'pass' ? passedWithinBudget : failedWithinBudget)(render, context.budget)}</div>
  </details>`;
}

/** Renders a trial, in full or in brief. */
type RenderTrial = (trial: TrialReport, source: ReportTrial, place: TrialPlace) => Markup;
type Render = (show: RenderTrial) => Markup;

function renderBody(scenario: ScenarioReport, index: number, { sources, time, listed }: Context, show: RenderTrial): Markup {
  const { id, suite, profile, requirements, results, faults } = scenario;
  const shown = shownTrials(scenario);
  const rest = results.filter((trial) => !shown.includes(trial));
  return html`<p class="facts">
      ${[`suite ${suite}`, `profile ${profile}`].map((fact) => html`<span class="chip">${fact}</span>`)}
      ${requirements.map((id) => html`<span class="chip">${listed.has(id) ? html`<a href="#${requirementId(id)}">${id}</a>` : id}</span>`)}
    </p>
    <div class="columns">
      <section>
        <h4>Latency, all trials</h4>
        ${latencyTable(scenario)} ${latencyChart(scenario.latencies, waitBounds(scenario.bounds, results), 'of all trials')}
      </section>
      <section>
        <h4>Numbers, all trials</h4>
        ${numbers(scenario)}
      </section>
    </div>
    ${renderWaits(scenario, sources)}
    <h4>How close values came to their bounds</h4>
    ${boundsTable(scenario)}
    ${
      faults.injections.length > 0 &&
      html`<h4>Faults</h4>
        ${faultTable(scenario)}`
    }
    ${scenario.crashPoints !== undefined && renderCrashPoints(scenario.crashPoints, crashPointsId(index))}
    ${shown.flatMap((trial) => {
      const source = sources.get(id)?.get(trial.seed);
      return source === undefined ? [] : show(trial, source, { id: trialId(index, trial.seed), scenario: id, time });
    })}
    ${
      rest.length > 0 &&
      html`<details>
        <summary>${formatCount(rest.length, 'more trial')}, not drawn</summary>
        <ul class="trials">
          ${rest.map(({ seed, verdict: own, replay }) => html`<li>${badge(own)} seed ${seed} <code>scaleproof replay ${replay}</code></li>`)}
        </ul>
      </details>`
    }`;
}

/** Every wait of every trial as a point. */
function renderWaits({ id, results, bounds }: ScenarioReport, sources: Sources): Markup {
  const trials = results.flatMap(({ seed, checks }): TrialWaits[] => {
    const seen = sources.get(id)?.get(seed)?.seen;
    if (seen === undefined) return [];
    const findings = checks.filter(({ check }) => check === 'success-rate').flatMap((check) => check.findings);
    return [{ seed, waits: seen.waits, faults: seen.faults, late: new Set(findings.map(({ object }) => object)) }];
  });
  return latencyPoints(trials, waitBounds(bounds, results));
}

/** A scenario that did not pass: in full while the page's budget lasts, with the first trials readable without a script. */
function failedWithinBudget(render: Render, budget: Budget): Markup {
  if (budget.isSpent('failed')) return inBrief(render, budget, 'failed');
  let characters = 0;
  const body = render((trial, source, place) => {
    const shown = failedTrialWithinBudget(trial, source, place, budget);
    characters += shown.text.length;
    return shown;
  });
  budget.spend(body.text.length - characters, 'failed');
  return body;
}

function failedTrialWithinBudget(trial: TrialReport, source: ReportTrial, place: TrialPlace, budget: Budget): Markup {
  if (!budget.isSpent('failed')) {
    const full = renderTrial(trial, source, place);
    const shown = budget.takeUnpacked() ? full : html`<div class="pack">${packed(full, PACKED_WORDS)}</div>`;
    if (budget.take(shown.text.length, 'failed')) return shown;
  }
  const brief = renderTrialInBrief(trial, place);
  budget.spend(brief.text.length, 'failed');
  return brief;
}

/** A scenario that passed, with its trial in full while the page's budget lasts. */
function passedWithinBudget(render: Render, budget: Budget): Markup {
  budget.beginPassed();
  if (!budget.isSpent('passed')) {
    const full = packed(render(renderTrial), PACKED_WORDS);
    if (budget.take(full.text.length, 'passed')) return full;
  }
  return inBrief(render, budget, 'passed');
}

function inBrief(render: Render, budget: Budget, kind: 'passed' | 'failed'): Markup {
  const brief = packed(
    render((trial, _source, place) => renderTrialInBrief(trial, place)),
    PACKED_WORDS,
  );
  budget.spend(brief.text.length, kind);
  return brief;
}

const PACKED_WORDS = 'This is packed to keep the page small: a browser that runs its script shows it here within seconds.';

function numberRow(name: string, value: string | number, isBad = false): Markup {
  return html`<div><dt>${name}</dt><dd${isBad && html` class="bad"`}>${value}</dd></div>`;
}

function numbers({ trials, success, instances, faults, interleavings, usage }: ScenarioReport): Markup {
  return html`<dl class="numbers">
    ${numberRow('Trials passed / failed / unknown', `${trials.passed} / ${trials.failed} / ${trials.unknown}`)}
    ${trials.notBegun > 0 && numberRow('Trials that never started', trials.notBegun, true)}
    ${numberRow('Pods served in time', servedText(success), success.served < success.asked)}
    ${numberRow('Instances created / terminated', `${instances.created} / ${instances.terminated}`)}
    ${numberRow('Instances still live / leaked', `${instances.live} / ${instances.leaked}`, instances.leaked > 0)}
    ${numberRow('Faults fired / armed', `${faults.fired} / ${faults.armed}`)} ${numberRow('Distinct interleavings', interleavings)}
    ${
      usage === undefined
        ? numberRow("Target's memory and processor time", "can't be told from the trial's")
        : html`${numberRow(`Target's memory at most (${MEMORY_WORDS[usage.memory]})`, formatMiB(usage.peakMiB))}
          ${numberRow("Target's processor time", formatDuration(usage.cpuMs))} ${usage.growth !== undefined && growthRows(usage.growth)}`
    }
  </dl>`;
}

const MEMORY_WORDS = { webassembly: 'WebAssembly, only grows', resident: 'resident' } as const;

function growthRows({ minMiB, medianMiB, maxMiB, miBPerDay: { slope, lower, upper } }: Growth): Markup {
  return html`${numberRow('Held in memory, least / median / most', [minMiB, medianMiB, maxMiB].map(formatMiB).join(' / '))}
  ${numberRow('Growth of that in a day', `${formatMiB(slope)} (95 %: ${lower.toFixed(1)} to ${upper.toFixed(1)})`)}`;
}

function faultTable({ faults }: ScenarioReport): Markup {
  return html`<table class="data">
    <thead>
      <tr>
        <th scope="col">Fault</th>
        <th scope="col">What it does</th>
        <th scope="col" class="num">Fired in trials</th>
        <th scope="col" class="num">Firings</th>
        <th scope="col">Kind</th>
      </tr>
    </thead>
    <tbody>
      ${faults.injections.map(
        ({ fault, description, legal, firing, armedTrials, firedTrials, firings, vacuous }) =>
          html`<tr>
            <th scope="row" class="whole">${code(fault)}</th>
            <td>${description}</td>
            <td class="num">${firedTrials} of ${armedTrials}</td>
            <td class="num">${firings}</td>
            <td>
              <span class="whole">${firing}</span
              >${!legal && ', not legal'}${vacuous && html` <span class="chip warn">vacuous: never fired</span>`}
            </td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}
