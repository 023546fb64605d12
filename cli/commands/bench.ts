import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { planTrials, runTrials } from '../../harness/run.ts';
import type { PlannedTrial, TrialEnd } from '../../harness/run.ts';
import { whyNotRun } from '../../harness/engine.ts';
import { worldFor } from '../../harness/world-for.ts';
import { percentile } from '../../history/latency.ts';
import { readHistory } from '../../history/reader.ts';
import { formatPercent, formatRatio, formatShort } from '../../reports/format.ts';
import { createPaint } from '../../reports/paint.ts';
import { REPORT_API_VERSION } from '../../reports/run-report.ts';
import { SHORTEST_NAME, renderTable } from '../../reports/table.ts';
import type { Cell, Column } from '../../reports/table.ts';
import { reference } from '../../targets/reference.ts';
import { chooseScenarios } from '../choose.ts';
import type { Console } from '../console.ts';
import { interruption } from '../interruption.ts';
import { Progress } from '../progress.ts';
import { EXIT, UsageError } from '../usage-error.ts';

/** Processor time that the median trial may take. */
export const MEDIAN_LIMIT_MS = 250;

const costSchema = z.strictObject({
  trials: z.number().int(),
  /** Processor time a trial, user and system, of the process that ran it: without its start and without judging. */
  medianCpuMs: z.number(),
  worstCpuMs: z.number(),
  /** Events of the histories for each second of processor time. */
  eventsPerCpuS: z.number(),
  /** Virtual time for each processor time. */
  ratio: z.number(),
});
type Cost = z.infer<typeof costSchema>;

/** What `bench --json` prints. */
export const benchReportSchema = z.strictObject({
  apiVersion: z.literal(REPORT_API_VERSION),
  kind: z.literal('BenchReport'),
  target: z.string(),
  medianLimitMs: z.number(),
  isWithin: z.boolean(),
  all: costSchema,
  scenarios: z.array(z.strictObject({ scenario: z.string(), ...costSchema.shape })),
});
type BenchReport = z.infer<typeof benchReportSchema>;

/** What one trial took. */
interface Sample {
  readonly scenario: string;
  readonly cpuMs: number;
  readonly virtualMs: number;
  readonly events: number;
}

/**
 * `scaleproof bench`: what trials of the reference cost, one after the other.
 * @returns the exit code: unknown when a trial could not be measured, else pass, whatever they cost
 */
export async function bench(
  options: { readonly scenarios: readonly string[]; readonly trials: number; readonly json: boolean },
  console: Console,
): Promise<number> {
  const { capabilities } = worldFor(reference).facts;
  const chosen = (await chooseScenarios({ suites: [], scenarios: options.scenarios })).filter(
    ({ scenario }) => whyNotRun(scenario, reference, capabilities) === undefined,
  );
  const seeds = Array.from({ length: options.trials }, (_none, index) => index + 1);
  const target = { ref: { name: reference.name }, label: reference.name };
  const planned = (await Promise.all(chosen.map((source) => planTrials(source, target, seeds)))).flat();
  if (planned.length === 0) throw new UsageError(`${reference.name} can be asked for none of these scenarios`);
  const samples = await measure(planned, console);
  if (samples.length < planned.length)
    console.err(`scaleproof: ${planned.length - samples.length} of ${planned.length} trials came to no verdict: they are not measured\n`);
  if (samples.length === 0) return EXIT.unknown;
  const report = benchReportSchema.parse(reportOf(samples));
  if (options.json) console.out(`${JSON.stringify(report, undefined, 2)}\n`);
  else console.out(formatBench(report, console));
  return samples.length === planned.length ? EXIT.pass : EXIT.unknown;
}

/** Runs the trials and keeps nothing of them but what they took. */
async function measure(planned: readonly PlannedTrial[], console: Console): Promise<Sample[]> {
  const directory = mkdtempSync(join(tmpdir(), 'scaleproof-bench-'));
  mkdirSync(join(directory, 'histories'));
  const progress = new Progress(console, { total: planned.length, timeName: 'virtual time' });
  const interrupted = interruption();
  const samples: Sample[] = [];
  const finish = (trial: PlannedTrial, end: TrialEnd): void => {
    const path = join(directory, trial.history);
    if (end.kind === 'judged' && end.result.verdict !== 'unknown' && end.cpuMs !== undefined)
      samples.push({
        scenario: trial.scenario.id,
        cpuMs: end.cpuMs,
        virtualMs: end.result.virtualMs,
        events: readHistory(path).events.length,
      });
    rmSync(path, { force: true });
    progress.end(trial, end);
  };
  try {
    await runTrials(planned, {
      directory,
      // Beside each other they would share caches, and cost more.
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

/** @param samples at least one */
export function reportOf(samples: readonly Sample[]): BenchReport {
  const all = costOf(samples);
  return {
    apiVersion: REPORT_API_VERSION,
    kind: 'BenchReport',
    target: reference.name,
    medianLimitMs: MEDIAN_LIMIT_MS,
    isWithin: all.medianCpuMs <= MEDIAN_LIMIT_MS,
    all,
    scenarios: [...Map.groupBy(samples, ({ scenario }) => scenario)].map(([scenario, those]) => ({ scenario, ...costOf(those) })),
  };
}

function costOf(samples: readonly Sample[]): Cost {
  const cpuMs = samples.map((sample) => sample.cpuMs).sort((a, b) => a - b);
  const total = sum(cpuMs);
  return {
    trials: samples.length,
    medianCpuMs: percentile(cpuMs, 50),
    worstCpuMs: cpuMs.at(-1) ?? 0,
    eventsPerCpuS: (1_000 * sum(samples.map(({ events }) => events))) / total,
    ratio: sum(samples.map(({ virtualMs }) => virtualMs)) / total,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const COLUMNS: readonly Column[] = [
  { heading: 'SCENARIO', align: 'left', shrinkTo: SHORTEST_NAME },
  { heading: 'TRIALS', align: 'right' },
  { heading: 'CPU MEDIAN', align: 'right' },
  { heading: 'CPU WORST', align: 'right' },
  { heading: 'OF THE LIMIT', align: 'right' },
  { heading: 'EVENTS/CPU S', align: 'right' },
  { heading: 'VIRTUAL/CPU', align: 'right' },
];

/** A table by scenario, the dearest first, and the whole. */
export function formatBench(report: BenchReport, { color, columns }: Pick<Console, 'color' | 'columns'>): string {
  const paint = createPaint(color);
  const { all, scenarios, medianLimitMs, isWithin } = report;
  const row = (name: string, { trials, medianCpuMs, worstCpuMs, eventsPerCpuS, ratio }: Cost): Cell[] => [
    { text: name },
    { text: String(trials) },
    { text: formatShort(medianCpuMs) },
    { text: formatShort(worstCpuMs) },
    { text: formatPercent(medianCpuMs / medianLimitMs) },
    { text: String(Math.round(eventsPerCpuS)) },
    { text: formatRatio(ratio) },
  ];
  const dearest = [...scenarios].sort((a, b) => b.medianCpuMs - a.medianCpuMs);
  const verdict = `the median trial takes ${formatShort(all.medianCpuMs)} of processor time, ${isWithin ? 'within' : 'more than'} ${formatShort(medianLimitMs)}`;
  return [
    ...renderTable(COLUMNS, [...dearest.map(({ scenario, ...cost }) => row(scenario, cost)), row('all', all)], {
      maxWidth: columns,
      paintHeading: (text) => paint('dim', text),
    }),
    '',
    paint(isWithin ? 'pass' : 'fail', verdict),
    '',
  ].join('\n');
}
