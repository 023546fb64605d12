import type { Scenario } from '../../harness/scenario.ts';
import type { Suite } from '../catalogue.ts';
import { specification } from './catalogue.ts';
import type { Area, Requirement } from './requirement.ts';

/** A requirement and its tests. */
export interface Covered {
  readonly area: Area;
  readonly requirement: Requirement;
  /** In the order of the suites. */
  readonly scenarios: readonly Scenario[];
}

/** Every requirement, in the order of the specification, with the scenarios that declare to test it. */
export function coverage(suites: readonly Suite[]): Covered[] {
  const scenarios = suites.flatMap((suite) => suite.scenarios.map(({ scenario }) => scenario));
  return specification.flatMap((area) =>
    area.requirements.map((requirement) => ({
      area,
      requirement,
      scenarios: scenarios.filter((scenario) => scenario.requirements.includes(requirement.id)),
    })),
  );
}
