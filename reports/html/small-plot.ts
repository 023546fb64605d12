import { formatCount, formatMoment, formatTimes } from '../format.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';
import { safeColor } from './timeline/draw.ts';
import type { Band } from './timeline/model.ts';
import type { Scale } from './timeline/scale.ts';

/** The width of a plot in its own units: it is stretched to the width of the page. */
export const PLOT_UNITS = 1000;
/** The height of a row in CSS pixels. */
const ROW_HEIGHT = 16;
/** Most kinds of faults with their own row; further ones are only counted. */
const MAX_ROWS = 3;
/** Labels of faults that begin after this part of the plot end at its right edge. */
const LABEL_LEFT = 0.7;
/** Narrower bands, in units of the plot, would not be visible. */
const MIN_BAND = 3;

/** Faults behind a small plot: a row above it for each kind, with bands that reach down to its end. */
export interface FaultRows {
  readonly rows: readonly { readonly label: string; readonly bands: readonly Band[] }[];
  /** Kinds of faults without a row. */
  readonly hidden: number;
  /** The height of all rows in CSS pixels. */
  readonly height: number;
}

/** Faults of one kind share a row. */
export function faultRows(bands: readonly Band[]): FaultRows {
  const labels = [...new Set(bands.map(({ label }) => label))];
  const rows = labels.slice(0, MAX_ROWS).map((label) => ({ label, bands: bands.filter((band) => band.label === label) }));
  return { rows, hidden: labels.length - rows.length, height: rows.length * ROW_HEIGHT };
}

/** The place of a moment in units of the plot. */
export function unitsOf({ partOf }: Scale, ms: number): number {
  return Math.round(partOf(ms) * PLOT_UNITS);
}

/** The same as a percentage of the width. */
export function percentOf(scale: Scale, ms: number): string {
  return `${unitsOf(scale, ms) / (PLOT_UNITS / 100)}%`;
}

/** The bands, in units of the plot. @param height of the rows and the plot in CSS pixels */
export function drawFaultBands({ rows }: FaultRows, scale: Scale, height: number): Markup {
  return html`${rows.map(({ bands }, index) => bands.map((band) => drawBand(band, scale, { y: index * ROW_HEIGHT, height })))}`;
}

/** A band behind the plot, with a strip at its top and marks where it fired. */
function drawBand(
  { color, fromMs, toMs, firedMs }: Band,
  scale: Scale,
  { y, height }: { readonly y: number; readonly height: number },
): Markup {
  const x = unitsOf(scale, fromMs);
  const place = html`x="${x}" width="${Math.max(MIN_BAND, unitsOf(scale, toMs) - x)}" y="${y}"`;
  const marks = firedMs.map(([ms = 0]) => `M${unitsOf(scale, ms)} ${y}v${ROW_HEIGHT}`).join('');
  // A fault that never fired had no effect.
  return html`<g class="fault${firedMs.length === 0 && ' idle'}" fill="${safeColor(color)}" stroke="${safeColor(color)}"
    ><rect class="band" ${place} height="${height - y}" /><rect
      class="band-head"
      ${place}
      height="2"
    />${marks !== '' && html`<path d="${marks}" />`}</g
  >`;
}

/** The names of the kinds of faults, which are not stretched with the plot. */
export function drawFaultLabels({ rows }: FaultRows, scale: Scale): Markup {
  return html`${rows.map(({ label, bands }, index) => {
    const fromMs = bands[0]?.fromMs ?? 0;
    const place = scale.partOf(fromMs) > LABEL_LEFT ? html`x="100%" text-anchor="end"` : html`x="${percentOf(scale, fromMs)}"`;
    return html`<text ${place} y="${index * ROW_HEIGHT + 12}">${label}</text>`;
  })}`;
}

/** Hatches the shortened intervals in which nothing changed. */
export function drawBreaks(scale: Scale, { y, height }: { readonly y: number; readonly height: number }): Markup {
  return html`${scale.breaks.map(({ fromMs, toMs }) => {
    const width = `${(unitsOf(scale, toMs) - unitsOf(scale, fromMs)) / (PLOT_UNITS / 100)}%`;
    return html`<rect fill="url(#hatch-break)" x="${percentOf(scale, fromMs)}" width="${width}" y="${y}" height="${height}" />`;
  })}`;
}

/** The faults in a sentence; empty if there are none. */
export function describeFaults({ rows, hidden }: FaultRows): string {
  if (rows.length === 0) return '';
  const parts = rows.map(({ label, bands }) => {
    const fired = bands.reduce((sum, { firedMs }) => sum + firedMs.flat().length, 0);
    const from = Math.min(...bands.map(({ fromMs }) => fromMs));
    const to = Math.max(...bands.map(({ toMs }) => toMs));
    return `${label} from ${formatMoment(from)} to ${formatMoment(to)}, fired ${formatTimes(fired)}`;
  });
  return ` Faults: ${parts.join('; ')}${hidden > 0 ? `; and ${formatCount(hidden, 'more kind')}` : ''}.`;
}

/** How many kinds have no row, for the key of a plot. */
export function hiddenFaults({ hidden }: FaultRows): Markup | undefined {
  return hidden === 0 ? undefined : html`<span>+${formatCount(hidden, 'more kind')} of faults</span>`;
}
