import type { Check } from './check.ts';
import { faultsFired } from './faults-fired.ts';
import { harness } from './harness.ts';
import { latency } from './latency.ts';
import { noLaunchForImpossiblePods } from './no-launch-for-impossible-pods.ts';
import { noLeakedInstances } from './no-leaked-instances.ts';
import { scaleIn } from './scale-in.ts';
import { successRate } from './success-rate.ts';
import { targetAlive } from './target-alive.ts';
import { unservedExplained } from './unserved-explained.ts';
import { worldSettled } from './world-settled.ts';

/** Every check, in the order of reports. */
export const checkCatalogue: readonly Check[] = [
  successRate,
  latency,
  scaleIn,
  noLeakedInstances,
  noLaunchForImpossiblePods,
  targetAlive,
  worldSettled,
  unservedExplained,
  faultsFired,
  harness,
];
