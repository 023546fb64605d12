import { createView } from '../../history/view.ts';
import type { View } from '../../history/view.ts';
import { createDescriber } from '../describe-event.ts';
import type { Describe } from '../describe-event.ts';
import { formatCount, formatMoment, formatTimes } from '../format.ts';
import type { ReportTrial } from '../report-input.ts';
import { MAX_EVIDENCE } from '../build-report.ts';
import type { BoundReport, TrialReport } from '../run-report.ts';
import { describeBehaviour } from './behaviour.ts';
import { groupFindings } from './groups.ts';
import type { FindingGroup } from './groups.ts';
import { condense, logTable, notableEvents, notableEventsInBrief } from './log.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';
import { badge, code, replayLine } from './parts.ts';
import { buildStory } from './story.ts';
import type { Sentence } from './story.ts';
import { drawTimeline, timelineLegend } from './timeline/draw.ts';
import { LANES, LANES_PASSED, layOut, layOutRates } from './timeline/lay-out.ts';
import { EVENT_BUDGET } from './budget.ts';
import { latencyChart, waitBounds } from './latency-chart.ts';
import { packed } from './packed.ts';

/** Most objects that are listed for one group of findings. */
const MAX_LISTED = 60;

/** The place of a trial on the page. */
export interface TrialPlace {
  /** The id of its section. */
  readonly id: string;
  readonly scenario: string;
  /** The name of its time. */
  readonly time: string;
}

/** One trial in full: its story, timeline, findings with evidence, checks and log. Reads the trial's events once. */
export function renderTrial(trial: TrialReport, source: ReportTrial, { id, scenario, time }: TrialPlace): Markup {
  const { events } = source;
  const view = createView(events, { truncated: source.seen.truncated });
  const describe = createDescriber(events);
  const groups = groupFindings(trial);
  const timelineId = `${id}-timeline`;
  const timeline = layOut(view, groups, describe, trial.verdict === 'pass' ? LANES_PASSED : LANES);
  const ratesId = `${id}-rates`;
  const rates = layOutRates(view);
  const { latencies } = source.result;
  const title = `${scenario}, seed ${trial.seed}`;
  return html`<section class="trial" id="${id}" aria-label="Seed ${trial.seed}, ${scenario}">
    <header class="trial-head">
      <h4>Seed ${trial.seed}</h4>
      ${badge(trial.verdict)}<span class="muted">${formatMoment(trial.virtualMs)} of ${time}</span>
    </header>
    ${replayLine(trial.replay)} ${renderStory(view, trial)} ${trial.verdict !== 'pass' && renderConduct(view, describe)}
    <h5>Timeline</h5>
    ${timelineTools(timelineId)} ${drawTimeline(timeline, timelineId, title)}
    <div
      class="followed"
      id="${timelineId}-followed"
      data-for="${timelineId}"
      data-trial="${id}"
      role="region"
      aria-label="The path of an object"
      hidden
    ></div>
    ${timelineLegend(timeline)} ${groups.map((group) => renderGroup(group, { view, describe, timelineId, id }))}
    <details ${trial.verdict !== 'pass' && html` open`}>
      <summary>Request rates, cost and use over time</summary>
      ${timelineTools(ratesId)} ${drawTimeline(rates, ratesId, `${title}, request rates, cost and use`)} ${timelineLegend(rates)}
    </details>
    ${
      trial.verdict !== 'pass' &&
      latencies.length > 0 &&
      html`<details>
        <summary>Latency by phase of this trial</summary>
        ${latencyChart(latencies, waitBounds(measuredIn(trial), [trial]), 'of this trial')}
      </details>`
    }
    ${renderChecks(trial)}
    <details>
      <summary>What happened, in order</summary>
      ${
        trial.verdict === 'pass'
          ? logTable(condense(notableEventsInBrief(view), describe), {
              limit: EVENT_BUDGET.rowsPassed,
              timelineId,
              trialId: id,
              role: 'log',
            })
          : packed(
              logTable(condense(notableEvents(view), describe), { limit: EVENT_BUDGET.rowsFailed, timelineId, trialId: id, role: 'log' }),
              PACKED_LOG,
            )
      }
    </details>
  </section>`;
}

function measuredIn({ checks }: TrialReport): Pick<BoundReport, 'check' | 'bound' | 'worst'>[] {
  return checks.flatMap(({ check, measurements }) => measurements.map((measured) => ({ check, ...measured })));
}

