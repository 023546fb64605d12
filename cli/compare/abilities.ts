import { whyNotRun } from '../../harness/engine.ts';
import { loadTarget } from '../../harness/load.ts';
import type { TargetRef } from '../../harness/load.ts';
import type { Scenario } from '../../harness/scenario.ts';
import { worldFor } from '../../harness/world-for.ts';
import type { Target } from '../../targets/target.ts';

/** A target, and what it can run in its world. */
export interface Abilities {
  readonly target: Target;
  /** Time is virtual: a scenario with a seed is the same trial each time. */
  readonly isVirtual: boolean;
  /** Undefined if it can run the scenario. */
  whyNotRun(scenario: Scenario): string | undefined;
}

/** @throws what `loadTarget` throws */
export async function abilitiesOf(ref: TargetRef): Promise<Abilities> {
  const target = await loadTarget(ref);
  const { capabilities } = worldFor(target).facts;
  return {
    target,
    isVirtual: capabilities.includes('time.virtual'),
    whyNotRun: (scenario) => whyNotRun(scenario, target, capabilities),
  };
}
