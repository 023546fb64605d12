import { anyArchitecture } from './any-architecture.ts';
import { anyCluster } from './any-cluster.ts';
import { batchLimits } from './batch-limits.ts';
import { believedEnd } from './believed-end.ts';
import { boughtAgain } from './bought-again.ts';
import { briefMasks } from './brief-masks.ts';
import { brokenRoom } from './broken-room.ts';
import { countedTwice } from './counted-twice.ts';
import { cutGrace } from './cut-grace.ts';
import { daemonsAsNeed } from './daemons-as-need.ts';
import { deadOnArrival } from './dead-on-arrival.ts';
import { deafAfterError } from './deaf-after-error.ts';
import { deafToOptOuts } from './deaf-to-opt-outs.ts';
import { deafWhileConsolidating } from './deaf-while-consolidating.ts';
import { deletedPods } from './deleted-pods.ts';
import { deniedEnd } from './denied-end.ts';
import { doubleLaunch } from './double-launch.ts';
import { driftOverOptOuts } from './drift-over-opt-outs.ts';
import { droppedPlans } from './dropped-plans.ts';
import { eachMessage } from './each-message.ts';
import { earlyDeletion } from './early-deletion.ts';
import { earlyNotice } from './early-notice.ts';
import { endlessConsolidation } from './endless-consolidation.ts';
import { errorsFirst } from './errors-first.ts';
import { failedList } from './failed-list.ts';
import { finalizerFirst } from './finalizer-first.ts';
import { forbiddenDrain } from './forbidden-drain.ts';
import { foreignKiller } from './foreign-killer.ts';
import { forgetfulToken } from './forgetful-token.ts';
import { forgottenDaemons } from './forgotten-daemons.ts';
import { forgottenFlights } from './forgotten-flights.ts';
import { forgottenMemory } from './forgotten-memory.ts';
import { forgottenProcessors } from './forgotten-processors.ts';
import { freshToken } from './fresh-token.ts';
import { fullSubnets } from './full-subnets.ts';
import { ghostNodes } from './ghost-nodes.ts';
import { halfDeletion } from './half-deletion.ts';
import { hammering } from './hammering.ts';
import { hastyEnd } from './hasty-end.ts';
import { hastyFinalizer } from './hasty-finalizer.ts';
import { hastyTimeout } from './hasty-timeout.ts';
import { heldBackPods } from './held-back-pods.ts';
import { ignoredInterruption } from './ignored-interruption.ts';
import { joinedTerms } from './joined-terms.ts';
import { keptClass } from './kept-class.ts';
import { keptTaint } from './kept-taint.ts';
import { keptTemplates } from './kept-templates.ts';
import { kubeletClock } from './kubelet-clock.ts';
import { launchesForDaemons } from './launches-for-daemons.ts';
import { leftMark } from './left-mark.ts';
import { leftToOthers } from './left-to-others.ts';
import { missingNode } from './missing-node.ts';
import type { Mutant } from './mutant.ts';
import { narrowLaunches } from './narrow-launches.ts';
import { neverDrains } from './never-drains.ts';
import { nilSelector } from './nil-selector.ts';
import { nodeNameIdentity } from './node-name-identity.ts';
import { nodeObjectRace } from './node-object-race.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { oneTryDrain } from './one-try-drain.ts';
import { oneTypeALaunch } from './one-type-a-launch.ts';
import { overfullNodes } from './overfull-nodes.ts';
import { partialList } from './partial-list.ts';
import { pausedForAll } from './paused-for-all.ts';
import { poisonMessage } from './poison-message.ts';
import { poisonVolume } from './poison-volume.ts';
import { quotaBlind } from './quota-blind.ts';
import { repeatedLaunch } from './repeated-launch.ts';
import { restoredTaints } from './restored-taints.ts';
import { retriedTaint } from './retried-taint.ts';
import { rooflessMasks } from './roofless-masks.ts';
import { serverTime } from './server-time.ts';
import { shareBlind } from './share-blind.ts';
import { shortPatience } from './short-patience.ts';
import { silentRefusals } from './silent-refusals.ts';
import { staleDescribe } from './stale-describe.ts';
import { stalePlan } from './stale-plan.ts';
import { swallowedTopologyError } from './swallowed-topology-error.ts';
import { taintBlind } from './taint-blind.ts';
import { takenForLost } from './taken-for-lost.ts';
import { throttlingAsDrought } from './throttling-as-drought.ts';
import { triedInVain } from './tried-in-vain.ts';
import { trustedCopy } from './trusted-copy.ts';
import { uncountedLaunches } from './uncounted-launches.ts';
import { unlearntShortfall } from './unlearnt-shortfall.ts';
import { unmaskedOfferings } from './unmasked-offerings.ts';
import { unpacedDrift } from './unpaced-drift.ts';
import { unreadAsDrift } from './unread-as-drift.ts';
import { unreadyUncounted } from './unready-uncounted.ts';
import { unsyncedForever } from './unsynced-forever.ts';
import { unsyncedStart } from './unsynced-start.ts';
import { wanderingNodes } from './wandering-nodes.ts';
import { zoneBlind } from './zone-blind.ts';

/** Every planted bug. */
export const mutants: readonly Mutant[] = [
  swallowedTopologyError,
  nodeObjectRace,
  freshToken,
  hastyFinalizer,
  forgetfulToken,
  nodeNameIdentity,
  staleDescribe,
  hastyTimeout,
  forgottenDaemons,
  batchLimits,
  unmaskedOfferings,
  hammering,
  deletedPods,
  ignoredInterruption,
  hastyEnd,
  doubleLaunch,
  deafAfterError,
  keptTemplates,
  foreignKiller,
  cutGrace,
  narrowLaunches,
  poisonVolume,
  restoredTaints,
  zoneBlind,
  believedEnd,
  boughtAgain,
  brokenRoom,
  earlyNotice,
  finalizerFirst,
  forgottenFlights,
  ghostNodes,
  keptTaint,
  missingNode,
  nilSelector,
  oneAtATime,
  overfullNodes,
  quotaBlind,
  repeatedLaunch,
  shortPatience,
  throttlingAsDrought,
  unlearntShortfall,
  unsyncedForever,
  unsyncedStart,
  earlyDeletion,
  stalePlan,
  unpacedDrift,
  deafToOptOuts,
  endlessConsolidation,
  countedTwice,
  deniedEnd,
  failedList,
  halfDeletion,
  kubeletClock,
  retriedTaint,
  serverTime,
  trustedCopy,
  neverDrains,
  briefMasks,
  forgottenProcessors,
  forgottenMemory,
  oneTypeALaunch,
  deafWhileConsolidating,
  unreadAsDrift,
  triedInVain,
  droppedPlans,
  silentRefusals,
  launchesForDaemons,
  heldBackPods,
  uncountedLaunches,
  fullSubnets,
  errorsFirst,
  deadOnArrival,
  poisonMessage,
  anyCluster,
  daemonsAsNeed,
  driftOverOptOuts,
  eachMessage,
  keptClass,
  leftMark,
  leftToOthers,
  rooflessMasks,
  shareBlind,
  taintBlind,
  takenForLost,
  unreadyUncounted,
  forbiddenDrain,
  oneTryDrain,
  partialList,
  joinedTerms,
  wanderingNodes,
  pausedForAll,
  anyArchitecture,
];