const PACKED_LOG = 'The log is packed: a browser that runs the script of this page shows it here; the history file has it too.';

/** A trial in brief, for which the page has no room: its verdict and the first finding of each kind. */
export function renderTrialInBrief(trial: TrialReport, { id, scenario }: TrialPlace): Markup {
  return html`<section class="trial" id="${id}" aria-label="Seed ${trial.seed}, ${scenario}">
    <header class="trial-head">
      <h4>Seed ${trial.seed}</h4>
      ${badge(trial.verdict)}<span class="muted">in brief, to limit the size of this page</span>
    </header>
    ${replayLine(trial.replay)}
    ${groupFindings(trial).map(
      ({ number, code: name, check, findings }) =>
        html`<article class="finding" id="${id}-timeline-finding-${number}" tabindex="-1">
          <h5>${code(name)}<span class="times">${formatTimes(findings.length)}</span><span class="muted">found by ${check}</span></h5>
          <p class="message">${findings[0]?.message}</p>
        </article>`,
    )}
    <p class="muted">The evidence is in <code>report.json</code> and in <code>${trial.history}</code> beside this page.</p>
  </section>`;
}

/** The page's script adds the tools, which don't work without it. */
function timelineTools(id: string): Markup {
  return html`<div class="timeline-tools" role="toolbar" aria-label="Timeline" data-for="${id}"></div>`;
}

function renderStory(view: View, trial: TrialReport): Markup {
  const story = buildStory(view, trial);
  const part = (name: string, sentences: readonly Sentence[]): Markup =>
    html`<div>
      <dt>${name}</dt>
      ${sentences.map(({ tMs, text }) => html`<dd>${tMs !== undefined && html`<time>${formatMoment(tMs)}</time>`}${text}</dd>`)}
    </div>`;
  return html`<dl class="story">
    ${part('Actions', story.done)}${part('Faults', story.broken)}${part('Observations', story.seen)}${part('Why this verdict', story.judged)}
  </dl>`;
}

function renderConduct(view: View, describe: Describe): Markup {
  return html`<h5>What the target did</h5>
    <ul class="conduct">
      ${describeBehaviour(view, describe).map(({ tMs, text }) => html`<li>${tMs !== undefined && html`<time>${formatMoment(tMs)}</time> `}${text}</li>`)}
    </ul>`;
}

/** The first finding of a group with its evidence, and the objects of the others. */
function renderGroup(
  { number, check, code: name, findings }: FindingGroup,
  {
    view,
    describe,
    timelineId,
    id,
  }: { readonly view: View; readonly describe: Describe; readonly timelineId: string; readonly id: string },
): Markup {
  const [first, ...others] = findings;
  if (first === undefined) return html``;
  const events = first.events.flatMap((index) => view.events[index] ?? []);
  return html`<article class="finding" id="${timelineId}-finding-${number}" tabindex="-1">
    <h5>
      <span class="number" aria-hidden="true">${number}</span
      ><span class="visually-hidden">Finding ${number}: </span
      >${code(name)}${findings.length > 1 && html` <span class="times">${findings.length} times</span>`}<span class="muted">
        found by ${check}</span
      >
    </h5>
    <p class="message">${first.message}</p>
    <details open>
      <summary>Evidence about ${code(first.object)}: ${formatCount(events.length, 'event')}</summary>
      ${logTable(condense(events, describe), { limit: MAX_EVIDENCE, timelineId, trialId: id, role: 'evidence' })}
    </details>
    ${
      others.length > 0 &&
      html`<details>
        <summary>The same for ${formatCount(others.length, 'more object')}</summary>
        <ul class="objects">
          ${others.slice(0, MAX_LISTED).map(({ object, message }) => html`<li>${code(object)} ${message}</li>`)}${others.length > MAX_LISTED && html`<li>+${others.length - MAX_LISTED} more</li>`}
        </ul>
      </details>`
    }
  </article>`;
}

function renderChecks({ checks }: TrialReport): Markup {
  return html`<details>
    <summary>All ${formatCount(checks.length, 'check')}</summary>
    <table class="data">
      <thead>
        <tr>
          <th scope="col">Check</th>
          <th scope="col">Verdict</th>
          <th scope="col">Summary</th>
        </tr>
      </thead>
      <tbody>
        ${checks.map(
          ({ check, verdict, summary }) =>
            html`<tr>
              <th scope="row">${check}</th>
              <td>${badge(verdict)}</td>
              <td>${summary}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </details>`;
}
