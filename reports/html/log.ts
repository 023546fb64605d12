import type { HistoryEvent } from '../../history/events.ts';
import type { View } from '../../history/view.ts';
import type { Describe, Tone } from '../describe-event.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';
import { formatMoment } from '../format.ts';
import { code } from './parts.ts';

/** Similar events share a row if nothing else happened between them, or if they are at most this far apart. */
const SIMILAR_WITHIN_MS = 1_000;

/** One row: an event, or several similar ones. */
interface LogRow {
  readonly i: number;
  readonly tMs: number;
  /** Time of the last one. */
  readonly untilMs: number;
  readonly count: number;
  readonly what: string;
  readonly object: string | undefined;
  readonly tone: Tone;
}

/** The relevant events of a trial: without successful reads and without bookkeeping. */
export function notableEvents(view: View): HistoryEvent[] {
  return view.events.filter((event) => isNotable(event, view));
}

/** The same for a trial that passed: without log messages, which are useful only for failures. */
export function notableEventsInBrief(view: View): HistoryEvent[] {
  return notableEvents(view).filter(({ type }) => type !== 'said' && type !== 'watch.close' && type !== 'target.dropped');
}

/** Describes events, with one row for consecutive similar ones. A request is described by its outcome. */
export function condense(events: readonly HistoryEvent[], describe: Describe): LogRow[] {
  const ended = new Map(events.flatMap((event) => (event.type === 'request.end' ? [[event.span, event.outcome] as const] : [])));
  const effected = new Set(events.flatMap((event) => (event.type === 'request.effect' ? [event.span] : [])));
  const isShownLater = (event: HistoryEvent): boolean =>
    (event.type === 'request.start' && (ended.has(event.span) || effected.has(event.span))) ||
    (event.type === 'request.effect' && event.effect.kind !== 'applied' && ended.get(event.span) === 'fail');
  const rows: LogRow[] = [];
  const places = new Map<string, number>();
  for (const event of events) {
    if (isShownLater(event)) continue;
    const key = keyOf(event);
    const place = key === undefined ? undefined : places.get(key);
    const last = place === undefined ? undefined : rows[place];
    const isNext = place === rows.length - 1;
    if (place !== undefined && last !== undefined && (isNext || event.t - last.untilMs <= SIMILAR_WITHIN_MS)) {
      rows[place] = { ...last, untilMs: event.t, count: last.count + 1 };
    } else {
      if (key !== undefined) places.set(key, rows.length);
      const { what, object, tone } = describe(event);
      rows.push({ i: event.i, tMs: event.t, untilMs: event.t, count: 1, what, object, tone });
    }
  }
  return rows;
}

interface LogPlace {
  /** Most rows; the rest is counted. */
  readonly limit: number;
  /** The timeline in which a row's moment can be shown. */
  readonly timelineId: string;
  readonly trialId: string;
  /** `log`: the log of the trial, whose rows are link targets. `evidence`: rows that link to the log. */
  readonly role: 'log' | 'evidence';
}

/** The id of the row of an event in the log of its trial. Similar events share the row of the first one. */
export function eventId(trialId: string, index: number): string {
  return `${trialId}-event-${index}`;
}

/** A table of events. */
export function logTable(rows: readonly LogRow[], { limit, timelineId, trialId, role }: LogPlace): Markup {
  return html`<table class="events" data-for="${timelineId}">
    <thead>
      <tr>
        <th scope="col">Time</th>
        <th scope="col">What</th>
        <th scope="col">Object</th>
        <th scope="col" class="num">Event</th>
      </tr>
    </thead>
    <tbody>
      ${rows
        .slice(0, limit)
        .map(
          ({ i, tMs, untilMs, count, what, object, tone }) =>
            html`<tr${role === 'log' && html` id="${eventId(trialId, i)}"`}${tone !== 'plain' && html` class="${tone}"`}><td><button class="moment" data-moment="${tMs}" title="Show it in the timeline">${formatMoment(tMs)}</button></td><td>${what}${count > 1 && html` <span class="muted">(${count} times, until ${formatMoment(untilMs)})</span>`}</td><td>${object !== undefined && code(object)}${count > 1 && object !== undefined && html` <span class="muted">and others</span>`}</td><td class="num"><a href="#${eventId(trialId, i)}" title="Event ${i} of the history">${i}</a></td></tr>`,
        )}
      ${
        rows.length > limit &&
        html`<tr>
          <td></td>
          <td class="muted">+${rows.length - limit} more rows; the history file has them all</td>
          <td></td>
          <td></td>
        </tr>`
      }
    </tbody>
  </table>`;
}

function isNotable(event: HistoryEvent, view: View): boolean {
  switch (event.type) {
    case 'bound':
    case 'expectation':
    case 'watch.open':
    case 'watch.mark':
    case 'request.start':
    case 'trial.begin':
      return false;
    case 'request.effect':
      return event.effect.kind === 'applied' && view.requests.get(event.span)?.start.wire === 'aws';
    case 'request.end':
      return event.outcome !== 'ok' || event.note !== undefined;
    case 'claim':
      return event.to === 'created' || event.to === 'terminating';
    default:
      return true;
  }
}

/** Events with the same key are similar; one without a key has its own row. */
function keyOf(event: HistoryEvent): string | undefined {
  switch (event.type) {
    case 'pod':
    case 'node':
    case 'claim':
    case 'instance':
      return `${event.type} ${event.to} ${event.reason ?? ''}`;
    case 'request.end':
      return event.outcome === 'ok' ? undefined : `${event.type} ${event.outcome} ${event.code ?? ''} ${event.note ?? ''}`;
    case 'fault.fired':
      return `${event.type} ${event.fault}`;
    case 'said':
      return `${event.type} ${event.reason} ${event.message}`;
    default:
      return undefined;
  }
}
