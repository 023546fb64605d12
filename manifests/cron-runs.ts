import { hitsWithin, parseCron } from '../model/cron.ts';
import { defined } from '../model/defined.ts';
import { parseDurationMs } from '../model/go-duration.ts';
import type { MixWorkload } from './mix.ts';
import type { UserWorkload } from './workloads.ts';

/** The month whose schedules are looked at: July 2026, in which trials begin. It has each day of the month. */
const MONTH = { fromMs: Date.UTC(2026, 6, 1), toMs: Date.UTC(2026, 7, 1) };
/** A trial should last minutes. */
export const WINDOW_MS = 1_800_000;

/** A start of a CronJob. */
export interface CronRun {
  readonly cronJob: MixWorkload;
  readonly atMs: number;
  /** Since the first of these runs. */
  readonly sinceMs: number;
}

/** The runs in the half-hour of a month in which CronJobs create the most pods, the first such, by time and then in the order of the CronJobs. */
export function busiestRuns(workloads: readonly MixWorkload[]): CronRun[] {
  const all = workloads
    .flatMap((cronJob) => (cronJob.schedule === undefined ? [] : startsOf(cronJob.schedule).map((atMs) => ({ cronJob, atMs }))))
    .sort((a, b) => a.atMs - b.atMs);
  const { start, end } = busiestSpan(all.map(({ cronJob, atMs }) => ({ atMs, pods: cronJob.replicas })));
  const firstMs = all[start]?.atMs ?? 0;
  return all.slice(start, end).map((run) => ({ ...run, sinceMs: run.atMs - firstMs }));
}

const EVERY = '@every ';
/** Go's cron rounds shorter periods up. */
const LEAST_EVERY_MS = 1_000;

/** When a CronJob starts runs in the month; one that counts from its own creation is as old as the month. */
function startsOf({ text, timeZone }: NonNullable<UserWorkload['schedule']>): number[] {
  const { fromMs, toMs } = MONTH;
  if (text.startsWith(EVERY)) {
    const periodMs = Math.max(LEAST_EVERY_MS, parseDurationMs(text.slice(EVERY.length)) ?? Infinity);
    return Array.from({ length: Math.floor((toMs - fromMs) / periodMs) }, (_, index) => fromMs + (index + 1) * periodMs);
  }
  const cron = parseCron(text);
  return cron === undefined ? [] : hitsWithin(cron, { ...MONTH, ...defined({ timeZone }) });
}

/** Which of these, sorted by time, start within WINDOW_MS with the most pods: from `start` to before `end`. */
function busiestSpan(starts: readonly { readonly atMs: number; readonly pods: number }[]): { start: number; end: number } {
  let best = { start: 0, end: 0, pods: 0 };
  let end = 0;
  let pods = 0;
  for (const [start, { atMs, pods: own }] of starts.entries()) {
    for (let next = starts[end]; next !== undefined && next.atMs < atMs + WINDOW_MS; next = starts[end]) {
      pods += next.pods;
      end += 1;
    }
    if (pods > best.pods) best = { start, end, pods };
    pods -= own;
  }
  return best;
}
