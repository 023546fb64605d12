import type { Collector } from '../../controller/lifecycle/collector.ts';

/**
 * No garbage collection: that safety net hides losses, and early autoscalers had none. A healthy run without it shows no bug;
 * mutants that lose instances use this, so that losses become visible.
 */
export const noCollection: Collector = {
  collectInstances: () => Promise.resolve(),
  collectClaims: () => Promise.resolve(),
};
