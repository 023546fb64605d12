import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { planTrials, runTrials } from '../../harness/run.ts';
import type { PlannedTrial, TrialEnd } from '../../harness/run.ts';
import { whyNotRun } from '../../harness/engine.ts';
import { loadTarget } from '../../harness/load.ts';
import { worldFor } from '../../harness/world-for.ts';
import type { HistoryEvent } from '../../history/events.ts';
import { ofType } from '../../history/lives.ts';
import { percentile } from '../../history/latency.ts';
import { readHistory } from '../../history/reader.ts';
import { removeHistory } from '../../history/usage.ts';
import { defined } from '../../model/defined.ts';
import { formatRatio, formatShort } from '../../reports/format.ts';
import { createPaint } from '../../reports/paint.ts';
import { REPORT_API_VERSION } from '../../reports/run-report.ts';
import { SHORTEST_NAME, renderTable } from '../../reports/table.ts';
import type { Cell, Column } from '../../reports/table.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import type { Target } from '../../targets/target.ts';
import { chooseScenarios, chooseTarget } from '../choose.ts';
import type { Console } from '../console.ts';
import { interruption } from '../interruption.ts';
import { prepareTarget } from '../prepare-targets.ts';
import { Progress } from '../progress.ts';
import { EXIT, UsageError } from '../usage-error.ts';

/** Processor time that the median trial may take. */
export const MEDIAN_LIMIT_MS = 250;

const costSchema = z.strictObject({
  trials: z.number().int(),
  /** Processor time of a trial, user and system, in the process that ran it: without process start and judging. */
  medianCpuMs: z.number(),
  worstCpuMs: z.number(),
  /** Events in the histories per second of processor time. */
  eventsPerCpuS: z.number(),
  /** Virtual time per processor time. */
  ratio: z.number(),
  /** Median virtual time from the target's first start until it was ready; absent if it never was. */
  readyMs: z.number().optional(),
  /** Peak resident memory of the processes that had run trials, including the world. */
  peakMemoryMiB: z.number(),
});
type Cost = z.infer<typeof costSchema>;

/** What `bench --json` prints. */
export const benchReportSchema = z.strictObject({
  apiVersion: z.literal(REPORT_API_VERSION),
  kind: z.literal('BenchReport'),
  target: z.string(),
  /** Only for targets whose trials are light: there is no limit for the others. */
  medianLimitMs: z.number().optional(),
  isWithin: z.boolean().optional(),
  all: costSchema,
  scenarios: z.array(z.strictObject({ scenario: z.string(), ...costSchema.shape })),
});
type BenchReport = z.infer<typeof benchReportSchema>;

/** The cost of one trial. */
interface Sample {
  readonly scenario: string;
  readonly cpuMs: number;
  readonly virtualMs: number;
  readonly events: number;
  readonly readyMs: number | undefined;
  readonly peakMemoryMiB: number;
}

/**
 * `scaleproof bench`: measures what trials of a target cost, one after the other.
 * @returns the exit code: unknown when a trial could not be measured, else pass, whatever the cost
 */
export async function bench(
  options: {
    readonly scenarios: readonly string[];
    readonly target: string;
    readonly trials: number;
    readonly nodes?: number | undefined;
    readonly json: boolean;
  },
  console: Console,
): Promise<number> {
  const target = await prepareTarget(chooseTarget(options.target), console);
  const loaded = await loadTarget(target.ref);
  if (loaded.external !== undefined) throw new UsageError(`${target.label} is an external target, so its cost can't be measured`);
  const { capabilities } = worldFor(loaded).facts;
  const chosen = (await chooseScenarios({ suites: [], scenarios: options.scenarios })).filter(
    ({ scenario }) => whyNotRun(scenario, loaded, capabilities) === undefined,
  );
  const seeds = Array.from({ length: options.trials }, (_none, index) => index + 1);
  const planned = (await Promise.all(chosen.map((source) => planTrials(source, target, seeds, defined({ nodes: options.nodes }))))).flat();
  if (planned.length === 0) throw new UsageError(`${target.label} can run none of these scenarios`);
  const samples = await measure(planned, console);
  if (samples.length < planned.length)
    console.err(`scaleproof: ${planned.length - samples.length} of ${planned.length} trials have no verdict and are not measured\n`);
  if (samples.length === 0) return EXIT.unknown;
  const report = benchReportSchema.parse(reportOf(samples, { target: target.label, cost: loaded.cost }));
  if (options.json) console.out(`${JSON.stringify(report, undefined, 2)}\n`);
  else console.out(formatBench(report, console));
  return samples.length === planned.length ? EXIT.pass : EXIT.unknown;
}

