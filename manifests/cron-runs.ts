import { EPOCH_MS } from '../harness/world-for.ts';
import { hitsWithin, parseCron } from '../model/cron.ts';
import { defined } from '../model/defined.ts';
import { parseDurationMs } from '../model/go-duration.ts';
import type { CronRun, MixWorkload } from './mix.ts';
import type { UserWorkload } from './workloads.ts';

const DAY_MS = 86_400_000;
/** A trial should last minutes. */
const WINDOW_MS = 1_800_000;
/**
 * The month whose schedules are looked at: July 2026, in which trials begin. It has each day of the month. Half-hours at
 * its ends count, too.
 */
const MONTH = { fromMs: EPOCH_MS, toMs: EPOCH_MS + 31 * DAY_MS + WINDOW_MS };

/** How long a run takes at least, with the time until it is served: one that is due earlier is left out. */
const RUN_MS = 300_000;

/** The runs that `manifests/job-schedules` follows: those of CronJobs that can be served, or none if there would be a single one. */
export function followedRuns(workloads: readonly MixWorkload[]): CronRun[] {
  const runs = busiestRuns(workloads.filter(({ replicas, feasibility }) => replicas > 0 && feasibility.kind === 'servable'));
  return runs.length < 2 ? [] : runs;
}

/** Says which time the scenario follows, and which CronJobs start then. */
export function scheduleNotes(workloads: readonly MixWorkload[], runs: readonly CronRun[]): string[] {
  const [first] = runs;
  if (first === undefined) return [];
  const titles = new Set(runs.map(({ cronJob }) => cronJob.title));
  const others = workloads.filter(({ title, schedule }) => schedule !== undefined && !titles.has(title)).length;
  const rest = others === 0 ? '' : `; ${others} other ${others === 1 ? 'CronJob does' : 'CronJobs do'} not start then`;
  const from = new Date(first.atMs).toUTCString();
  return [`manifests/job-schedules follows the schedules for half an hour from ${from}: ${[...titles].join(', ')}${rest}`];
}

/** The runs in the half-hour of a month in which CronJobs create the most pods, the first such, by time and then in the order of the CronJobs. */
function busiestRuns(workloads: readonly MixWorkload[]): CronRun[] {
  const all = workloads
    .flatMap((cronJob) => (cronJob.schedule === undefined ? [] : startsOf(cronJob.schedule).map((atMs) => ({ cronJob, atMs }))))
    .sort((a, b) => a.atMs - b.atMs);
  const { start, end } = busiestSpan(all.map(({ cronJob, atMs }) => ({ atMs, pods: cronJob.replicas })));
  const firstMs = all[start]?.atMs ?? 0;
  return all.slice(start, end).map((run) => ({ ...run, sinceMs: run.atMs - firstMs }));
}

const EVERY = '@every ';
const SECOND_MS = 1_000;

/** When a CronJob starts runs in the month, each RUN_MS after the one before or later; one that counts from its own creation is as old as the month. */
function startsOf({ text, timeZone }: NonNullable<UserWorkload['schedule']>): number[] {
  const { fromMs, toMs } = MONTH;
  if (text.startsWith(EVERY)) {
    // As in Go's cron: whole seconds, at least one.
    const writtenMs = Math.floor((parseDurationMs(text.slice(EVERY.length)) ?? Infinity) / SECOND_MS) * SECOND_MS;
    const periodMs = Math.ceil(RUN_MS / Math.max(SECOND_MS, writtenMs)) * Math.max(SECOND_MS, writtenMs);
    return Array.from({ length: Math.floor((toMs - fromMs) / periodMs) }, (_, index) => fromMs + (index + 1) * periodMs);
  }
  const cron = parseCron(text);
  if (cron === undefined) return [];
  let lastMs = -Infinity;
  return hitsWithin(cron, { fromMs: fromMs - 1, toMs, ...defined({ timeZone }) }).filter((atMs) => {
    if (atMs < lastMs + RUN_MS) return false;
    lastMs = atMs;
    return true;
  });
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
