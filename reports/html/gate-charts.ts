import type { GateDecision, PhaseSide } from '../../gate/verdict.ts';
import { CONFIDENCE, lowerSuccessBound, upperSuccessBound } from '../../history/confidence.ts';
import { formatDuration, formatPercent } from '../format.ts';
import { SIDES, totalOf } from '../gate.ts';
import type { SideName } from '../gate.ts';
import type { ScenarioPair } from '../../gate/outcome.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';

/** A position on an axis: 0 to 100 %. */
function place(share: number): string {
  return `${Math.round(Math.min(1, Math.max(0, share)) * 10_000) / 100}%`;
}

/** The axis of shares begins at a multiple of this, below all bounds, so that sides close to 100 % can be told apart. */
const SHARE_STEP = 0.1;

/** The share of trials that pass on each side, with its bounds, on one axis. */
export function passChart(scenarios: readonly ScenarioPair[]): Markup {
  const sides = SIDES.flatMap((side) => {
    const { pass, fail } = totalOf(scenarios, side);
    if (pass + fail === 0) return [];
    const alpha = 1 - CONFIDENCE;
    const [lower, upper] = [lowerSuccessBound(pass, pass + fail, alpha), upperSuccessBound(pass, pass + fail, alpha)];
    return [{ side, pass, all: pass + fail, lower, upper }];
  });
  if (sides.length === 0) return html``;
  const from = Math.max(0, (Math.ceil(Math.min(...sides.map(({ lower }) => lower)) / SHARE_STEP) - 1) * SHARE_STEP);
  const x = (share: number): string => place((share - from) / (1 - from));
  return html`<figure class="chart">
    <figcaption>Trials that pass</figcaption>
    <p class="keys">Each bound holds with ${formatPercent(CONFIDENCE)} confidence; trials without a verdict do not count.</p>
    ${sides.map(
      ({ side, pass, all, lower, upper }) =>
        html`<div class="row">
          <span
            >${keyOf(side)}<small
              >${pass} of ${all}: ${formatPercent(pass / all)}, ${formatPercent(lower)} to ${formatPercent(upper)}</small
            ></span
          >
          <svg height="18" aria-hidden="true">
            ${[0, 0.5, 1].map((at) => html`<line class="grid" x1="${place(at)}" x2="${place(at)}" y1="0" y2="18" />`)}
            <rect class="range ${side}" x="${x(lower)}" width="${place((upper - lower) / (1 - from))}" y="4" height="10" rx="3" />
            <circle class="point ${side}" cx="${x(pass / all)}" cy="9" r="6" />
          </svg>
        </div>`,
    )}
    <div class="axis" aria-hidden="true">${[from, (from + 1) / 2, 1].map((share) => html`<span>${formatPercent(share)}</span>`)}</div>
  </figure>`;
}

function keyOf(side: SideName): Markup {
  return html`<span><span class="key ${side}" aria-hidden="true"></span>${side}</span>`;
}

/** Ends of the axis of waits, which is logarithmic: waits differ by factors, from milliseconds to an hour. */
const TICKS_MS = [1, 10, 100, 1_000, 10_000, 60_000, 600_000, 3_600_000, 36_000_000];

/** The waits of both sides by phase, from p50 to p99, on one axis. */
export function latencyChart(phases: GateDecision['phases']): Markup {
  if (phases.length === 0) return html``;
  const all = phases.flatMap(({ baseline, candidate }) => [baseline, candidate].flatMap((side) => (side === undefined ? [] : [side])));
  const [least, most] = [Math.min(...all.map(({ p50 }) => p50.ms)), Math.max(...all.map(({ p99 }) => p99.ms))];
  const fromMs = TICKS_MS.findLast((ms) => ms <= least) ?? 1;
  const toMs = TICKS_MS.find((ms) => ms >= most) ?? most;
  const ticks = TICKS_MS.filter((ms) => ms >= fromMs && ms <= toMs);
  const share = (ms: number): number => Math.log(Math.max(fromMs, ms) / fromMs) / Math.log(Math.max(toMs / fromMs, Math.E));
  const grid = (height: number): Markup[] =>
    ticks.map((ms) => html`<line class="grid" x1="${place(share(ms))}" x2="${place(share(ms))}" y1="0" y2="${height}" />`);
  const bar = (side: SideName, of: PhaseSide | undefined, y: number): Markup | undefined => {
    if (of === undefined) return undefined;
    const [start, end] = [share(of.p50.ms), share(of.p99.ms)];
    return html`<rect
        class="range ${side}"
        x="${place(start)}"
        width="${place(Math.max(end - start, 0.004))}"
        y="${y}"
        height="10"
        rx="3"
      />
      <circle class="point ${side}" cx="${place(start)}" cy="${y + 5}" r="5" />
      <circle class="open ${side}" cx="${place(share(of.p95.ms))}" cy="${y + 5}" r="4" />`;
  };
  const sorted = [...phases].sort((a, b) => Number(b.isJudged) - Number(a.isJudged));
  return html`<figure class="chart">
    <figcaption>Waits of pods by phase</figcaption>
    <p class="keys">${SIDES.map(keyOf)}<span>● p50 &nbsp;○ p95, the bar ends at p99; logarithmic axis</span></p>
    ${sorted.map(
      ({ phase, isJudged, baseline, candidate }) =>
        html`<div class="row">
          <span
            ><span>${phase.replace('->', '→')}${isJudged ? html` <strong>judged</strong>` : ''}</span
            ><small>p95 ${waitText(baseline)}, ${waitText(candidate)}</small></span
          >
          <svg height="30" aria-hidden="true">${grid(30)}${bar('baseline', baseline, 3)}${bar('candidate', candidate, 17)}</svg>
        </div>`,
    )}
    <div class="axis" aria-hidden="true">${ticks.length > 1 && axisOf(ticks, share)}</div>
    <details class="unseen">
      <summary>All figures</summary>
      <div class="table-wrap" tabindex="0" role="region" aria-label="Waits of pods by phase">
        <table class="data">
          <thead>
            <tr>
              <th scope="col">Phase</th>
              <th scope="col">Side</th>
              ${['Pods', 'p50', 'p95', 'p99'].map((heading) => html`<th scope="col" class="num">${heading}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${sorted.flatMap(({ phase, ...sides }) =>
              SIDES.map((side) => {
                const own = sides[side];
                return html`<tr>
                  <th scope="row">${phase.replace('->', '→')}</th>
                  <td>${side}</td>
                  <td class="num">${own?.pods ?? '–'}</td>
                  ${(['p50', 'p95', 'p99'] as const).map((name) => html`<td class="num">${own === undefined ? '–' : rangeText(own[name])}</td>`)}
                </tr>`;
              }),
            )}
          </tbody>
        </table>
      </div>
    </details>
  </figure>`;
}

/** Labels at their places: ticks of a logarithmic axis are not all equally far apart. */
function axisOf(ticks: readonly number[], share: (ms: number) => number): Markup {
  return html`<svg height="16">
    ${ticks.map((ms, index) => {
      const anchor = index === 0 ? 'start' : index === ticks.length - 1 ? 'end' : 'middle';
      return html`<text x="${place(share(ms))}" y="12" text-anchor="${anchor}">${formatDuration(ms)}</text>`;
    })}
  </svg>`;
}

function waitText(side: PhaseSide | undefined): string {
  return side === undefined ? '–' : rangeText(side.p95);
}

function rangeText({ ms, isAtLeast }: PhaseSide['p50']): string {
  return `${isAtLeast ? '≥ ' : ''}${formatDuration(ms)}`;
}