/** Runs the trials and keeps only their cost. */
async function measure(planned: readonly PlannedTrial[], console: Console): Promise<Sample[]> {
  const directory = mkdtempSync(join(tmpdir(), 'scaleproof-bench-'));
  mkdirSync(join(directory, 'histories'));
  const clock = createRealTimeline().scope('bench');
  const progress = new Progress(console, { total: planned.length, clock, timeName: 'virtual time' });
  const interrupted = interruption();
  const samples: Sample[] = [];
  const finish = (trial: PlannedTrial, end: TrialEnd): void => {
    const path = join(directory, trial.history);
    if (end.kind === 'judged' && end.result.verdict !== 'unknown' && end.cost !== undefined) {
      const { events } = readHistory(path);
      const facts = { virtualMs: end.result.virtualMs, events: events.length, readyMs: readyMsOf(events) };
      samples.push({ scenario: trial.scenario.id, ...end.cost, ...facts });
    }
    removeHistory(path);
    progress.end(trial, end);
  };
  try {
    await runTrials(planned, {
      directory,
      // In parallel they would share caches, and cost more.
      workers: 1,
      signal: interrupted.signal,
      onBegin: (trial) => progress.begin(trial),
      onEnd: finish,
    });
    return samples;
  } finally {
    progress.close();
    interrupted.release();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** From the target's first start until it was ready. */
function readyMsOf(events: readonly HistoryEvent[]): number | undefined {
  const [start] = ofType(events, 'target.start');
  const [ready] = ofType(events, 'target.ready');
  return start === undefined || ready === undefined ? undefined : ready.t - start.t;
}

/** @param samples at least one */
export function reportOf(
  samples: readonly Sample[],
  { target, cost }: { readonly target: string; readonly cost?: Target['cost'] },
): BenchReport {
  const all = costOf(samples);
  return {
    apiVersion: REPORT_API_VERSION,
    kind: 'BenchReport',
    target,
    ...(cost !== 'heavy' && { medianLimitMs: MEDIAN_LIMIT_MS, isWithin: all.medianCpuMs <= MEDIAN_LIMIT_MS }),
    all,
    scenarios: [...Map.groupBy(samples, ({ scenario }) => scenario)].map(([scenario, those]) => ({ scenario, ...costOf(those) })),
  };
}

function costOf(samples: readonly Sample[]): Cost {
  const cpuMs = samples.map((sample) => sample.cpuMs).sort((a, b) => a - b);
  const total = sum(cpuMs);
  const readyMs = samples.flatMap((sample) => sample.readyMs ?? []).sort((a, b) => a - b);
  return {
    trials: samples.length,
    medianCpuMs: percentile(cpuMs, 50),
    worstCpuMs: cpuMs.at(-1) ?? 0,
    eventsPerCpuS: (1_000 * sum(samples.map(({ events }) => events))) / total,
    ratio: sum(samples.map(({ virtualMs }) => virtualMs)) / total,
    ...defined({ readyMs: readyMs.length === 0 ? undefined : percentile(readyMs, 50) }),
    peakMemoryMiB: Math.max(...samples.map((sample) => sample.peakMemoryMiB)),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const COLUMNS: readonly Column[] = [
  { heading: 'SCENARIO', align: 'left', shrinkTo: SHORTEST_NAME },
  { heading: 'TRIALS', align: 'right' },
  { heading: 'CPU MEDIAN', align: 'right' },
  { heading: 'CPU WORST', align: 'right', leaveOut: 2 },
  { heading: 'EVENTS/CPU S', align: 'right' },
  { heading: 'VIRTUAL/CPU', align: 'right', leaveOut: 1 },
  { heading: 'READY', align: 'right' },
  { heading: 'MEMORY', align: 'right' },
];

/** A table by scenario, most expensive first, with a row for all. */
export function formatBench(report: BenchReport, { color, columns }: Pick<Console, 'color' | 'columns'>): string {
  const paint = createPaint(color);
  const { all, scenarios, medianLimitMs, isWithin } = report;
  const row = (name: string, { trials, medianCpuMs, worstCpuMs, eventsPerCpuS, ratio, readyMs, peakMemoryMiB }: Cost): Cell[] => [
    { text: name },
    { text: String(trials) },
    { text: formatShort(medianCpuMs) },
    { text: formatShort(worstCpuMs) },
    { text: String(Math.round(eventsPerCpuS)) },
    { text: formatRatio(ratio) },
    { text: readyMs === undefined ? '-' : formatShort(readyMs) },
    { text: `${peakMemoryMiB} MiB` },
  ];
  const byCost = [...scenarios].sort((a, b) => b.medianCpuMs - a.medianCpuMs);
  const limit = medianLimitMs === undefined ? '' : `, ${isWithin === true ? 'within' : 'more than'} ${formatShort(medianLimitMs)}`;
  const verdict = `the median trial takes ${formatShort(all.medianCpuMs)} of processor time${limit}`;
  return [
    ...renderTable(COLUMNS, [...byCost.map(({ scenario, ...cost }) => row(scenario, cost)), row('all', all)], {
      maxWidth: columns,
      paintHeading: (text) => paint('dim', text),
    }),
    '',
    isWithin === undefined ? verdict : paint(isWithin ? 'pass' : 'fail', verdict),
    '',
  ].join('\n');
}
