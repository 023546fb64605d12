import { scenario } from '../harness/scenario.ts';
import type { Scenario } from '../harness/scenario.ts';
import { LABEL } from '../model/kube.ts';
import type { Feature } from '../targets/target.ts';
import type { Mix } from './mix.ts';

/** The suite's name in reports. */
export const MANIFESTS_SUITE = 'manifests';

/** What the scenarios over a mix have in common, and what of it gives reason for some of them. */
export interface Theme {
  readonly mix: Mix;
  /** Zones in which some workload may run, by name. */
  readonly zones: readonly string[];
  /** Whether a pool names spot capacity. */
  readonly hasSpot: boolean;
  /** A scenario over the pools of the mix, which needs what they need beside what is said. @param definition `id` is without the suite's name */
  readonly define: typeof scenario;
}

/** Scenarios by the name of their export; undefined ones have no reason in the mix. */
export type ScenarioSet = Readonly<Record<string, Scenario | undefined>>;

export function themeOf(mix: Mix): Theme {
  const { pools, workloads } = mix;
  const seats = workloads.flatMap(({ feasibility, kind }) => ('seats' in feasibility && kind !== 'DaemonSet' ? feasibility.seats : []));
  const hasSpot = pools.some(({ requirements }) =>
    requirements.some(({ key, values }) => key === LABEL.capacityType && values?.includes('spot') === true),
  );
  const hasTaints = pools.some(({ taints, startupTaints }) => taints.length + startupTaints.length > 0);
  const own: readonly Feature[] = [...(hasSpot ? (['spot'] as const) : []), ...(hasTaints ? (['taints'] as const) : [])];
  return {
    mix,
    zones: [...new Set(seats.map(({ offering }) => offering.zone))].sort(),
    hasSpot,
    define: (definition) =>
      scenario({
        ...definition,
        id: `${MANIFESTS_SUITE}/${definition.id}`,
        features: [...own, ...(definition.features ?? [])],
        pools,
      }),
  };
}
