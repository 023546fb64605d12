import { formatDuration, formatMoment, formatShort, formatTick, formatTimes, roundStepMs } from '../../format.ts';
import { html } from '../markup.ts';
import type { Markup } from '../markup.ts';
import type { Band, Bar, BarStyle, Chart, ChartPoint, ChartStyle, Flag, Lane, LaneGroup, Tick, TickStyle, Timeline } from './model.ts';
import type { Scale } from './scale.ts';

/** Heights in CSS pixels; widths are percentages of the plot, so that it can be stretched without stretching text. */
const AXIS_HEIGHT = 26;
const PHASE_HEIGHT = 20;
const FLAG_HEIGHT = 24;
const BAND_HEIGHT = 18;
const GROUP_HEIGHT = 26;
const LANE_HEIGHT = 18;
const NESTED_HEIGHT = 15;
const CHART_HEIGHT = 30;
const LABEL_WIDTH = 232;
/** Narrower bars would not be visible. */
const MIN_BAR_PERCENT = 0.18;
/** Ticks of the axis, and finer ones that appear when the plot is stretched. */
const TICKS = 6;
const FINE_TICKS = 20;
/** Flags closer than this part of the plot to an edge are moved. */
const EDGE = 0.015;
/** Width of a chart in its own units. */
const CHART_UNITS = 2000;
const NARROW = 0.05;

interface Row {
  readonly y: number;
  readonly height: number;
}

/** Draws a timeline: labels at the left, and a plot that can be stretched and scrolled beside them. */
export function drawTimeline(timeline: Timeline, id: string, title: string): Markup {
  const { bands, flags, groups, phases, scale } = timeline;
  const percent = (ms: number): string => `${round(scale.partOf(ms) * 100)}%`;
  const width = (fromMs: number, toMs: number): string =>
    `${round(Math.max(MIN_BAR_PERCENT, (scale.partOf(toMs) - scale.partOf(fromMs)) * 100))}%`;
  const phaseY = AXIS_HEIGHT;
  const flagY = phaseY + PHASE_HEIGHT;
  const bandY = flagY + (flags.length === 0 ? 0 : FLAG_HEIGHT);
  const lanesY = bandY + bands.length * BAND_HEIGHT + 4;
  const { rows, height } = place(groups, lanesY);
  const paintBand = (band: Band, index: number): Markup =>
    drawBand(band, { y: bandY + index * BAND_HEIGHT, height: BAND_HEIGHT }, height, percent, width);
  return html`<div
    class="timeline"
    id="${id}"
    data-scale="${JSON.stringify(scale.knots)}"
    data-rows="${JSON.stringify([lanesY, ...rows.map((row) => row.height)])}"
  >
    <svg class="labels" width="${LABEL_WIDTH}" height="${height}" aria-hidden="true">
      <g class="lane-labels" transform="translate(${LABEL_WIDTH - 10} 0)">
        <text class="muted" y="17">time</text>
        <text class="muted" y="${phaseY + 14}">phase</text>
        ${flags.length > 0 && html`<text class="flagged" y="${flagY + 16}">findings</text>`}
        ${bands.map(({ label, title: what }, index) => html`<text y="${bandY + index * BAND_HEIGHT + 13}"><title>${what}</title>fault ${shorten(label, 27)}</text>`)}
        ${rows.map(labelOf)}
      </g>
    </svg>
    <div class="scroller" tabindex="0" role="group" aria-label="Timeline of ${title}: plus and minus stretch it, arrows scroll">
      <svg class="plot" width="100%" height="${height}" role="group" aria-label="${title}">
        ${axis(scale, percent)}
        ${phases.map(
          ({ name, fromMs, toMs }, index) =>
            html`<svg x="${percent(fromMs)}" y="${phaseY}" width="${width(fromMs, toMs)}" height="${PHASE_HEIGHT}">
                <title>Phase ${name}: ${formatMoment(fromMs)} to ${formatMoment(toMs)}</title>
                <rect class="phase phase-${index % 2}" width="100%" height="${PHASE_HEIGHT - 3}" />
                <text class="phase-name${scale.partOf(toMs) - scale.partOf(fromMs) < NARROW && ' fine'}" x="6" y="13">${name}</text></svg
              >${index > 0 && html`<line class="phase-line" x1="${percent(fromMs)}" x2="${percent(fromMs)}" y1="${phaseY}" y2="${height}" />`}`,
        )}
        ${bands.map(paintBand)} ${rows.map((row) => drawRow(row, { percent, width, scale }))}
        ${scale.breaks.map((one) => drawBreak(one, height, percent, width))}
        ${flags.map((flag) => drawFlag(flag, { y: flagY, height: FLAG_HEIGHT }, height, { scale, percent, id }))}
        <g class="cursor" visibility="hidden">
          <line y1="0" y2="${height}" />
          <text y="10"></text>
        </g>
      </svg>
    </div>
  </div>`;
}

