import type { Collector } from './lifecycle/collector.ts';
import { createCollector } from './lifecycle/collector.ts';
import type { Context } from './context.ts';
import { createEmptiness } from './lifecycle/emptiness.ts';
import type { Emptiness } from './lifecycle/emptiness.ts';
import { createLauncher } from './launch/launcher.ts';
import type { Launcher } from './launch/launcher.ts';
import { createPodValidator } from './scheduling/validator.ts';
import { createPoolKeeper } from './lifecycle/pool-keeper.ts';
import type { PoolKeeper } from './lifecycle/pool-keeper.ts';
import { createInterruption } from './interruption/interruption.ts';
import type { Interruption } from './interruption/interruption.ts';
import { createRegistrar } from './lifecycle/registrar.ts';
import type { Registrar } from './lifecycle/registrar.ts';
import { createRepairer } from './lifecycle/repair.ts';
import type { Repairer } from './lifecycle/repair.ts';
import { createSimulator } from './scheduling/simulator.ts';
import { createTerminator } from './lifecycle/terminator.ts';
import type { Terminator } from './lifecycle/terminator.ts';
import type { PodValidator, Simulator } from './scheduling/types.ts';

/** What the autoscaler is made of: each part can be replaced without knowing the others. */
export interface Parts {
  readonly validator: PodValidator;
  readonly simulator: Simulator;
  readonly launcher: Launcher;
  readonly registrar: Registrar;
  readonly terminator: Terminator;
  readonly collector: Collector;
  readonly emptiness: Emptiness;
  readonly poolKeeper: PoolKeeper;
  readonly interruption: Interruption;
  readonly repairer: Repairer;
}

/** The parts as they should be. */
export function createParts(context: Context): Parts {
  return {
    validator: createPodValidator(),
    simulator: createSimulator(),
    launcher: createLauncher(context),
    registrar: createRegistrar(context),
    terminator: createTerminator(context),
    collector: createCollector(context),
    emptiness: createEmptiness(context),
    poolKeeper: createPoolKeeper(context),
    interruption: createInterruption(context),
    repairer: createRepairer(context),
  };
}
