import type { Collector } from './lifecycle/collector.ts';
import { createCollector } from './lifecycle/collector.ts';
import type { Context } from './context.ts';
import { createDisruption } from './disruption/disruption.ts';
import type { Disruption } from './disruption/disruption.ts';
import { createEmptiness } from './disruption/emptiness.ts';
import type { Emptiness } from './disruption/emptiness.ts';
import { createLauncher } from './launch/launcher.ts';
import type { Launcher } from './launch/launcher.ts';
import { createExpiry } from './lifecycle/expiry.ts';
import type { Expiry } from './lifecycle/expiry.ts';
import { createStaticCapacity } from './provisioning/static-capacity.ts';
import type { StaticCapacity } from './provisioning/static-capacity.ts';
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

/** The parts of the autoscaler: each can be replaced independently. */
export interface Parts {
  readonly validator: PodValidator;
  readonly simulator: Simulator;
  readonly launcher: Launcher;
  readonly registrar: Registrar;
  readonly terminator: Terminator;
  readonly collector: Collector;
  readonly emptiness: Emptiness;
  readonly disruption: Disruption;
  readonly expiry: Expiry;
  readonly staticCapacity: StaticCapacity;
  readonly poolKeeper: PoolKeeper;
  readonly interruption: Interruption;
  readonly repairer: Repairer;
}

/** The correct parts. */
export function createParts(context: Context): Parts {
  const validator = createPodValidator();
  const simulator = createSimulator();
  const disruption = createDisruption(context, { validator, simulator });
  return {
    validator,
    simulator,
    launcher: createLauncher(context),
    registrar: createRegistrar(context),
    terminator: createTerminator(context),
    collector: createCollector(context),
    emptiness: createEmptiness(context, disruption),
    disruption,
    expiry: createExpiry(context),
    staticCapacity: createStaticCapacity(context),
    poolKeeper: createPoolKeeper(context),
    interruption: createInterruption(context),
    repairer: createRepairer(context),
  };
}