type PlacedRow = Row &
  (
    | { readonly kind: 'group'; readonly group: LaneGroup }
    | { readonly kind: 'lane'; readonly lane: Lane }
    | { readonly kind: 'hidden'; readonly text: string }
  );

/** Rows from top to bottom, and their total height. */
function place(groups: readonly LaneGroup[], top: number): { readonly rows: readonly PlacedRow[]; readonly height: number } {
  const rows: PlacedRow[] = [];
  let y = top;
  const add = (
    row: { kind: 'group'; group: LaneGroup } | { kind: 'lane'; lane: Lane } | { kind: 'hidden'; text: string },
    height: number,
  ): void => {
    rows.push({ ...row, y, height });
    y += height;
  };
  for (const group of groups) {
    add({ kind: 'group', group }, GROUP_HEIGHT);
    for (const lane of group.lanes) add({ kind: 'lane', lane }, heightOf(lane));
    if (group.hidden !== '') add({ kind: 'hidden', text: group.hidden }, LANE_HEIGHT);
  }
  return { rows, height: y + 8 };
}

function heightOf({ chart, isNested }: Lane): number {
  if (chart !== undefined) return CHART_HEIGHT;
  return isNested === true ? NESTED_HEIGHT : LANE_HEIGHT;
}

/** Every row is a `g` element, here and in the plot, in the same order: filtering moves both. */
function labelOf(row: PlacedRow): Markup {
  const place = html`class="row${row.kind === 'group' && ' group'}" transform="translate(0 ${row.y})"`;
  if (row.kind === 'group') return html`<g ${place}><text class="group-label" x="${10 - LABEL_WIDTH}" y="18">${row.group.title}</text></g>`;
  const y = row.kind === 'lane' && row.lane.chart !== undefined ? 13 : row.height / 2 + 4;
  if (row.kind === 'hidden') return html`<g ${place}><text class="muted" y="${y}">${row.text}</text></g>`;
  const { label, title, isNested, flagged, object, instance, steps, chart } = row.lane;
  const style = [...(isNested === true ? ['nested'] : []), ...(flagged === undefined ? [] : ['flagged'])].join(' ');
  const followed =
    object !== undefined &&
    html` data-object="${object}"${instance !== undefined && html` data-instance="${instance}"`}
    data-steps="${JSON.stringify((steps ?? []).map(({ tMs, i, text }) => [tMs, i, text]))}"`;
  return html`<g ${place}${followed}><text${style !== '' && html` class="${style}"`} y="${y}"><title>${title}</title>${flagged !== undefined && '✗ '}${shorten(label, flagged === undefined ? 33 : 29)}</text>${chart !== undefined && html`<text class="top-value" y="${row.height - 5}">${`up to ${chart.top}`}</text>`}</g>`;
}

/** As many characters as there is room for; the end of a name distinguishes it from similar ones. */
function shorten(label: string, room: number): string {
  return label.length > room ? `${label.slice(0, 10)}…${label.slice(label.length - room + 11)}` : label;
}

type Percent = (ms: number) => string;
type Width = (fromMs: number, toMs: number) => string;

