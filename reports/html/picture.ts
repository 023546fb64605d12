import type { Amount } from '../../history/amounts.ts';
import type { TrialSeen } from '../../history/seen.ts';
import { formatCount, formatDuration, formatMoment } from '../format.ts';
import { formatList } from '../../model/format-list.ts';
import type { ScenarioReport, TrialReport } from '../run-report.ts';
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
import { fitScale } from './timeline/scale.ts';
import type { Scale } from './timeline/scale.ts';

/** Height in CSS pixels. */
const PLOT_HEIGHT = 48;
/** Room above the highest amount, for the width of its line. */
const TOP = 2;
/** Findings closer together than this part of the picture share a mark. */
const MARK_DISTANCE = 0.02;

/** The trial that represents its scenario: the first that failed, or else was unknown, or else the first. */
export function representative({ results }: Pick<ScenarioReport, 'results'>): TrialReport | undefined {
  return results.find(({ verdict }) => verdict === 'fail') ?? results.find(({ verdict }) => verdict === 'unknown') ?? results[0];
}

/** What a picture shows of a trial. */
export interface Picture {
  readonly scale: Scale;
  readonly faults: FaultRows;
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
  const foundMs = trial.checks
    .flatMap(({ findings }) => findings.flatMap(({ evidence }) => evidence.at(-1)?.t ?? []))
    .sort((a, b) => a - b);
  return {
    scale,
    faults: faultRows(bandsOf(faults, scale)),
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

/** Ready nodes and pending pods of a trial over time, with its faults as bands behind them. */
export function renderPicture(trial: TrialReport, seen: TrialSeen): Markup {
  const picture = layOutPicture(trial, seen);
  const { scale, faults, nodes, pending, findingsMs } = picture;
  const top = faults.height;
  const height = top + PLOT_HEIGHT;
  return html`<span class="picture">
    <svg width="100%" height="${height}" role="img" aria-label="${describe(trial, seen, picture)}">
      <svg viewBox="0 0 ${PLOT_UNITS} ${height}" preserveAspectRatio="none">
        <rect class="chart-back" width="${PLOT_UNITS}" y="${top}" height="${PLOT_HEIGHT}" />
        ${drawFaultBands(faults, scale, height)}
        <g transform="translate(0 ${top})">
          ${pending.path !== '' && html`<path class="pending" d="${pending.path}V${PLOT_HEIGHT}Z" />`}${nodes.path !== '' && html`<path class="nodes" d="${nodes.path}" />`}
        </g>
      </svg>
      ${drawFaultLabels(faults, scale)} ${drawBreaks(scale, { y: top, height: PLOT_HEIGHT })}
      ${findingsMs.map((ms) => html`<line class="flag-line" x1="${percentOf(scale, ms)}" x2="${percentOf(scale, ms)}" y1="${top}" y2="${height}" /><use href="#tick-fail" x="${percentOf(scale, ms)}" y="${top + 6}" />`)}
    </svg>
    <span class="picture-key" aria-hidden="true"
      ><span><i class="nodes"></i>Ready nodes, up to ${nodes.most}</span
      ><span><i class="pending"></i>pending pods, up to ${pending.most}</span>${
        findingsMs.length > 0 && html`<span class="bad">✗ findings</span>`
      }${hiddenFaults(faults)}${scale.breaks.length > 0 && html`<span><i class="break"></i>no change</span>`}<span
        >seed ${trial.seed}, ${formatDuration(seen.endMs)}</span
      ></span
    >
  </span>`;
}

/** The picture in words. */
function describe(trial: TrialReport, { endMs }: TrialSeen, { faults, nodes, pending, findingsMs }: Picture): string {
  const found = findingsMs.length === 0 ? '' : ` Findings at ${formatList(findingsMs.map(formatMoment))}.`;
  return `Seed ${trial.seed}, ${formatDuration(endMs)}: up to ${formatCount(nodes.most, 'Ready node')}, up to ${formatCount(pending.most, 'pending pod')}.${describeFaults(faults)}${found}`;
}
