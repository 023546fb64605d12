import type { Wait } from '../../history/latency.ts';
import type { FaultLife } from '../../history/lives.ts';
import { formatCount, formatDuration, formatShort, roundStepMs } from '../format.ts';
import type { WaitBound } from './latency-chart.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';
import {
  PLOT_UNITS,
  describeFaults,
  drawBreaks,
  drawFaultBands,
  drawFaultLabels,
  faultRows,
  hiddenFaults,
  percentOf,
  unitsOf,
} from './small-plot.ts';
import type { FaultRows } from './small-plot.ts';
import { bandsOf, clustered } from './timeline/lay-out.ts';
import type { Band } from './timeline/model.ts';
import { fitScale } from './timeline/scale.ts';
import type { Scale } from './timeline/scale.ts';

/** Heights in CSS pixels. */
const PLOT_HEIGHT = 130;
/** Half the height of a mark. */
const MARK_HEIGHT = 6;
/** Room for the text of a line. */
const TEXT_HEIGHT = 14;
/** Most points; more are drawn on a coarser grid, on which those at the same place share one. */
const MAX_POINTS = 200;
/** Most marks of pods that were too late, the longest waits first. */
const MAX_LATE = 40;
/** Waits longer than this many times the longest one in time, or its bound, are drawn at the upper edge. */
const FAR = 2;
/** Room above the highest point. */
const ROOM = 1.08;
/** Firings closer together than this part of the plot share a mark. */
const MARK_DISTANCE = 0.006;
const TICKS = 3;

/** The waits of one trial. */
export interface TrialWaits {
  readonly seed: number;
  readonly waits: readonly Wait[];
  readonly faults: readonly FaultLife[];
  /** Objects of pods that did not run in time. */
  readonly late: ReadonlySet<string>;
}

/** Each wait as a point: when the pod became pending, and how long it then waited. */
export interface LatencyPoints {
  readonly scale: Scale;
  readonly faults: FaultRows;
  /** The wait at the upper edge, milliseconds. */
  readonly topMs: number;
  /** Those in time, in units of the plot; one for points at the same place. */
  readonly inTime: readonly { readonly x: number; readonly y: number }[];
  readonly late: readonly { readonly seed: number; readonly wait: Wait; readonly isBeyond: boolean }[];
  readonly counts: { readonly inTime: number; readonly late: number };
}

/** Lays out the waits of all trials of a scenario. Pure. Undefined if no pod ran or was late. */
export function layOutPoints(trials: readonly TrialWaits[], bounds: readonly WaitBound[]): LatencyPoints | undefined {
  const all = trials.flatMap(({ seed, waits, late }) => waits.map((wait) => ({ seed, wait, isLate: late.has(wait.object) })));
  const inTime = all.filter(({ wait, isLate }) => wait.hasRun && !isLate).map(({ wait }) => wait);
  const late = all.filter(({ isLate }) => isLate).sort((a, b) => lengthOf(b.wait) - lengthOf(a.wait));
  if (inTime.length + late.length === 0) return undefined;
  const faults = trials.flatMap((trial) => trial.faults);
  const longestMs = Math.max(1, ...inTime.map(lengthOf));
  const nearMs = bounds.map(({ bound }) => bound.value).filter((value) => late.length > 0 || value <= FAR * longestMs);
  const edgeMs = Math.max(longestMs, ...nearMs);
  const moments = [
    ...inTime.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]),
    // What is beyond the upper edge needs no room at the right.
    ...late.flatMap(({ wait }) => [wait.fromMs, wait.fromMs + Math.min(lengthOf(wait), edgeMs)]),
    ...faults.flatMap(({ armed, healed }) => [armed.t, healed?.t ?? armed.t]),
  ].sort((a, b) => a - b);
  const scale = fitScale(moments, moments.at(-1) ?? 0);
  const topMs = ROOM * Math.max(edgeMs, ...late.map(({ wait }) => lengthOf(wait)).filter((ms) => ms <= FAR * edgeMs));
  return {
    scale,
    faults: faultRows(merged(bandsOf(faults, scale), scale)),
    topMs,
    inTime: places(inTime, scale, topMs),
    late: late.slice(0, MAX_LATE).map(({ seed, wait }) => ({ seed, wait, isBeyond: lengthOf(wait) > topMs })),
    counts: { inTime: inTime.length, late: late.length },
  };
}

function lengthOf({ fromMs, untilMs }: Wait): number {
  return untilMs - fromMs;
}

/** One band for each kind of fault, from the earliest arming in any trial to the last heal. */
function merged(bands: readonly Band[], { partOf }: Scale): Band[] {
  return [...new Set(bands.map(({ label }) => label))].flatMap((label) => {
    const own = bands.filter((band) => band.label === label);
    const [first] = own;
    if (first === undefined) return [];
    const fired = own.flatMap(({ firedMs }) => firedMs.flat()).sort((a, b) => a - b);
    return {
      ...first,
      fromMs: Math.min(...own.map(({ fromMs }) => fromMs)),
      toMs: Math.max(...own.map(({ toMs }) => toMs)),
      firedMs: clustered(fired, partOf, MARK_DISTANCE).map(({ all }) => all),
    };
  });
}

