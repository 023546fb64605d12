import { formatCount, formatDuration, formatPercent, formatPhase } from '../format.ts';
import { PROFILE_WORDS } from '../profiles.ts';
import type { RunReport } from '../run-report.ts';
import type { TrendRun } from '../trend.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';
import { badge } from './parts.ts';
import { PLOT_UNITS } from './small-plot.ts';
import { curveSample, wholeFirst } from './wait-curves.ts';

/** Heights in CSS pixels. */
const PLOT_HEIGHT = 96;
const NAMES_HEIGHT = 16;
/** Room above and below the lines. */
const MARGIN = 8;
/** Where the first and the last run are, as parts of the width: labels of the axis are left of them. */
const FIRST = 0.2;
const LAST = 0.94;
/** Widest column of a run, as a part of the width. */
const MAX_COLUMN = 0.1;
/** Axes of shares begin at a multiple of this. */
const SHARE_STEP = 0.1;
/** Longest name of a run below a picture. */
const MAX_NAME = 22;

/** The style of a trend, in addition to that of curves. */
export const TREND_STYLE = `
.trend .column { fill: var(--line); opacity: 0.55; } .trend .point.hollow { fill: var(--surface); stroke: var(--side); stroke-width: 2; stroke-dasharray: none; } .trend .point.broken { fill: var(--fail); } .trend .limit line { stroke: var(--fail); } .trend .table-wrap { margin-top: 14px; } .trend tbody th { min-width: 150px; } .trend td { min-width: 88px; } .trend tbody th small { display: block; } .trend td.why { min-width: 180px; }
`;

/** A figure over the runs, as a line. */
interface Line {
  readonly name: string;
  /** Its colour, as that of a side. */
  readonly index: number;
  /** One for each run; undefined if it has none. */
  readonly values: readonly (number | undefined)[];
  /** Runs in which it is beyond a bound. */
  readonly broken?: readonly boolean[];
}

/** A picture of lines with one axis. */
interface Chart {
  readonly title: string;
  readonly lines: readonly Line[];
  /** The ends of the axis. */
  readonly from: number;
  readonly to: number;
  readonly format: (value: number) => string;
  /** A limit on this axis. */
  readonly limit?: number;
}

/** The run among earlier ones: what got better or worse. */
export function renderTrend({ trend }: RunReport): Markup {
  if (trend === undefined) return html``;
  const others = trend.filter(({ notComparable }) => notComparable.length > 0).length;
  return html`<section class="trend" aria-labelledby="trend">
    <h2 id="trend">Trend over ${formatCount(trend.length, 'run')}</h2>
    <p class="muted">
      The newest is at the
      right.${others > 0 && ` ${formatCount(others, 'run is', 'runs are')} not comparable with this one, for the reasons in the table: in a grey column, beside the line.`}
    </p>
    <div class="curves">${chartsOf(trend).map((chart) => renderChart(chart, trend))}</div>
    ${renderTable(trend)}
  </section>`;
}

function chartsOf(trend: readonly TrendRun[]): Chart[] {
  const profiles = (Object.keys(PROFILE_WORDS) as (keyof typeof PROFILE_WORDS)[]).filter((name) =>
    trend.some((run) => run.profiles.some((profile) => profile.name === name)),
  );
  const passed = profiles.map((name, index): Line => ({ name, index: index + 1, values: trend.map((run) => shareOf(run, name)) }));
  const shares = passed.flatMap(({ values }) => values.flatMap((value) => value ?? []));
  const least = Math.max(0, (Math.ceil(Math.min(1, ...shares) / SHARE_STEP) - 1) * SHARE_STEP);
  const failed = (['scenarios', 'trials'] as const).map((name, index): Line => ({
    name,
    index,
    values: trend.map((run) => run.failed[name]),
  }));
  const phases = wholeFirst([...new Set(trend.flatMap(({ waits }) => waits.map(({ phase }) => phase)))].map((phase) => ({ phase })));
  const closest = {
    name: 'of the limit',
    index: 1,
    values: trend.map((run) => run.closest?.ratio),
    broken: trend.map((run) => run.closest?.isBroken === true),
  };
  return [
    { title: 'Scenarios that passed, by profile', lines: passed, from: least, to: 1, format: formatPercent },
    { title: 'What failed', lines: failed, from: 0, to: mostOf(failed), format: String },
    {
      title: 'The bound that came closest',
      lines: [closest],
      from: 0,
      to: Math.max(1, mostOf([closest])),
      format: formatPercent,
      limit: 1,
    },
    ...phases.map(({ phase }): Chart => {
      const lines = (['p50Ms', 'p95Ms'] as const).map((rank, index): Line => ({
        name: rank.slice(0, 3),
        index,
        values: trend.map(({ waits }) => waits.find((one) => one.phase === phase)?.[rank]),
      }));
      return { title: formatPhase(phase), lines, from: 0, to: mostOf(lines), format: (ms) => (ms === 0 ? '0' : formatDuration(ms)) };
    }),
  ];
}

function shareOf({ profiles }: TrendRun, name: string): number | undefined {
  const found = profiles.find((profile) => profile.name === name);
  return found === undefined || found.judged === 0 ? undefined : found.passed / found.judged;
}

/** The end of an axis from zero. */
function mostOf(lines: readonly Line[]): number {
  return Math.max(0, ...lines.flatMap(({ values }) => values.flatMap((value) => value ?? []))) || 1;
}

