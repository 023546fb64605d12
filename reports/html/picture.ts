import type { Amount } from '../../history/amounts.ts';
import type { TrialSeen } from '../../history/seen.ts';
import { formatCount, formatDuration, formatList, formatMoment, formatTimes } from '../format.ts';
import type { ScenarioReport, TrialReport } from '../run-report.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';
import { safeColor } from './timeline/draw.ts';
import { bandsOf, clustered } from './timeline/lay-out.ts';
import type { Band } from './timeline/model.ts';
import { fitScale } from './timeline/scale.ts';
import type { Scale } from './timeline/scale.ts';

/** Heights in CSS pixels. Widths are percentages, or units of a plot that is stretched. */
const PLOT_HEIGHT = 48;
const ROW_HEIGHT = 16;
const PLOT_UNITS = 1000;
/** Room above the highest amount, for the width of its line. */
const TOP = 2;
/** Most kinds of faults with their own row; further ones are only counted. */
const MAX_ROWS = 3;
/** Labels of faults that begin after this part of the picture end at its right edge. */
const LABEL_LEFT = 0.7;
/** Narrower bands, in units of the plot, would not be visible. */
const MIN_BAND = 3;
/** Findings closer together than this part of the picture share a mark. */
const MARK_DISTANCE = 0.02;

/** The trial that represents its scenario: the first that failed, or else was unknown, or else the first. */
export function representative({ results }: Pick<ScenarioReport, 'results'>): TrialReport | undefined {
  return results.find(({ verdict }) => verdict === 'fail') ?? results.find(({ verdict }) => verdict === 'unknown') ?? results[0];
}

/** The faults of one kind. */
interface FaultRow {
  readonly label: string;
  readonly bands: readonly Band[];
}

/** What a picture shows of a trial. */
export interface Picture {
  readonly scale: Scale;
  readonly rows: readonly FaultRow[];
  /** Kinds of faults without a row. */
  readonly hidden: number;
  readonly nodes: Outline;
  readonly pending: Outline;
  /** When findings were made, milliseconds since the start of the trial: one for findings at about the same moment. */
  readonly findingsMs: readonly number[];
}

/** An amount over time as the upper edge of an area, in the units of the plot. */
interface Outline {
  readonly most: number;
  readonly path: string;
}

/** Lays out the picture of a trial. Pure. */
export function layOutPicture(trial: Pick<TrialReport, 'checks'>, { nodes, pending, faults, endMs }: TrialSeen): Picture {
  const changes = [
    ...[...nodes, ...pending].map(({ tMs }) => tMs),
    ...faults.flatMap(({ armed, fired, healed }) => [armed, ...fired, ...(healed === undefined ? [] : [healed])].map(({ t }) => t)),
  ].sort((a, b) => a - b);
  const scale = fitScale(changes, endMs);
  const bands = bandsOf(faults, scale);
  const labels = [...new Set(bands.map(({ label }) => label))];
  const foundMs = trial.checks
    .flatMap(({ findings }) => findings.flatMap(({ evidence }) => evidence.at(-1)?.t ?? []))
    .sort((a, b) => a - b);
  return {
    scale,
    rows: labels.slice(0, MAX_ROWS).map((label) => ({ label, bands: bands.filter((band) => band.label === label) })),
    hidden: Math.max(0, labels.length - MAX_ROWS),
    nodes: outline(nodes, scale),
    pending: outline(pending, scale),
    findingsMs: clustered(foundMs, scale.partOf, MARK_DISTANCE).map(({ first }) => first),
  };
}

/** The outline of an amount relative to its maximum, without steps that are too small to be seen. */
function outline(amounts: readonly Amount[], scale: Scale): Outline {
  const most = Math.max(0, ...amounts.map(({ value }) => value));
  if (most === 0) return { most, path: '' };
  const steps: { readonly x: number; readonly by: number }[] = [];
  let lastY = PLOT_HEIGHT;
  for (const { tMs, value } of amounts) {
    const y = Math.round(PLOT_HEIGHT - (value / most) * (PLOT_HEIGHT - TOP));
    const step = { x: unitsOf(scale, tMs), by: y - lastY };
    const last = steps.at(-1);
    lastY = y;
    if (step.by === 0) continue;
    if (last?.x === step.x && Math.sign(last.by) === Math.sign(step.by)) steps.splice(-1, 1, { x: step.x, by: last.by + step.by });
    else steps.push(step);
  }
  const drawn = steps.map(({ x, by }, index) => {
    const right = x - (steps[index - 1]?.x ?? 0);
    return right === 0 ? `v${by}` : `h${right}v${by}`;
  });
  return { most, path: `M0 ${PLOT_HEIGHT}${drawn.join('')}H${PLOT_UNITS}` };
}