function axis({ endMs, breaks, partOf }: Scale, percent: Percent): Markup {
  const shownMs = endMs - breaks.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  const stepMs = roundStepMs(shownMs, TICKS);
  const fineMs = roundStepMs(shownMs, FINE_TICKS);
  const isShown = (ms: number): boolean =>
    breaks.every(({ fromMs, toMs }) => partOf(fromMs) - partOf(ms) > NARROW || ms > toMs) && partOf(ms) < 1 - NARROW;
  const ticks = (step: number): number[] =>
    Array.from({ length: Math.floor(endMs / step) + 1 }, (_, index) => index * step).filter(isShown);
  const draw = (ms: number, step: number): Markup =>
    html`<svg x="${percent(ms)}">
      <rect />
      <text x="3" y="16">${formatTick(ms, step)}</text>
    </svg>`;
  const fine = ticks(fineMs).filter((ms) => ms % stepMs !== 0);
  return html`<g class="grid fine">${fine.map((ms) => draw(ms, fineMs))}</g
    ><g class="grid">${ticks(stepMs).map((ms) => draw(ms, stepMs))}</g>`;
}

/** A column over all lanes for a long interval without changes, not drawn to scale. */
function drawBreak({ fromMs, toMs }: Scale['breaks'][number], height: number, percent: Percent, width: Width): Markup {
  const length = formatDuration(toMs - fromMs);
  return html`<svg class="break" overflow="visible" x="${percent(fromMs)}" y="0" width="${width(fromMs, toMs)}" height="${height}">
    <title>${length} in which nothing changed, not drawn to scale: ${formatMoment(fromMs)} to ${formatMoment(toMs)}</title>
    <rect class="break-back" width="100%" y="20" height="${height - 20}" />
    <rect fill="url(#hatch-break)" width="100%" y="20" height="${height - 20}" />
    <text x="50%" y="16" text-anchor="middle">${formatShort(toMs - fromMs)}</text>
  </svg>`;
}

function drawBand(band: Band, row: Row, height: number, percent: Percent, width: Width): Markup {
  const color = safeColor(band.color);
  const { fromMs, toMs, title, firedMs } = band;
  const text = `${title}. From ${formatMoment(fromMs)} to ${formatMoment(toMs)}, fired ${formatTimes(firedMs.flat().length)}`;
  // A fault that never fired had no effect.
  return html`<g class="fault${firedMs.length === 0 && ' idle'}"
    ><title>${text}</title
    ><rect
      class="band"
      fill="${color}"
      x="${percent(fromMs)}"
      width="${width(fromMs, toMs)}"
      y="${row.y}"
      height="${height - row.y}"
    /><line class="band-edge" stroke="${color}" x1="${percent(fromMs)}" x2="${percent(fromMs)}" y1="${row.y}" y2="${height}" /><line
      class="band-edge"
      stroke="${color}"
      x1="${percent(toMs)}"
      x2="${percent(toMs)}"
      y1="${row.y}"
      y2="${height}"
    />
    <rect
      fill="${color}"
      class="band-head"
      x="${percent(fromMs)}"
      width="${width(fromMs, toMs)}"
      y="${row.y}"
      height="${row.height - 3}"
      rx="2"
    />
    ${firedMs.map((together) => drawFirings(together, band, row, height, percent))}</g
  >`;
}

/** One mark for firings whose marks would overlap, and a line for each of them. */
function drawFirings(together: readonly number[], { color }: Band, row: Row, height: number, percent: Percent): Markup {
  const [fromMs = 0] = together;
  const toMs = together.at(-1) ?? fromMs;
  const text = `Fired ${formatTimes(together.length)} from ${formatMoment(fromMs)} to ${formatMoment(toMs)}`;
  return html`<use href="#mark-fired" x="${percent(fromMs)}" y="${row.y + row.height / 2 - 1}"
      >${together.length > 1 && html`<title>${text}</title>`}</use
    >${together.map((ms) => html`<line class="fired-line" stroke="${safeColor(color)}" x1="${percent(ms)}" x2="${percent(ms)}" y1="${row.y + row.height}" y2="${height}" />`)}`;
}

/** Colours come from a history, which is untrusted. */
export function safeColor(color: string): string {
  return /^#[0-9a-f]{3}([0-9a-f]{3})?$/i.test(color) || /^[a-z]{3,20}$/i.test(color) ? color : '#888888';
}

interface Rulers {
  readonly percent: Percent;
  readonly width: Width;
  readonly scale: Scale;
}

