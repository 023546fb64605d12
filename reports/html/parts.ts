import { isFromHeal, isWholePhase } from '../../history/latency.ts';
import { closeness } from '../../history/verdict.ts';
import type { Verdict } from '../../history/verdict.ts';
import { isBroken } from '../broken.ts';
import { formatDuration, formatLimit, formatPercent, formatPhase, formatValue } from '../format.ts';
import { VERDICT_MARKS } from '../marks.ts';
import type { ProfileReport, ScenarioReport } from '../run-report.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';

const VERDICT_WORDS: Readonly<Record<Verdict | 'not-run', string>> = {
  pass: 'Pass',
  fail: 'Fail',
  unknown: 'Unknown',
  'not-run': 'Not run',
};

/** A verdict with its mark, word and colour. */
export function badge(verdict: Verdict | 'not-run', word = VERDICT_WORDS[verdict]): Markup {
  return html`<span class="badge ${verdict}"><span aria-hidden="true">${VERDICT_MARKS[verdict]}</span> ${word}</span>`;
}

/** A profile's result, in the colours of the verdicts. */
export function resultBadge({ result }: ProfileReport): Markup {
  switch (result) {
    case 'success':
      return badge('pass');
    case 'failure':
      return badge('fail');
    case 'partial':
      return badge('not-run', 'Partial');
    case 'unknown':
      return badge('unknown');
  }
}

/** A replay line that can be copied. */
export function replayLine(replay: string): Markup {
  return html`<div class="replay">
    <code>scaleproof replay ${replay}</code><button type="button" class="copy" data-copy="scaleproof replay ${replay}">Copy</button>
  </div>`;
}

export function servedText({ served, asked }: ScenarioReport['success']): string {
  return asked === 0 ? '–' : `${served} / ${asked} (${formatPercent(served / asked)})`;
}

/** Percentiles of each phase. */
export function latencyTable({ latencies }: Pick<ScenarioReport, 'latencies'>): Markup {
  if (latencies.length === 0) return html`<p class="muted">No pod waited for a new node and got one, so there is nothing to measure.</p>`;
  return html`<table class="data">
    <thead>
      <tr>
        <th scope="col">From → to</th>
        <th scope="col" class="num">Pods</th>
        <th scope="col" class="num">p50</th>
        <th scope="col" class="num">p95</th>
        <th scope="col" class="num">p99</th>
      </tr>
    </thead>
    <tbody>
      ${latencies.map(
        ({ phase, count, p50Ms, p95Ms, p99Ms }) =>
          html`<tr${isWholePhase(phase) && html` class="total"`}><th scope="row">${formatPhase(phase)}${isFromHeal(phase) && html` <small>pods that could not be served before the heal</small>`}</th><td class="num">${count}</td>${[p50Ms, p95Ms, p99Ms].map((ms) => html`<td class="num">${formatDuration(ms)}</td>`)}</tr>`,
      )}
    </tbody>
  </table>`;
}

/** How close values came to their bounds. */
export function boundsTable({ bounds, results }: Pick<ScenarioReport, 'bounds' | 'results'>): Markup {
  if (bounds.length === 0) return html`<p class="muted">No check measured a bound.</p>`;
  return html`<table class="data">
    <thead>
      <tr>
        <th scope="col">Check</th>
        <th scope="col">Bound</th>
        <th scope="col" class="num">Worst seen</th>
        <th scope="col" class="num">Limit</th>
        <th scope="col">Of the limit</th>
      </tr>
    </thead>
    <tbody>
      ${bounds.map((report) => {
        const { check, bound, worst, object, seed } = report;
        const broken = isBroken(report, results);
        const ratio = closeness({ bound, worst });
        const where = [...(object === undefined ? [] : [object]), ...(seed === undefined ? [] : [`seed ${seed}`])].join(', ');
        return html`<tr>
          <th scope="row">${check}</th>
          <td><a href="#bound-${bound.name}">${bound.name}</a></td>
          <td class="num${broken && ' bad'}" title="${where}">${worst === undefined ? 'not measured' : formatValue(worst, bound.unit)}</td>
          <td class="num">${formatLimit(bound)}</td>
          <td>${ratio === undefined ? '–' : gauge(ratio, broken)}</td>
        </tr>`;
      })}
    </tbody>
  </table>`;
}

/** A bar relative to a limit; if that is broken, in the colour of failure and with its mark. */
function gauge(ratio: number, broken: boolean): Markup {
  const percent = Math.round(Math.min(1, ratio) * 1000) / 10;
  return html`<span class="gauge${broken && ' bad'}"
    ><svg aria-hidden="true">
      <rect class="gauge-back" />
      <rect class="${broken ? 'gauge-over' : 'gauge-fill'}" width="${percent}%" />
    </svg>
    ${formatPercent(ratio)}</span
  >`;
}

/** A long name with possible line breaks. */
export function code(text: string): Markup {
  return html`<code>${text}</code>`;
}
