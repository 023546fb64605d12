import type { Collector } from '../../controller/lifecycle/collector.ts';

/**
 * No garbage collection: the safety net that hides losses, as autoscalers once had none. By itself it is no bug that a
 * healthy run shows; mutants that lose instances go without it, so that a loss stays one.
 */
export const noCollection: Collector = {
  collectInstances: () => Promise.resolve(),
  collectClaims: () => Promise.resolve(),
};
