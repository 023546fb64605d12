import { createView } from '../../history/view.ts';
import type { View } from '../../history/view.ts';
import { createDescriber } from '../describe-event.ts';
import type { Describe } from '../describe-event.ts';
import { formatCount, formatMoment } from '../format.ts';
import type { ReportTrial } from '../report-input.ts';
import { MAX_EVIDENCE } from '../build-report.ts';
import type { TrialReport } from '../run-report.ts';
import { groupFindings } from './groups.ts';
import type { FindingGroup } from './groups.ts';
import { condense, logTable, notableEvents, notableEventsInBrief } from './log.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';
import { badge, code, replayLine } from './parts.ts';
import { tellStory } from './story.ts';
import type { Sentence } from './story.ts';
import { drawTimeline, timelineLegend } from './timeline/draw.ts';
import { LANES, LANES_PASSED, layOut } from './timeline/model.ts';

/** Rows of a trial's log: few for one that passed, which keeps the page of a good run light. */
const MAX_LOG_ROWS = 250;
const MAX_LOG_ROWS_PASSED = 20;
/** Objects of one group of findings that are listed. */
const MAX_LISTED = 60;

/** Where a trial stands. */
interface TrialPlace {
  /** Of its section. */
  readonly id: string;
  readonly scenario: string;
  /** What its time is called. */
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
  const title = `${scenario}, seed ${trial.seed}`;
  return html`<section class="trial" id="${id}" aria-label="Seed ${trial.seed}">
    <header class="trial-head">
      <h4>Seed ${trial.seed}</h4>
      ${badge(trial.verdict)}<span class="muted">${formatMoment(trial.virtualMs)} of ${time}</span>
    </header>
    ${replayLine(trial.replay)} ${renderStory(view, trial)}
    <h5>Timeline</h5>
    <div class="timeline-tools" role="toolbar" aria-label="Stretch the timeline" data-for="${timelineId}">
      <button type="button" data-stretch="out" aria-label="Show more time">−</button
      ><button type="button" data-stretch="in" aria-label="Show less time, larger">+</button
      ><button type="button" data-stretch="fit">Fit</button>
    </div>
    ${drawTimeline(timeline, timelineId, title)} ${timelineLegend(timeline)}
    ${groups.map((group) => renderGroup(group, view, describe, timelineId))} ${renderChecks(trial)}
    <details>
      <summary>What happened, in order</summary>
      ${
        trial.verdict === 'pass'
          ? logTable(condense(notableEventsInBrief(view), describe), { limit: MAX_LOG_ROWS_PASSED, timelineId })
          : logTable(condense(notableEvents(view), describe), { limit: MAX_LOG_ROWS, timelineId })
      }
    </details>
  </section>`;
}

function renderStory(view: View, trial: TrialReport): Markup {
  const story = tellStory(view, trial);
  const part = (name: string, sentences: readonly Sentence[]): Markup =>
    html`<div>
      <dt>${name}</dt>
      ${sentences.map(({ tMs, text }) => html`<dd>${tMs !== undefined && html`<time>${formatMoment(tMs)}</time>`}${text}</dd>`)}
    </div>`;
  return html`<dl class="story">
    ${part('What was done', story.done)}${part('What was broken', story.broken)}${part('What was seen', story.seen)}${part('Why this verdict', story.judged)}
  </dl>`;
}

/** The first finding of a group with its evidence, the others by object. */
function renderGroup({ number, check, code: name, findings }: FindingGroup, view: View, describe: Describe, timelineId: string): Markup {
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
      ${logTable(condense(events, describe), { limit: MAX_EVIDENCE, timelineId })}
    </details>
    ${
      others.length > 0 &&
      html`<details>
        <summary>The same of ${formatCount(others.length, 'more object')}</summary>
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
