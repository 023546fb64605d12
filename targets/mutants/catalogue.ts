import { briefMasks } from './capacity/brief-masks.ts';
import { fullSubnets } from './capacity/full-subnets.ts';
import { pausedForAll } from './capacity/paused-for-all.ts';
import { quotaBlind } from './capacity/quota-blind.ts';
import { rooflessMasks } from './capacity/roofless-masks.ts';
import { throttlingAsDrought } from './capacity/throttling-as-drought.ts';
import { unlearntShortfall } from './capacity/unlearnt-shortfall.ts';
import { unmaskedOfferings } from './capacity/unmasked-offerings.ts';
import { anyCluster } from './collection/any-cluster.ts';
import { failedList } from './collection/failed-list.ts';
import { foreignKiller } from './collection/foreign-killer.ts';
import { keptTemplates } from './collection/kept-templates.ts';
import { leftToOthers } from './collection/left-to-others.ts';
import { partialList } from './collection/partial-list.ts';
import { takenForLost } from './collection/taken-for-lost.ts';
import { daemonsAsNeed } from './disruption/daemons-as-need.ts';
import { deafToOptOuts } from './disruption/deaf-to-opt-outs.ts';
import { driftOverOptOuts } from './disruption/drift-over-opt-outs.ts';
import { droppedPlans } from './disruption/dropped-plans.ts';
import { earlyDeletion } from './disruption/early-deletion.ts';
import { endlessConsolidation } from './disruption/endless-consolidation.ts';
import { keptTaint } from './disruption/kept-taint.ts';
import { kubeletClock } from './disruption/kubelet-clock.ts';
import { retriedTaint } from './disruption/retried-taint.ts';
import { shareBlind } from './disruption/share-blind.ts';
import { stalePlan } from './disruption/stale-plan.ts';
import { taintBlind } from './disruption/taint-blind.ts';
import { trustedCopy } from './disruption/trusted-copy.ts';
import { unpacedDrift } from './disruption/unpaced-drift.ts';
import { unreadAsDrift } from './disruption/unread-as-drift.ts';
import { unreadyUncounted } from './disruption/unready-uncounted.ts';
import { unsyncedStart } from './disruption/unsynced-start.ts';
import { boughtAgain } from './interruption/bought-again.ts';
import { deafAfterError } from './interruption/deaf-after-error.ts';
import { deafWhileConsolidating } from './interruption/deaf-while-consolidating.ts';
import { eachMessage } from './interruption/each-message.ts';
import { earlyNotice } from './interruption/early-notice.ts';
import { ghostNodes } from './interruption/ghost-nodes.ts';
import { hastyEnd } from './interruption/hasty-end.ts';
import { ignoredInterruption } from './interruption/ignored-interruption.ts';
import { oneAtATime } from './interruption/one-at-a-time.ts';
import { poisonMessage } from './interruption/poison-message.ts';
import { anyArchitecture } from './launch/any-architecture.ts';
import { doubleLaunch } from './launch/double-launch.ts';
import { errorsFirst } from './launch/errors-first.ts';
import { forgetfulToken } from './launch/forgetful-token.ts';
import { freshToken } from './launch/fresh-token.ts';
import { hammering } from './launch/hammering.ts';
import { oneTypeALaunch } from './launch/one-type-a-launch.ts';
import { brokenRoom } from './provisioning/broken-room.ts';
import { countedTwice } from './provisioning/counted-twice.ts';
import { forgottenFlights } from './provisioning/forgotten-flights.ts';
import { heldBackPods } from './provisioning/held-back-pods.ts';
import { launchesForDaemons } from './provisioning/launches-for-daemons.ts';
import { repeatedLaunch } from './provisioning/repeated-launch.ts';
import { uncountedLaunches } from './provisioning/uncounted-launches.ts';
import { unsyncedForever } from './provisioning/unsynced-forever.ts';
import { deadOnArrival } from './registration/dead-on-arrival.ts';
import { hastyTimeout } from './registration/hasty-timeout.ts';
import { leftMark } from './registration/left-mark.ts';
import { nodeNameIdentity } from './registration/node-name-identity.ts';
import { nodeObjectRace } from './registration/node-object-race.ts';
import { restoredTaints } from './registration/restored-taints.ts';
import { shortPatience } from './registration/short-patience.ts';
import { batchLimits } from './scheduling/batch-limits.ts';
import { forgottenDaemons } from './scheduling/forgotten-daemons.ts';
import { forgottenMemory } from './scheduling/forgotten-memory.ts';
import { forgottenProcessors } from './scheduling/forgotten-processors.ts';
import { joinedTerms } from './scheduling/joined-terms.ts';
import { missingNode } from './scheduling/missing-node.ts';
import { narrowLaunches } from './scheduling/narrow-launches.ts';
import { nilSelector } from './scheduling/nil-selector.ts';
import { overfullNodes } from './scheduling/overfull-nodes.ts';
import { poisonVolume } from './scheduling/poison-volume.ts';
import { silentRefusals } from './scheduling/silent-refusals.ts';
import { swallowedTopologyError } from './scheduling/swallowed-topology-error.ts';
import { triedInVain } from './scheduling/tried-in-vain.ts';
import { wanderingNodes } from './scheduling/wandering-nodes.ts';
import { zoneBlind } from './scheduling/zone-blind.ts';
import { believedEnd } from './termination/believed-end.ts';
import { cutGrace } from './termination/cut-grace.ts';
import { deletedPods } from './termination/deleted-pods.ts';
import { deniedEnd } from './termination/denied-end.ts';
import { finalizerFirst } from './termination/finalizer-first.ts';
import { forbiddenDrain } from './termination/forbidden-drain.ts';
import { halfDeletion } from './termination/half-deletion.ts';
import { hastyFinalizer } from './termination/hasty-finalizer.ts';
import { keptClass } from './termination/kept-class.ts';
import { neverDrains } from './termination/never-drains.ts';
import { oneTryDrain } from './termination/one-try-drain.ts';
import { serverTime } from './termination/server-time.ts';
import { staleDescribe } from './termination/stale-describe.ts';
import type { Mutant } from './mutant.ts';

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
