import { scenario } from '../harness/scenario.ts';
import type { Scenario } from '../harness/scenario.ts';
import { LABEL } from '../model/kube.ts';
import type { Feature } from '../targets/target.ts';
import type { Mix } from './mix.ts';

/** The suite's name in reports. */
export const MANIFESTS_SUITE = 'manifests';

/** What the scenarios for a user's manifests share, and the facts that decide which of them apply. */
export interface Theme {
  readonly mix: Mix;
  /** Zones in which some workload may run, by name. */
  readonly zones: readonly string[];
  /** Whether a pool names spot capacity. */
  readonly hasSpot: boolean;
  /** Defines a scenario with the user's pools and the features that they need. @param definition `id` is without the suite's name */
  readonly define: typeof scenario;
}

/** Scenarios by export name; undefined if they do not apply. */
export type ScenarioSet = Readonly<Record<string, Scenario | undefined>>;

export function themeOf(mix: Mix): Theme {
  const { pools, workloads } = mix;
  const seats = workloads.flatMap(({ feasibility, kind }) => ('seats' in feasibility && kind !== 'DaemonSet' ? feasibility.seats : []));
  const hasSpot = pools.some(({ requirements }) =>
    requirements.some(({ key, values }) => key === LABEL.capacityType && values?.includes('spot') === true),
  );
  const hasTaints = pools.some(({ taints, startupTaints }) => taints.length + startupTaints.length > 0);
  const hasClasses = pools.some(({ nodeClass }) => nodeClass !== undefined);
  const hasClaims = workloads.some(({ volumes }) => volumes.hasClaims);
  const own: readonly Feature[] = [
    ...(hasSpot ? (['spot'] as const) : []),
    ...(hasTaints ? (['taints'] as const) : []),
    ...(hasClaims ? (['volumes'] as const) : []),
    ...(hasClasses ? (['node-classes'] as const) : []),
  ];
  return {
    mix,
    zones: [...new Set(seats.map(({ offering }) => offering.zone))].sort(),
    hasSpot,
    define: (definition) =>
      scenario({
        ...definition,
        id: `${MANIFESTS_SUITE}/${definition.id}`,
        features: [...own, ...(definition.features ?? [])],
        capabilities: [...(hasClaims ? (['volumes.create'] as const) : []), ...(definition.capabilities ?? [])],
        pools,
        mostNodes: mix.nodes,
      }),
  };
}