function drawRow(row: PlacedRow, { percent, width, scale }: Rulers): Markup {
  const place = html`transform="translate(0 ${row.y})"`;
  if (row.kind === 'group') return html`<g class="row" ${place}><line class="group-line" x1="0" x2="100%" y1="4" y2="4" /></g>`;
  if (row.kind === 'hidden') return html`<g class="row" ${place}></g>`;
  const { lane, height } = row;
  // The position of a lane and the height of its bars are set once for all its content.
  return html`<g class="row lane${lane.isNested === true && ' nested'}" ${place}
    >${lane.flagged !== undefined && html`<rect class="flagged-row" width="100%" />`}${lane.chart !== undefined && drawChart(lane.chart, { height, scale })}${lane.bars.map((bar) => drawBar(bar, height, percent, width))}${lane.ticks.length > 0 && html`<g transform="translate(0 ${height / 2})">${lane.ticks.map((tick) => drawTick(tick, percent))}</g>`}</g
  >`;
}

/** Areas in their own coordinates, since a path does not support percentages. */
function drawChart({ series }: Chart, { height, scale }: { readonly height: number; readonly scale: Scale }): Markup {
  const x = (ms: number): number => Math.round(scale.partOf(ms) * CHART_UNITS);
  const y = (part: number): number => Math.round((1 - part) * 100);
  const pathOf = (points: readonly ChartPoint[]): string =>
    points
      .map(({ fromMs, toMs, low, high }) => `M${x(fromMs)} ${y(low)}V${y(high)}H${Math.max(x(toMs), x(fromMs) + 1)}V${y(low)}`)
      .join('');
  return html`<svg y="3" width="100%" height="${height - 6}" viewBox="0 0 ${CHART_UNITS} 100" preserveAspectRatio="none">
    <rect class="chart-back" width="${CHART_UNITS}" height="100" />
    ${series.map(({ style, points }) => html`<path class="chart-${style}" d="${pathOf(points)}" />`)}
  </svg>`;
}

function drawBar({ fromMs, toMs, style, title, label }: Bar, height: number, percent: Percent, width: Width): Markup {
  const place = html`x="${percent(fromMs)}" width="${width(fromMs, toMs)}"`;
  return html`<rect class="${style}" ${place}><title>${title}</title></rect>${
      label !== undefined &&
      html`<svg ${place} height="${height}" pointer-events="none">
        <text class="bar-name" x="5" y="${height / 2 + 3.5}">${label}</text>
      </svg>`
    }`;
}

function drawTick({ tMs, style, title }: Tick, percent: Percent): Markup {
  return html`<use href="#tick-${style}" x="${percent(tMs)}">${title !== '' && html`<title>${title}</title>`}</use>`;
}

