import type { CriterionName, GateDecision, PhaseSide } from '../../gate/verdict.ts';
import { CONFIDENCE, lowerSuccessBound, upperSuccessBound } from '../../history/confidence.ts';
import type { WaitCurve } from '../../history/wait-curve.ts';
import { formatDuration, formatPercent } from '../format.ts';
import { SIDES, measuredOf, totalOf } from '../gate.ts';
import type { SideName } from '../gate.ts';
import type { ScenarioPair } from '../../gate/outcome.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';
import { sideKey } from './sides.ts';
import { waitCurves, waitTable, wholeFirst } from './wait-curves.ts';

/** A position on an axis: 0 to 100 %. */
function place(share: number): string {
  return `${Math.round(Math.min(1, Math.max(0, share)) * 10_000) / 100}%`;
}

/** The axis of shares begins at a multiple of this, below all bounds, so that sides close to 100 % can be told apart. */
const SHARE_STEP = 0.1;

/** The share of trials that pass on each side, with its bounds, on one axis. */
export function passChart(scenarios: readonly ScenarioPair[]): Markup {
  const sides = SIDES.flatMap((side, index) => {
    const { pass, fail } = totalOf(scenarios, side);
    if (pass + fail === 0) return [];
    const alpha = 1 - CONFIDENCE;
    const [lower, upper] = [lowerSuccessBound(pass, pass + fail, alpha), upperSuccessBound(pass, pass + fail, alpha)];
    return [{ side, index, pass, all: pass + fail, lower, upper }];
  });
  if (sides.length === 0) return html``;
  const from = Math.max(0, (Math.ceil(Math.min(...sides.map(({ lower }) => lower)) / SHARE_STEP) - 1) * SHARE_STEP);
  const x = (share: number): string => place((share - from) / (1 - from));
  return html`<figure class="chart">
    <figcaption>Trials that pass</figcaption>
    <p class="keys">Each bound has ${formatPercent(CONFIDENCE)} confidence; trials without a verdict do not count.</p>
    ${sides.map(
      ({ side, index, pass, all, lower, upper }) =>
        html`<div class="row">
          <span
            >${keyOf(side)}<small
              >${pass} of ${all}: ${formatPercent(pass / all)}, ${formatPercent(lower)} to ${formatPercent(upper)}</small
            ></span
          >
          <svg height="18" aria-hidden="true">
            ${[0, 0.5, 1].map((at) => html`<line class="grid" x1="${place(at)}" x2="${place(at)}" y1="0" y2="18" />`)}
            <rect class="range side-${index}" x="${x(lower)}" width="${place((upper - lower) / (1 - from))}" y="4" height="10" rx="3" />
            <circle class="point side-${index}" cx="${x(pass / all)}" cy="9" r="6" />
          </svg>
        </div>`,
    )}
    <div class="axis" aria-hidden="true">${[from, (from + 1) / 2, 1].map((share) => html`<span>${formatPercent(share)}</span>`)}</div>
  </figure>`;
}

/** A side's colour and name. */
function keyOf(side: SideName): Markup {
  return html`<span>${sideKey(SIDES.indexOf(side))}${side}</span>`;
}

/** The waits of both sides by phase, in the same axes. */
export function latencyChart({ phases, criteria }: Pick<GateDecision, 'phases' | 'criteria'>): Markup {
  if (phases.length === 0) return html``;
  const sorted = wholeFirst(phases).sort((a, b) => Number(b.isJudged) - Number(a.isJudged));
  const told = criteria.flatMap((criterion) => {
    const { measured, limit } = measuredOf(criterion);
    return OF_WAITS.includes(criterion.criterion) && 'estimate' in criterion.numbers
      ? [html`${criterion.criterion}, all judged phases together: ${measured}, limit ${limit}`]
      : [];
  });
  return html`<h3>Waits of pods by phase</h3>
    ${waitCurves(
      sorted.map(({ phase, isJudged, ...sides }) => ({
        phase,
        curves: SIDES.map((side) => curveOf(sides[side])),
        ...(isJudged && { note: 'judged', told }),
      })),
      SIDES.map((name, index) => ({ name, index })),
    )}
    ${waitTable(
      sorted.flatMap(({ phase, ...sides }) =>
        SIDES.map((side) => {
          const own = sides[side];
          const percentiles = (['p50', 'p95', 'p99'] as const).map((name) => (own === undefined ? '–' : rangeText(own[name])));
          return { phase, side, pods: own?.pods, censored: own?.censored, percentiles };
        }),
      ),
    )}`;
}

/** The criteria that compare waits. */
const OF_WAITS: readonly CriterionName[] = ['latency-shift', 'latency-tail'];

/** Undefined for a decision of an older version, which has no curves. */
function curveOf(side: PhaseSide | undefined): WaitCurve | undefined {
  return side?.curveMs === undefined ? undefined : { pods: side.pods, censored: side.censored, curveMs: side.curveMs };
}

function rangeText({ ms, isAtLeast }: PhaseSide['p50']): string {
  return `${isAtLeast ? '≥ ' : ''}${formatDuration(ms)}`;
}
