import { WHOLE_PHASES, isFromHeal } from '../history/latency.ts';
import { formatShort } from './format.ts';
import type { Ink } from './paint.ts';
import type { ScenarioReport } from './run-report.ts';
import { SHORTEST_NAME, renderTable, tableWidth, wrap } from './table.ts';
import type { Cell, Column } from './table.ts';

type Paint = (ink: Ink, text: string) => string;

/** p50 / p95 / p99 of each phase: one row per scenario if there is room, else a row for each percentile. */
export function latencyTable(scenarios: readonly ScenarioReport[], paint: Paint, width: number): string[] {
  const measured = scenarios.flatMap(latencyRows);
  const steps = [...new Set(scenarios.flatMap(({ latencies }) => latencies.map(({ phase }) => stepOf(phase))))];
  // The total comes last, in any order of scenarios.
  const headings = [...steps.filter((step) => step !== TOTAL), ...steps.filter((step) => step === TOTAL)];
  if (headings.length === 0) return [];
  const columns = headings.map((heading): Column => ({ heading, align: 'right' }));
  const first: Column = { heading: 'LATENCY', align: 'left', shrinkTo: SHORTEST_NAME };
  const wide = measured.map(({ name, latencies }): Cell[] => [
    { text: name },
    ...headings.map((step) => ({ text: PERCENTILES.map((key) => latencyText(latencies, step, key)).join(' / ') })),
  ]);
  const layout = { maxWidth: width, paintHeading: (text: string) => paint('dim', text) };
  const legend = [
    'p50 / p95 / p99 from the previous step; pods that waited for a new node',
    ...(measured.some(({ name }) => name === FROM_HEAL)
      ? [`${FROM_HEAL.trim()}: pods that could not be served before, measured from the heal`]
      : []),
  ].flatMap((text) => wrap(text, width).map((line) => paint('dim', line)));
  if (tableWidth([first, ...columns], wide) <= width) return [...renderTable([first, ...columns], wide, layout), ...legend];
  const narrow = (kept: readonly string[]): Cell[][] =>
    measured.flatMap(({ name, latencies }) =>
      PERCENTILES.map((key, index): Cell[] => [
        { text: index === 0 ? name : '' },
        { text: key.slice(0, 3), paint: (text) => paint('dim', text) },
        ...kept.map((step) => ({ text: latencyText(latencies, step, key) })),
      ]),
    );
  const columnsOf = (kept: readonly string[]): Column[] => [
    first,
    { heading: '', align: 'left' },
    ...columns.filter(({ heading }) => kept.includes(heading)),
  ];
  const longest = Math.max(...measured.map(({ name }) => name.length));
  const doesFit = tableWidth(columnsOf(headings), narrow(headings)) - Math.max(0, longest - SHORTEST_NAME) <= width;
  // Without room for the steps, only the total is shown.
  const kept = doesFit ? headings : [TOTAL];
  return [...renderTable(columnsOf(kept), narrow(kept), layout), ...legend];
}

const PERCENTILES = ['p50Ms', 'p95Ms', 'p99Ms'] as const;
const TOTAL = 'TOTAL';
const FROM_HEAL = '  from the heal';

interface LatencyRow {
  readonly name: string;
  readonly latencies: ScenarioReport['latencies'];
}

/** Pods that are measured from the heal have their own row. */
function latencyRows({ id, latencies }: ScenarioReport): LatencyRow[] {
  const healed = latencies.filter(({ phase }) => isFromHeal(phase));
  const others = latencies.filter(({ phase }) => !isFromHeal(phase));
  return [
    { name: id, latencies: others },
    { name: FROM_HEAL, latencies: healed },
  ].filter((row, index) => (index === 0 ? latencies.length > 0 : row.latencies.length > 0));
}

function latencyText(latencies: ScenarioReport['latencies'], step: string, key: (typeof PERCENTILES)[number]): string {
  const latency = latencies.find(({ phase }) => stepOf(phase) === step);
  return latency === undefined ? '-' : formatShort(latency[key]);
}

/** The heading of a step such as `pending -> request` is its end; the whole wait until running is the total. */
function stepOf(phase: string): string {
  const isWhole = phase === WHOLE_PHASES.fromCreation || phase === WHOLE_PHASES.fromHeal;
  return isWhole ? TOTAL : phase.replace(/^.* -> /, '').toUpperCase();
}
