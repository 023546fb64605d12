import type { Scenario } from '../harness/scenario.ts';
import { place, placeAndWait, untilServed } from './placed.ts';
import type { ScenarioSet, Theme } from './theme.ts';

/** Scenarios in which pods come and go by the clock. */
export function scheduleScenarios(theme: Theme): ScenarioSet {
  return {
    scheduledJobs: theme.mix.workloads.some(({ schedule, replicas }) => schedule !== undefined && replicas > 0)
      ? scheduledJobs(theme)
      : undefined,
  };
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
