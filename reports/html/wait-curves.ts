import { isWholePhase } from '../../history/latency.ts';
import { percentileOn, pointsOf } from '../../history/wait-curve.ts';
import type { WaitCurve } from '../../history/wait-curve.ts';
import { formatCount, formatDuration, formatPhase } from '../format.ts';
import { limitText } from './latency-chart.ts';
import type { WaitBound } from './latency-chart.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';
import { PLOT_UNITS } from './small-plot.ts';

/** Heights in CSS pixels. */
const PLOT_HEIGHT = 110;
const TICKS_HEIGHT = 16;
/** Room around curves at 0 and 100 %. */
const MARGIN = 4;
/** Ends of the axis of waits, which is logarithmic: waits differ by factors, from milliseconds to an hour. */
const TICKS_MS = [1, 10, 100, 1_000, 10_000, 60_000, 600_000, 3_600_000, 36_000_000];
/** The axis is not longer than this factor; shorter waits are drawn at its left edge. */
const MAX_RANGE = 10_000;
/** A bound further away than this many times the longest wait is not drawn. */
const FAR = 4;
/** Most bounds that are named below a picture. */
const MAX_BOUNDS = 4;

/** Styles of the curves, in addition to those of sides. */
export const CURVES_STYLE = `
.curves { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 340px), 1fr)); gap: 14px; } .curve-plot { background: var(--surface); border-radius: 8px; box-shadow: var(--shadow); padding: 12px 16px; margin: 0; min-width: 0; break-inside: avoid; } .curve-plot figcaption { font-weight: 650; font-size: 14px; margin-bottom: 6px; display: flex; justify-content: space-between; gap: 2px 12px; flex-wrap: wrap; } .curve-plot figcaption small { font-weight: 500; }
.curve-plot svg, .curve-key svg { display: block; } .curve-plot > svg { overflow: visible; } .curve { fill: none; stroke: var(--side); stroke-width: 2; stroke-dasharray: var(--dash); stroke-linejoin: round; vector-effect: non-scaling-stroke; } .curve-plot .point { fill: var(--side); } .curve-plot .open { fill: var(--surface); stroke: var(--side); stroke-width: 2; } .curve-plot .grid { stroke: var(--line); stroke-width: 1; } .curve-plot text { font: 11px var(--sans); fill: var(--muted); paint-order: stroke; stroke: var(--surface); stroke-width: 3px; font-variant-numeric: tabular-nums; } .curve-plot .limit.broken line { stroke: var(--fail); }
.curve-plot p { margin: 6px 0 0; font-size: 12.5px; color: var(--muted); font-variant-numeric: tabular-nums; display: flex; flex-wrap: wrap; gap: 0 14px; } .curve-plot p:has(> svg) { flex-wrap: nowrap; } .curve-plot p > svg { flex: none; margin-top: 6px; } .curve-plot .told { color: var(--ink); }
.curve-keys { display: flex; flex-wrap: wrap; gap: 2px 18px; font-size: 12.5px; color: var(--muted); margin: 0 0 10px; } .curve-key { display: inline-flex; gap: 6px; align-items: center; overflow-wrap: anywhere; min-width: 0; } .curve-key svg { flex: none; } .curves-figures { margin-top: 10px; } .curves-figures summary { cursor: pointer; padding: 6px 0; }
`;

/** A side of the pictures. */
export interface CurveSide {
  /** Short, as in texts. */
  readonly name: string;
  /** In the key; the name by default. */
  readonly label?: string;
  /** Which of the page's sides it is, from 0: its colour. */
  readonly index: number;
}

/** The picture of one phase. */
export interface PhaseCurves {
  readonly phase: string;
  /** One for each side; undefined if it is not known. */
  readonly curves: readonly (WaitCurve | undefined)[];
  /** Beside the name. */
  readonly note?: Markup | string;
  /** The difference between the sides in words, a line each. */
  readonly told?: readonly (Markup | string)[];
  readonly bounds?: readonly WaitBound[];
}

/** Phases in the order of pictures: the whole wait, and then what it consists of. */
export function wholeFirst<T extends { readonly phase: string }>(phases: readonly T[]): T[] {
  return [...phases].sort((a, b) => Number(isWholePhase(b.phase)) - Number(isWholePhase(a.phase)));
}

/** The logarithmic axis that all pictures share, so that phases can be compared. */
interface Axis {
  readonly ticks: readonly number[];
  /** 0 to 1. */
  readonly partOf: (ms: number) => number;
}