function unitsOf({ partOf }: Scale, ms: number): number {
  return Math.round(partOf(ms) * PLOT_UNITS);
}

/** Ready nodes and pending pods of a trial over time, with its faults as bands behind them. */
export function renderPicture(trial: TrialReport, seen: TrialSeen): Markup {
  const picture = layOutPicture(trial, seen);
  const { scale, rows, nodes, pending, findingsMs, hidden } = picture;
  const top = rows.length * ROW_HEIGHT;
  const height = top + PLOT_HEIGHT;
  const percent = (ms: number): string => `${unitsOf(scale, ms) / (PLOT_UNITS / 100)}%`;
  return html`<span class="picture">
    <svg width="100%" height="${height}" role="img" aria-label="${describe(trial, seen, picture)}">
      <svg viewBox="0 0 ${PLOT_UNITS} ${height}" preserveAspectRatio="none">
        <rect class="chart-back" width="${PLOT_UNITS}" y="${top}" height="${PLOT_HEIGHT}" />
        ${rows.map(({ bands }, index) => bands.map((band) => drawBand(band, scale, { y: index * ROW_HEIGHT, height })))}
        <g transform="translate(0 ${top})">
          ${pending.path !== '' && html`<path class="pending" d="${pending.path}V${PLOT_HEIGHT}Z" />`}${nodes.path !== '' && html`<path class="nodes" d="${nodes.path}" />`}
        </g>
      </svg>
      ${rows.map(({ label, bands }, index) => {
        const fromMs = bands[0]?.fromMs ?? 0;
        const place = scale.partOf(fromMs) > LABEL_LEFT ? html`x="100%" text-anchor="end"` : html`x="${percent(fromMs)}"`;
        return html`<text ${place} y="${index * ROW_HEIGHT + 12}">${label}</text>`;
      })}
      ${scale.breaks.map(({ fromMs, toMs }) => {
        const width = `${(unitsOf(scale, toMs) - unitsOf(scale, fromMs)) / (PLOT_UNITS / 100)}%`;
        return html`<rect fill="url(#hatch-break)" x="${percent(fromMs)}" width="${width}" y="${top}" height="${PLOT_HEIGHT}" />`;
      })}
      ${findingsMs.map((ms) => html`<line class="flag-line" x1="${percent(ms)}" x2="${percent(ms)}" y1="${top}" y2="${height}" /><use href="#tick-fail" x="${percent(ms)}" y="${top + 6}" />`)}
    </svg>
    <span class="picture-key" aria-hidden="true"
      ><span><i class="nodes"></i>Ready nodes, up to ${nodes.most}</span
      ><span><i class="pending"></i>pending pods, up to ${pending.most}</span>${
        findingsMs.length > 0 && html`<span class="bad">✗ findings</span>`
      }${hidden > 0 && html`<span>+${formatCount(hidden, 'more kind')} of faults</span>`}${
        scale.breaks.length > 0 && html`<span><i class="break"></i>no change</span>`
      }<span>seed ${trial.seed}, ${formatDuration(seen.endMs)}</span></span
    >
  </span>`;
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

/** The picture in words. */
function describe(trial: TrialReport, { endMs }: TrialSeen, { rows, hidden, nodes, pending, findingsMs }: Picture): string {
  const faults = rows.map(({ label, bands }) => {
    const fired = bands.reduce((sum, { firedMs }) => sum + firedMs.flat().length, 0);
    const from = Math.min(...bands.map(({ fromMs }) => fromMs));
    const to = Math.max(...bands.map(({ toMs }) => toMs));
    return `${label} from ${formatMoment(from)} to ${formatMoment(to)}, fired ${formatTimes(fired)}`;
  });
  return [
    `Seed ${trial.seed}, ${formatDuration(endMs)}: up to ${formatCount(nodes.most, 'Ready node')}, up to ${formatCount(pending.most, 'pending pod')}.`,
    ...(faults.length === 0 ? [] : [`Faults: ${faults.join('; ')}${hidden > 0 ? `; and ${formatCount(hidden, 'more kind')}` : ''}.`]),
    ...(findingsMs.length === 0 ? [] : [`Findings at ${formatList(findingsMs.map(formatMoment))}.`]),
  ].join(' ');
}
