import type { Bound } from '../../history/events.ts';
import { isWholePhase } from '../../history/latency.ts';
import type { Latency } from '../../history/verdict.ts';
import { isBroken } from '../broken.ts';
import { formatDuration, formatLimit, formatPhase } from '../format.ts';
import type { BoundReport, TrialReport } from '../run-report.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';

/** A bound further away than this many times the longest wait is drawn at the edge, not to scale. */
const FAR = 4;
const ROW_HEIGHT = 20;
/** Relative width, with room for a label to the right of the furthest mark. */
const ROOM = 1.08;

/** A bound within which pods had to run. */
export interface WaitBound {
  readonly bound: Bound;
  readonly isBroken: boolean;
}

/** The bounds within which pods had to run. @param measured the bounds of some trials, with their worst values */
export function waitBounds(
  measured: readonly Pick<BoundReport, 'check' | 'bound' | 'worst'>[],
  trials: readonly Pick<TrialReport, 'checks'>[],
): WaitBound[] {
  const byName = new Map<string, WaitBound>();
  for (const one of measured) {
    const { check, bound } = one;
    if (check !== 'success-rate' || bound.unit !== 'ms') continue;
    byName.set(bound.name, { bound, isBroken: byName.get(bound.name)?.isBroken === true || isBroken(one, trials) });
  }
  return [...byName.values()];
}

/** A bound in words. @param isNear it is drawn, and not beyond the right edge */
export function limitText({ bound, isBroken: broken }: WaitBound, isNear: boolean): string {
  return `bound ${bound.name}, ${formatLimit(bound)}${isNear ? '' : ', beyond the right edge'}${broken ? ', not kept' : ''}`;
}

/** Each phase as a bar from p50 to p99, with a mark at p95, on one axis with the bounds of the whole wait. */
export function latencyChart(latencies: readonly Latency[], bounds: readonly WaitBound[], of: string): Markup {
  if (latencies.length === 0) return html``;
  const longestMs = Math.max(1, ...latencies.map(({ p99Ms }) => p99Ms));
  const near = bounds.filter(({ bound }) => bound.value <= FAR * longestMs);
  const endMs = ROOM * Math.max(longestMs, ...near.map(({ bound }) => bound.value));
  const x = (ms: number): string => `${Math.round((ms / endMs) * 10_000) / 100}%`;
  const height = latencies.length * ROW_HEIGHT + 8;
  const words = bounds.map((one) => ({ text: limitText(one, near.includes(one)), isBroken: one.isBroken }));
  return html`<div class="latency-chart">
    <svg class="phases" width="150" height="${height}" aria-hidden="true">
      ${latencies.map(({ phase }, index) => html`<text x="144" y="${index * ROW_HEIGHT + 15}">${formatPhase(phase)}</text>`)}
    </svg>
    <svg
      class="waits"
      width="100%"
      height="${height}"
      role="img"
      aria-label="Latency by phase ${of}, p50 to p99${words.map(({ text }) => `; ${text}`)}"
    >
      ${latencies.map(({ phase, p50Ms, p95Ms, p99Ms }, index) => {
        const y = index * ROW_HEIGHT + 5;
        return html`<g class="wait${isWholePhase(phase) && ' whole'}">
          <title>${formatPhase(phase)}: p50 ${formatDuration(p50Ms)}, p95 ${formatDuration(p95Ms)}, p99 ${formatDuration(p99Ms)}</title>
          <line x1="0" x2="${x(p50Ms)}" y1="${y + 6}" y2="${y + 6}" />
          <rect x="${x(p50Ms)}" width="${x(Math.max(p99Ms - p50Ms, endMs / 200))}" y="${y}" height="12" />
          <line class="p95" x1="${x(p95Ms)}" x2="${x(p95Ms)}" y1="${y - 2}" y2="${y + 14}" />
        </g>`;
      })}
      ${near.map(({ bound: { name, value }, isBroken: broken }) => html`<g class="limit${broken && ' broken'}"><title>bound ${name}</title><line x1="${x(value)}" x2="${x(value)}" y1="0" y2="${height}" /></g>`)}
    </svg>
    <p class="muted">
      Bars from p50 to p99, a mark at p95, up to
      ${formatDuration(endMs)}.${words.length > 0 && html` <span class="limit-key">┃</span> pods had to run within: ${words.map(({ text, isBroken: broken }, index) => html`${index > 0 && '; '}${broken ? html`<span class="bad">✗ ${text}</span>` : text}`)}.`}
    </p>
  </div>`;
}