/**
 * How long pods took, as a picture for each phase: the share of pods (up) that took at most as long (right), with the sides in the same
 * axes. Curves end below 100 % if pods did not complete the phase.
 */
export function waitCurves(phases: readonly PhaseCurves[], sides: readonly CurveSide[]): Markup {
  const axis = axisFor(phases);
  if (axis === undefined) return html``;
  return html`<p class="curve-keys">
      ${sides.length > 1 && sides.map(({ name, label = name, index }) => html`<span class="curve-key">${curveSample(index)}<span>${label}</span></span>`)}
      <span>up: share of pods; right: how long they took at most, on a logarithmic axis; ● p50, ○ p95</span>
    </p>
    <div class="curves">${phases.map((one) => renderPhase(one, sides, axis))}</div>`;
}

/** The line of a side, for keys. */
export function curveSample(index: number): Markup {
  return html`<svg class="side-${index}" width="26" height="8" aria-hidden="true"><path class="curve" d="M0 4h26" /></svg>`;
}

/** Undefined if no pod completed any phase. */
function axisFor(phases: readonly PhaseCurves[]): Axis | undefined {
  const all = phases.flatMap(({ curves }) => curves.flatMap((curve) => curve?.curveMs ?? []));
  if (all.length === 0) return undefined;
  const longestMs = all.reduce((most, ms) => Math.max(most, ms), 1);
  const shortestMs = Math.max(
    longestMs / MAX_RANGE,
    all.reduce((least, ms) => Math.min(least, ms), longestMs),
  );
  const bounds = phases.flatMap(({ bounds: own = [] }) => own.map(({ bound }) => bound.value)).filter((ms) => ms <= FAR * longestMs);
  const furthestMs = Math.max(longestMs, ...bounds);
  const fromMs = TICKS_MS.findLast((ms) => ms <= shortestMs && ms < furthestMs) ?? 1;
  const toMs = TICKS_MS.find((ms) => ms >= furthestMs && ms > fromMs) ?? furthestMs;
  const span = Math.log(toMs / fromMs);
  return {
    ticks: TICKS_MS.filter((ms) => ms >= fromMs && ms <= toMs),
    partOf: (ms) => Math.min(1, Math.max(0, Math.log(Math.max(ms, fromMs) / fromMs) / span)),
  };
}

function renderPhase({ phase, curves, note, told = [], bounds = [] }: PhaseCurves, sides: readonly CurveSide[], axis: Axis): Markup {
  const name = formatPhase(phase);
  const drawn = sides.flatMap((side, at) => {
    const curve = curves[at];
    return curve === undefined || curve.pods === 0 ? [] : [{ side, curve }];
  });
  const near = bounds.filter(({ bound }) => axis.partOf(bound.value) < 1);
  const prefix = ({ name: of }: CurveSide): string => (sides.length > 1 ? `${of}: ` : '');
  const words = drawn.map(({ side, curve }) => `${prefix(side)}${describeCurve(curve)}`);
  const limits = bounds.map((one) => ({ text: limitText(one, near.includes(one)), isBroken: one.isBroken }));
  const more = limits.length - MAX_BOUNDS;
  return html`<figure class="curve-plot">
    <figcaption>${name}${note !== undefined && html`<small>${note}</small>`}</figcaption>
    <svg
      width="100%"
      height="${PLOT_HEIGHT + TICKS_HEIGHT}"
      role="img"
      aria-label="${`${name}. ${[...words, ...limits.map(({ text }) => text)].join('; ')}.`}"
    >
      <rect class="chart-back" width="100%" height="${PLOT_HEIGHT}" rx="4" />
      ${[0.5, 0.95].map((share) => html`<line class="grid" x2="100%" y1="${heightOf(share)}" y2="${heightOf(share)}" /><text x="3" y="${heightOf(share) + 11}">${share * 100} %</text>`)}
      ${axis.ticks.map((ms) => html`<line class="grid" x1="${place(ms, axis)}" x2="${place(ms, axis)}" y2="${PLOT_HEIGHT}" />`)}
      ${near.map(
        ({ bound, isBroken }) =>
          html`<g class="limit${isBroken && ' broken'}"
            ><title>bound ${bound.name}</title><line x1="${place(bound.value, axis)}" x2="${place(bound.value, axis)}" y2="${PLOT_HEIGHT}"
          /></g>`,
      )}
      <svg viewBox="0 0 ${PLOT_UNITS} ${PLOT_HEIGHT}" width="100%" height="${PLOT_HEIGHT}" preserveAspectRatio="none">
        ${drawn.map(({ side, curve }) => html`<path class="curve side-${side.index}" d="${pathOf(curve, axis)}" />`)}
      </svg>
      ${drawn.map(({ side, curve }) => html`<g class="side-${side.index}">${mark(curve, 50, axis)}${mark(curve, 95, axis)}</g>`)}
      ${axis.ticks.map((ms, index) => {
        const anchor = index === 0 ? 'start' : index === axis.ticks.length - 1 ? 'end' : 'middle';
        return html`<text x="${place(ms, axis)}" y="${PLOT_HEIGHT + 12}" text-anchor="${anchor}">${tickText(ms)}</text>`;
      })}
    </svg>
    ${drawn.map(({ side }, at) => html`<p>${sides.length > 1 && curveSample(side.index)}<span>${words[at]}</span></p>`)}
    ${told.map((text) => html`<p class="told"><span>${text}</span></p>`)}
    ${
      limits.length > 0 &&
      html`<p>
        ${limits.slice(0, MAX_BOUNDS).map(({ text, isBroken }) => html`<span class="${isBroken && 'bad'}">${isBroken && '✗ '}${text}</span>`)}${more > 0 && html`<span>and ${formatCount(more, 'more bound')}</span>`}
      </p>`
    }
  </figure>`;
}