/** The places of waits, on the finest grid on which they are few enough. */
function places(waits: readonly Wait[], scale: Scale, topMs: number): { x: number; y: number }[] {
  for (let cell = 1; ; cell *= 2) {
    const snap = (value: number): number => Math.round(value / cell) * cell;
    const found = new Map<string, { x: number; y: number }>();
    for (const wait of waits) {
      const place = { x: snap(unitsOf(scale, wait.fromMs)), y: snap(heightOf(lengthOf(wait), topMs)) };
      found.set(`${place.x} ${place.y}`, place);
    }
    if (found.size <= MAX_POINTS || cell >= PLOT_UNITS) return [...found.values()].sort((a, b) => a.x - b.x || a.y - b.y);
  }
}

/** The distance from the upper edge. */
function heightOf(ms: number, topMs: number): number {
  return Math.round((1 - Math.min(1, ms / topMs)) * PLOT_HEIGHT);
}

/** The waits of all pods of all trials, with faults and bounds. */
export function latencyPoints(trials: readonly TrialWaits[], bounds: readonly WaitBound[]): Markup {
  const points = layOutPoints(trials, bounds);
  if (points === undefined) return html``;
  const { scale, faults, topMs, inTime, late, counts } = points;
  const top = faults.height;
  const height = top + PLOT_HEIGHT;
  const y = (ms: number): number => top + heightOf(ms, topMs);
  const stepMs = roundStepMs(topMs, TICKS);
  const drawn = bounds.filter(({ bound }) => bound.value <= topMs);
  const isFree = (ms: number): boolean =>
    y(ms) > top + TEXT_HEIGHT && drawn.every(({ bound }) => Math.abs(y(ms) - y(bound.value)) > TEXT_HEIGHT);
  const ticks = Array.from({ length: Math.floor(topMs / stepMs) }, (_, index) => (index + 1) * stepMs).filter(isFree);
  const lateWords = counts.late === 0 ? '' : `, ${counts.late} not in time`;
  const of = `${formatCount(counts.inTime + counts.late, 'pod')} in ${formatCount(trials.length, 'trial')}`;
  return html`<h4>Wait of each pod, all trials</h4>
    <div class="points">
      <svg
        width="100%"
        height="${height}"
        role="img"
        aria-label="Waits of ${of}, by the moment from which they waited${lateWords}.${describeFaults(faults)}"
      >
        <svg viewBox="0 0 ${PLOT_UNITS} ${height}" preserveAspectRatio="none">
          <rect class="chart-back" width="${PLOT_UNITS}" y="${top}" height="${PLOT_HEIGHT}" />
          ${drawFaultBands(faults, scale, height)}
          <path class="in-time" d="${dotsOf(inTime, top)}" />
        </svg>
        ${drawFaultLabels(faults, scale)} ${drawBreaks(scale, { y: top, height: PLOT_HEIGHT })}
        ${ticks.map((ms) => html`<line class="group-line" x2="100%" y1="${y(ms)}" y2="${y(ms)}" /><text y="${y(ms) - 3}">${formatShort(ms)}</text>`)}
        ${drawn.map(
          ({ bound, isBroken }) =>
            html`<g class="limit${isBroken && ' broken'}"
              ><line x2="100%" y1="${y(bound.value)}" y2="${y(bound.value)}" /><text
                x="100%"
                text-anchor="end"
                y="${y(bound.value) + TEXT_HEIGHT}"
                >${isBroken && '✗ '}bound ${bound.name}</text
              ></g
            >`,
        )}
        ${late.map(
          ({ seed, wait, isBeyond }) =>
            html`<use href="#tick-fail" x="${percentOf(scale, wait.fromMs)}" y="${Math.max(top + MARK_HEIGHT, y(lengthOf(wait)))}"
              ><title>
                ${`${wait.object}, seed ${seed}: ${wait.hasRun ? 'ran after' : 'never ran, in'} ${formatDuration(lengthOf(wait))}${isBeyond ? ', beyond the upper edge' : ''}`}
              </title></use
            >`,
        )}
      </svg>
      <p class="picture-key">
        <span><i class="in-time"></i>${formatCount(counts.inTime, 'pod')} in time</span>${
          counts.late > 0 &&
          html`<span class="bad"
            >✗ ${counts.late} not in time${late.some(({ isBeyond }) => isBeyond) && ', some beyond the upper edge'}</span
          >`
        }${hiddenFaults(faults)}<span>up: how long a pod waited; right: from when, over ${formatCount(trials.length, 'trial')}</span>
      </p>
    </div>`;
}

/** Segments without a length, which a round cap makes dots, one relative to the other. */
function dotsOf(points: LatencyPoints['inTime'], top: number): string {
  return points
    .map(({ x, y }, index) => {
      const before = points[index - 1];
      return before === undefined ? `M${x} ${top + y}h0` : `m${x - before.x} ${y - before.y}h0`;
    })
    .join('');
}
