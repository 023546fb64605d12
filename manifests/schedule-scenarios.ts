import type { Scenario, Trial, Workload } from '../harness/scenario.ts';
import type { MixWorkload } from './mix.ts';
import { peakOf, scalingSteps } from './pod-autoscalers.ts';
import type { ScalingStep } from './pod-autoscalers.ts';
import { place, placeAndWait, untilServed } from './placed.ts';
import type { ScenarioSet, Theme } from './theme.ts';
import { runAt } from './workloads.ts';

/** Scenarios in which pods come and go by the clock, or with the load. */
export function scheduleScenarios(theme: Theme): ScenarioSet {
  const { workloads } = theme.mix;
  return {
    scheduledJobs: workloads.some(({ schedule, replicas }) => schedule !== undefined && replicas > 0) ? scheduledJobs(theme) : undefined,
    jobSchedules: jobSchedules(theme),
    loadPeak: workloads.some(hasPeak) ? loadPeak(theme) : undefined,
  };
}

/** Whether it runs now, its autoscaler adds pods to it, and its peak can be served. */
function hasPeak({ scaling, feasibility, replicas }: MixWorkload): boolean {
  if (scaling?.peak.kind !== 'servable' || feasibility.kind !== 'servable' || replicas === 0) return false;
  return peakOf(replicas, scaling) > replicas;
}

function loadPeak({ mix, define }: Theme): Scenario {
  return define({
    id: 'load-peak',
    title: 'your mix under a peak of load: pod autoscalers scale it to its maximum and back, new pods are served, and budgets hold',
    async run(t) {
      const placed = await placeAndWait(t, mix, 'provision');
      const scaled = placed.flatMap(({ workload, from }) =>
        from.scaling !== undefined && hasPeak(from) ? [{ workload, from, scaling: from.scaling }] : [],
      );
      await follow(
        t,
        scaled.map(({ workload, from, scaling }) => ({ workload, steps: scalingSteps(from.replicas, scaling.max, scaling) })),
      );
      await untilServed(t, placed, 'provision');
      await follow(
        t,
        scaled.map(({ workload, from, scaling }) => ({
          workload,
          steps: scalingSteps(peakOf(from.replicas, scaling), scaling.min, scaling),
        })),
      );
      await t.pass('scale-in');
    },
  });
}

/** Scales workloads, each by its own steps. */
async function follow(
  t: Trial,
  scalings: readonly { readonly workload: Workload; readonly steps: readonly ScalingStep[] }[],
): Promise<void> {
  const all = scalings.flatMap(({ workload, steps }) => steps.map((step) => ({ workload, ...step }))).sort((a, b) => a.atMs - b.atMs);
  let nowMs = 0;
  for (const { workload, atMs, replicas } of all) {
    if (atMs > nowMs) await t.pause({ minMs: atMs - nowMs, maxMs: atMs - nowMs });
    nowMs = Math.max(nowMs, atMs);
    await t.scale(workload, replicas);
  }
}

function scheduledJobs({ mix, define }: Theme): Scenario {
  const isScheduled = ({ schedule }: (typeof mix.workloads)[number]): boolean => schedule !== undefined;
  const others = mix.workloads.filter((workload) => !isScheduled(workload));
  return define({
    id: 'scheduled-jobs',
    title: 'your mix runs, and all CronJobs start in the same minute: their pods are served beside it, and their nodes go when they end',
    async run(t) {
      await placeAndWait(t, { companions: mix.companions, workloads: others }, 'provision');
      const jobs = await place(t, { companions: [], workloads: mix.workloads.filter(isScheduled) }, 'provision');
      await untilServed(t, jobs, 'provision');
      for (const { workload } of jobs) await t.remove(workload);
      await t.pass('scale-in');
    },
  });
}

/** How long a Job's pods run here, since images are not run. */
const PODS_RUN_MS = 120_000;

/** Undefined if there are no two runs in the busiest half-hour: `scheduled-jobs` then has all that happens. */
function jobSchedules({ mix, define }: Theme): Scenario | undefined {
  const isScheduled = ({ schedule }: MixWorkload): boolean => schedule !== undefined;
  const runs = mix.cronRuns;
  if (runs.length === 0) return undefined;
  return define({
    id: 'job-schedules',
    title: 'your mix runs, and CronJobs start by their schedules, in the busiest half-hour of a month: each run is served',
    async run(t) {
      const others = mix.workloads.filter((workload) => !isScheduled(workload));
      await placeAndWait(t, { companions: mix.companions, workloads: others }, 'provision');
      const active = new Set<MixWorkload>();
      const started: Promise<void>[] = [];
      let nowMs = 0;
      for (const { cronJob, sinceMs, atMs } of runs) {
        if (sinceMs > nowMs) await t.pause({ minMs: sinceMs - nowMs, maxMs: sinceMs - nowMs });
        nowMs = sinceMs;
        if (active.has(cronJob)) continue;
        const run = runOnce(t, runAt(cronJob, atMs)).finally(() => active.delete(cronJob));
        // It is awaited at the end.
        run.catch(() => undefined);
        started.push(run);
        active.add(cronJob);
      }
      await Promise.all(started);
      await t.pass('scale-in');
    },
  });
}

async function runOnce(t: Trial, run: MixWorkload): Promise<void> {
  const placed = await place(t, { companions: [], workloads: [run] }, 'provision');
  await untilServed(t, placed, 'provision');
  await t.pause({ minMs: PODS_RUN_MS, maxMs: PODS_RUN_MS });
  for (const { workload } of placed) await t.remove(workload);
}
