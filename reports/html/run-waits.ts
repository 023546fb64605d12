import { isWholePhase } from '../../history/latency.ts';
import { formatCount, formatDuration } from '../format.ts';
import type { RunReport, ScenarioReport } from '../run-report.ts';
import { waitBounds } from './latency-chart.ts';
import type { WaitBound } from './latency-chart.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';
import { waitCurves, waitTable, wholeFirst } from './wait-curves.ts';

/** How long pods took for each phase, over all trials of the run: where the time goes, and how long its tail is. */
export function renderRunWaits({ totals, scenarios }: RunReport): Markup {
  const { waits = [] } = totals;
  if (waits.length === 0) return html``;
  const trials = scenarios.reduce((sum, { results }) => sum + results.length, 0);
  const sorted = wholeFirst(waits);
  return html`<section aria-labelledby="waits">
    <h2 id="waits">How long pods waited, by phase</h2>
    <p class="muted">
      Over ${formatCount(trials, 'trial')} of ${formatCount(scenarios.length, 'scenario')}, under whatever faults they have. A curve that
      ends below 100 % has pods that never completed the phase.
    </p>
    ${waitCurves(
      sorted.map((wait) => ({
        phase: wait.phase,
        curves: [wait],
        ...(isWholePhase(wait.phase) && { note: 'the whole wait', bounds: boundsOf(wait.phase, scenarios) }),
      })),
      [{ name: 'this run', index: 1 }],
    )}
    ${waitTable(
      sorted.map(({ phase, pods, censored, p50Ms, p95Ms, p99Ms }) => ({
        phase,
        pods,
        censored,
        percentiles: [p50Ms, p95Ms, p99Ms].map((ms) => (ms === undefined ? 'not reached' : formatDuration(ms))),
      })),
    )}
  </section>`;
}

/**
 * The bounds of the whole wait in the scenarios in which pods waited so: broken ones first, then the shortest. A scenario in which no pod
 * ever ran counts for each whole phase.
 */
function boundsOf(phase: string, scenarios: readonly ScenarioReport[]): WaitBound[] {
  const own = scenarios.filter(({ latencies }) => {
    const whole = latencies.filter((one) => isWholePhase(one.phase));
    return whole.length === 0 || whole.some((one) => one.phase === phase);
  });
  const bounds = waitBounds(
    own.flatMap((scenario) => scenario.bounds),
    own.flatMap(({ results }) => results),
  );
  return bounds.sort((a, b) => Number(b.isBroken) - Number(a.isBroken) || a.bound.value - b.bound.value);
}
