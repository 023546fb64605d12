import type { Check } from './check.ts';
import { eventSpam } from './event-spam.ts';
import { faultsFired } from './faults-fired.ts';
import { foreignInstances } from './foreign-instances.ts';
import { gracePeriods } from './grace-periods.ts';
import { groupSizes } from './group-sizes.ts';
import { harness } from './harness.ts';
import { latency } from './latency.ts';
import { leadership } from './leadership.ts';
import { memoryGrowth } from './memory-growth.ts';
import { noLaunchForImpossiblePods } from './no-launch-for-impossible-pods.ts';
import { noLeakedInstances } from './no-leaked-instances.ts';
import { noLeakedTemplates } from './no-leaked-templates.ts';
import { interruptionHandled } from './interruption-handled.ts';
import { launchesWithinPools } from './launches-within-pools.ts';
import { noOrphanedNodes } from './no-orphaned-nodes.ts';
import { permissions } from './permissions.ts';
import { poolLimits } from './pool-limits.ts';
import { launchesNeeded } from './launches-needed.ts';
import { runawayCapacity } from './runaway-capacity.ts';
import { budgetsRespected } from './budgets-respected.ts';
import { consolidateAfter } from './consolidate-after.ts';
import { consolidation } from './consolidation.ts';
import { nodeBudgets } from './node-budgets.ts';
import { optOuts } from './opt-outs.ts';
import { drainOrder } from './drain-order.ts';
import { undisturbed } from './undisturbed.ts';
import { refusedOfferings } from './refused-offerings.ts';
import { requestAmplification } from './request-amplification.ts';
import { scaleIn } from './scale-in.ts';
import { storedObjects } from './stored-objects.ts';
import { successRate } from './success-rate.ts';
import { targetAlive } from './target-alive.ts';
import { unservedExplained } from './unserved-explained.ts';
import { worldSettled } from './world-settled.ts';

/** Every check, in the order of reports. */
export const checkCatalogue: readonly Check[] = [
  // First: why a trial did not reach its end explains what the others could not judge.
  harness,
  successRate,
  latency,
  scaleIn,
  consolidation,
  noLeakedInstances,
  noLeakedTemplates,
  foreignInstances,
  noOrphanedNodes,
  launchesWithinPools,
  poolLimits,
  runawayCapacity,
  launchesNeeded,
  budgetsRespected,
  nodeBudgets,
  optOuts,
  consolidateAfter,
  undisturbed,
  drainOrder,
  gracePeriods,
  interruptionHandled,
  refusedOfferings,
  groupSizes,
  requestAmplification,
  eventSpam,
  noLaunchForImpossiblePods,
  permissions,
  targetAlive,
  leadership,
  memoryGrowth,
  storedObjects,
  worldSettled,
  unservedExplained,
  faultsFired,
];