function renderChart({ title, lines, from, to, format, limit }: Chart, trend: readonly TrendRun[]): Markup {
  const y = (value: number): number => Math.round(MARGIN + (1 - (value - from) / (to - from)) * (PLOT_HEIGHT - 2 * MARGIN));
  const x = (index: number): number => FIRST + ((LAST - FIRST) * index) / Math.max(1, trend.length - 1);
  const percent = (part: number): string => `${Math.round(part * 10_000) / 100}%`;
  const column = Math.min(MAX_COLUMN, (LAST - FIRST) / Math.max(1, trend.length - 1));
  const isBeside = (index: number): boolean => (trend[index]?.notComparable.length ?? 0) > 0;
  const words = lines.map(
    ({ name, values }) => `${name}: ${values.map((value) => (value === undefined ? 'none' : format(value))).join(', ')}`,
  );
  return html`<figure class="curve-plot">
    <figcaption>${title}</figcaption>
    <svg
      width="100%"
      height="${PLOT_HEIGHT + NAMES_HEIGHT}"
      role="img"
      aria-label="${`${title}, from the oldest run to the newest. ${words.join('; ')}.`}"
    >
      <rect class="chart-back" width="100%" height="${PLOT_HEIGHT}" rx="4" />
      ${trend.map(
        (_run, index) =>
          isBeside(index) &&
          html`<rect class="column" x="${percent(x(index) - column / 2)}" width="${percent(column)}" height="${PLOT_HEIGHT}" />`,
      )}
      ${[to, from].map((value, at) => html`<line class="grid" x2="100%" y1="${y(value)}" y2="${y(value)}" /><text x="3" y="${at === 0 ? y(value) + 11 : y(value) - 2}">${format(value)}</text>`)}
      ${limit !== undefined && html`<g class="limit"><title>the limit</title><line x2="100%" y1="${y(limit)}" y2="${y(limit)}" /></g>`}
      <svg viewBox="0 0 ${PLOT_UNITS} ${PLOT_HEIGHT}" width="100%" height="${PLOT_HEIGHT}" preserveAspectRatio="none">
        ${lines.map(({ index, values }) => {
          const places = values.flatMap((value, run) =>
            value === undefined || isBeside(run) ? [] : [`${Math.round(x(run) * PLOT_UNITS)} ${y(value)}`],
          );
          return places.length > 1 && html`<path class="curve side-${index}" d="M${places.join('L')}" />`;
        })}
      </svg>
      ${lines.map(
        ({ name, index, values, broken = [] }) =>
          html`<g class="side-${index}"
            >${values.map(
              (value, run) =>
                value !== undefined &&
                html`<circle
                  class="point${isBeside(run) && ' hollow'}${broken[run] === true && ' broken'}"
                  cx="${percent(x(run))}"
                  cy="${y(value)}"
                  r="3.5"
                  ><title>${trend[run]?.run}, ${name}: ${format(value)}</title></circle
                >`,
            )}</g
          >`,
      )}
      <text y="${PLOT_HEIGHT + 12}">${shortName(trend[0])}</text>
      ${trend.length > 1 && html`<text x="100%" y="${PLOT_HEIGHT + 12}" text-anchor="end">${shortName(trend.at(-1))}</text>`}
    </svg>
    <p>
      ${lines.map(({ name, index, values }) => {
        const now = values[trend.findIndex(({ isThis }) => isThis)];
        return html`<span class="curve-key">${curveSample(index)}<span>${name} ${now === undefined ? 'none' : format(now)}</span></span>`;
      })}
    </p>
  </figure>`;
}

function shortName(run: TrendRun | undefined): string {
  const name = run?.run ?? '';
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name;
}

/** Every run with its figures, the newest first. */
function renderTable(trend: readonly TrendRun[]): Markup {
  const [phase] = wholeFirst(trend.flatMap(({ waits }) => waits));
  return html`<div class="table-wrap" tabindex="0" role="region" aria-label="The runs of the trend">
    <table class="data">
      <thead>
        <tr>
          <th scope="col">Run</th>
          <th scope="col">Verdict</th>
          <th scope="col">Target</th>
          <th scope="col" class="num">Scenarios passed</th>
          <th scope="col" class="num">Failed<br /><small>scenarios / trials</small></th>
          <th scope="col" class="num">${phase === undefined ? 'Waits' : formatPhase(phase.phase)}<br /><small>p50 / p95</small></th>
          <th scope="col">Closest to its bound</th>
          <th scope="col">Comparable</th>
        </tr>
      </thead>
      <tbody>
        ${[...trend].reverse().map((one) => renderRun(one, phase?.phase))}
      </tbody>
    </table>
  </div>`;
}

function renderRun(one: TrendRun, phase: string | undefined): Markup {
  const { run, startedAt, target, version, scaleproof, isThis, notComparable, verdict, profiles, failed, waits, closest } = one;
  const wait = waits.find((own) => own.phase === phase);
  const time = (ms: number | undefined): string => (ms === undefined ? '–' : formatDuration(ms));
  return html`<tr>
    <th scope="row">${run}<small>${startedAt.slice(0, 16).replace('T', ' ')} UTC, scaleproof ${scaleproof}</small></th>
    <td>${badge(verdict)}</td>
    <td>${target}<br /><small>${version}</small></td>
    <td class="num">
      ${profiles.map(({ name, passed, judged }, index) => html`${index > 0 && html`<br />`}${name} ${passed} of ${judged}`)}
    </td>
    <td class="num${failed.scenarios > 0 && ' bad'}">${failed.scenarios} / ${failed.trials}</td>
    <td class="num">${time(wait?.p50Ms)} / ${time(wait?.p95Ms)}</td>
    <td class="${closest?.isBroken === true && 'bad'}">
      ${closest === undefined ? '–' : html`${formatPercent(closest.ratio)} of ${closest.bound}<br /><small>${closest.scenario}</small>`}
    </td>
    <td class="why">
      ${isThis ? html`<strong>this run</strong>` : notComparable.length === 0 ? 'yes' : html`no: ${notComparable.join('; ')}`}
    </td>
  </tr>`;
}