function place(ms: number, { partOf }: Axis): string {
  return `${Math.round(partOf(ms) * 10_000) / 100}%`;
}

function tickText(ms: number): string {
  return ms === 60_000 ? '1 min' : formatDuration(ms);
}

/** The distance of a share from the upper edge. */
function heightOf(share: number): number {
  return Math.round(MARGIN + (1 - share) * (PLOT_HEIGHT - 2 * MARGIN));
}

function pathOf(curve: WaitCurve, { partOf }: Axis): string {
  const places = pointsOf(curve).map(({ ms, share }) => `${Math.round(partOf(ms) * PLOT_UNITS)} ${heightOf(share)}`);
  return places.length === 0 ? '' : `M${[...new Set(places)].join('L')}`;
}

function mark(curve: WaitCurve, rank: 50 | 95, axis: Axis): Markup | undefined {
  const ms = percentileOn(curve, rank);
  if (ms === undefined) return undefined;
  return html`<circle class="${rank === 50 ? 'point' : 'open'}" cx="${place(ms, axis)}" cy="${heightOf(rank / 100)}" r="4" />`;
}

/** `p50 44 s, p95 62 s, 120 pods, of which 3 never` */
function describeCurve(curve: WaitCurve): string {
  const at = (rank: 50 | 95): string => {
    const ms = percentileOn(curve, rank);
    return `p${rank} ${ms === undefined ? 'not reached' : formatDuration(ms)}`;
  };
  const open = curve.censored === 0 ? '' : `, of which ${curve.censored} never`;
  return `${at(50)}, ${at(95)}, ${formatCount(curve.pods, 'pod')}${open}`;
}

/** Figures of one phase in the table. */
export interface WaitFigures {
  readonly phase: string;
  readonly side?: string;
  readonly pods: number | undefined;
  readonly censored: number | undefined;
  /** p50, p95 and p99. */
  readonly percentiles: readonly string[];
}

/** All figures as a table, collapsed. */
export function waitTable(rows: readonly WaitFigures[]): Markup {
  if (rows.length === 0) return html``;
  const hasSides = rows.some(({ side }) => side !== undefined);
  return html`<details class="curves-figures">
    <summary>All figures</summary>
    <div class="table-wrap" tabindex="0" role="region" aria-label="Waits of pods by phase">
      <table class="data">
        <thead>
          <tr>
            <th scope="col">Phase</th>
            ${hasSides && html`<th scope="col">Side</th>`}
            ${['Pods', 'Never', 'p50', 'p95', 'p99'].map((heading) => html`<th scope="col" class="num">${heading}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ({ phase, side, pods, censored, percentiles }) =>
              html`<tr>
                <th scope="row">${formatPhase(phase)}</th>
                ${hasSides && html`<td>${side}</td>`}
                ${[pods ?? '–', censored ?? '–', ...percentiles].map((text) => html`<td class="num">${text}</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </details>`;
}