function drawFlag(
  flag: Flag,
  row: Row,
  height: number,
  { scale, percent, id }: { readonly scale: Scale; readonly percent: Percent; readonly id: string },
): Markup {
  const part = scale.partOf(flag.tMs);
  const first = flag.groups[0] ?? 1;
  const text = flag.groups.length === 1 ? String(first) : `${first}–${flag.groups.at(-1) ?? first}`;
  const half = flag.groups.length === 1 ? 9 : 15;
  // A flag at an edge must not be clipped.
  const shift = part < EDGE ? half : part > 1 - EDGE ? -half - 2 : 0;
  return html`<line class="flag-line" x1="${percent(flag.tMs)}" x2="${percent(flag.tMs)}" y1="${row.y + 20}" y2="${height}" /><a
      href="#${id}-finding-${first}"
      aria-label="${`${text}: ${flag.title}`}"
      ><svg class="flag" x="${percent(flag.tMs)}" y="${row.y + 2}" overflow="visible">
        <title>${formatMoment(flag.tMs)} ${flag.title}</title>
        <rect x="${shift - half}" width="${2 * half}" height="18" rx="9" />
        <text x="${shift}" y="13" text-anchor="middle">${text}</text>
      </svg></a
    >`;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** Marks and hatchings for all timelines. Once per page. */
export function timelineDefinitions(): Markup {
  return html`<svg class="definitions" width="0" height="0" aria-hidden="true">
    <defs>
      <pattern id="hatch-waiting" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect class="hatch-back" width="5" height="5" />
        <rect class="hatch-waiting" width="2" height="5" />
      </pattern>
      <pattern id="hatch-lost" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect class="hatch-back" width="5" height="5" />
        <rect class="hatch-lost" width="2.5" height="5" />
      </pattern>
      <pattern id="hatch-break" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
        <rect class="hatch-break" width="1.5" height="7" />
      </pattern>
      <g id="tick-ok" class="tick ok"><rect x="-0.75" y="-5" width="1.5" height="10" /></g>
      <g id="tick-partial" class="tick partial"><path d="M0 -5 L5 0 L0 5 L-5 0 Z" /></g>
      <g id="tick-fail" class="tick fail"><path d="M-4 -4 L4 4 M4 -4 L-4 4" /></g>
      <g id="tick-info" class="tick info"><circle r="4.2" /></g>
      <g id="tick-killed" class="tick killed"><path d="M-4.5 -4.5 L4.5 4.5 M4.5 -4.5 L-4.5 4.5 M0 -8 L0 8" /></g>
      <g id="tick-panic" class="tick panic"><path d="M0 -6.5 L6.5 5 L-6.5 5 Z" /></g>
      <g id="mark-fired"><path class="mark-fired" d="M1.5 -6 L-3.5 1 L-0.5 1 L-1.5 6 L3.5 -1 L0.5 -1 Z" /></g>
    </defs>
  </svg>`;
}

const BAR_WORDS: Readonly<Record<BarStyle, string>> = {
  'pod-waiting': 'pod waiting',
  'pod-bound': 'pod bound',
  'pod-running': 'pod running',
  'claim-waiting': 'claim not launched yet',
  'claim-live': 'claim launched',
  'instance-pending': 'instance pending',
  'instance-running': 'instance running',
  'node-joining': 'node not ready yet',
  'node-ready': 'node ready',
  'node-lost': 'node no longer ready',
  'target-starting': 'target starting',
  'target-up': 'target up',
  ending: 'terminating',
};

const TICK_WORDS: Readonly<Record<TickStyle, string>> = {
  ok: 'request successful',
  partial: 'response with errors',
  fail: 'failed',
  info: 'no response: outcome unknown to the target',
  killed: 'killed',
  panic: 'panic or exit',
};

const CHART_WORDS: Readonly<Record<ChartStyle, string>> = {
  ok: 'successful requests',
  throttled: 'throttled',
  failed: 'failed, no response, or with errors',
  count: 'live instances',
  cost: 'dollars per hour',
  use: 'requested of allocatable',
};

/** The meaning of the timeline's marks and bars. */
export function timelineLegend({ groups, scale }: Timeline): Markup {
  const lanes = groups.flatMap((group) => group.lanes);
  const bars = new Set(lanes.flatMap((lane) => lane.bars.map(({ style }) => style)));
  const ticks = new Set(lanes.flatMap((lane) => lane.ticks.map(({ style }) => style)));
  const charts = new Set(lanes.flatMap(({ chart }) => (chart?.series ?? []).map(({ style }) => style)));
  const key = (drawing: Markup, text: string): Markup => html`<span><svg aria-hidden="true">${drawing}</svg>${text}</span>`;
  return html`<div class="legend">
    ${keysOf(BAR_WORDS)
      .filter((style) => bars.has(style))
      .map((style) => key(html`<rect class="${style}" />`, BAR_WORDS[style]))}
    ${keysOf(TICK_WORDS)
      .filter((style) => ticks.has(style))
      .map((style) => key(html`<use href="#tick-${style}" x="11" y="8" />`, TICK_WORDS[style]))}
    ${keysOf(CHART_WORDS)
      .filter((style) => charts.has(style))
      .map((style) => key(html`<rect class="chart-${style}" />`, CHART_WORDS[style]))}
    ${scale.breaks.length > 0 && key(html`<rect fill="url(#hatch-break)" />`, 'nothing changed, not drawn to scale')}
  </div>`;
}

function keysOf<K extends string>(words: Readonly<Record<K, string>>): K[] {
  return Object.keys(words) as K[];
}
