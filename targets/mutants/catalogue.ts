import { shortOfferingBackoff } from './capacity/short-offering-backoff.ts';
import { ignoredFullSubnets } from './capacity/ignored-full-subnets.ts';
import { globalCapacityBackoff } from './capacity/global-capacity-backoff.ts';
import { ignoredSpotQuota } from './capacity/ignored-spot-quota.ts';
import { unboundedOfferingBackoff } from './capacity/unbounded-offering-backoff.ts';
import { throttlingAsNoCapacity } from './capacity/throttling-as-no-capacity.ts';
import { offeringByOffering } from './capacity/offering-by-offering.ts';
import { ignoredNodeShortfall } from './capacity/ignored-node-shortfall.ts';
import { neverForgottenSizes } from './capacity/never-forgotten-sizes.ts';
import { forgetsSizesOfClasses } from './capacity/forgets-sizes-of-classes.ts';
import { sizesLearntOneByOne } from './capacity/sizes-learnt-one-by-one.ts';
import { ignoredCapacityErrors } from './capacity/ignored-capacity-errors.ts';
import { collectsOtherClusters } from './collection/collects-other-clusters.ts';
import { collectsByCache } from './collection/collects-by-cache.ts';
import { collectsLaunchesInProgress } from './collection/collects-launches-in-progress.ts';
import { failedListAsEmpty } from './collection/failed-list-as-empty.ts';
import { terminatesForeignInstances } from './collection/terminates-foreign-instances.ts';
import { leakedLaunchTemplates } from './collection/leaked-launch-templates.ts';
import { noInstancePolling } from './collection/no-instance-polling.ts';
import { partialListAsEmpty } from './collection/partial-list-as-empty.ts';
import { unlistedAsGone } from './collection/unlisted-as-gone.ts';
import { daemonsetPodsKeepNodes } from './disruption/daemonset-pods-keep-nodes.ts';
import { finishedPodsKeepNodes } from './disruption/finished-pods-keep-nodes.ts';
import { ignoredPoolPolicy } from './disruption/ignored-pool-policy.ts';
import { ignoredDoNotDisrupt } from './disruption/ignored-do-not-disrupt.ts';
import { driftIgnoresDoNotDisrupt } from './disruption/drift-ignores-do-not-disrupt.ts';
import { movesOntoStartingNodes } from './disruption/moves-onto-starting-nodes.ts';
import { ignoredConsolidateAfter } from './disruption/ignored-consolidate-after.ts';
import { samplesEmptiness } from './disruption/samples-emptiness.ts';
import { forgetsPodEnds } from './disruption/forgets-pod-ends.ts';
import { ignoresStoppingPods } from './disruption/ignores-stopping-pods.ts';
import { neverConsolidates } from './disruption/never-consolidates.ts';
import { removesBeforeReplacementReady } from './disruption/removes-before-replacement-ready.ts';
import { endlessConsolidation } from './disruption/endless-consolidation.ts';
import { spotTypesByName } from './disruption/spot-types-by-name.ts';
import { ignoresStop } from './lifecycle/ignores-stop.ts';
import { trustsPriceEstimates } from './disruption/trusts-price-estimates.ts';
import { movesDespiteSpread } from './disruption/moves-despite-spread.ts';
import { orphanedTaint } from './disruption/orphaned-taint.ts';
import { forgetsStoppingPods } from './disruption/forgets-stopping-pods.ts';
import { lateOptOutsIgnored } from './disruption/late-opt-outs-ignored.ts';
import { kubeletClock } from './disruption/kubelet-clock.ts';
import { unlimitedRepair } from './disruption/unlimited-repair.ts';
import { staleTaintRetry } from './disruption/stale-taint-retry.ts';
import { ignoredBudgetPercentage } from './disruption/ignored-budget-percentage.ts';
import { stalePlan } from './disruption/stale-plan.ts';
import { ignoredTaintDrift } from './disruption/ignored-taint-drift.ts';
import { staleCacheRemoval } from './disruption/stale-cache-removal.ts';
import { driftIgnoresBudgets } from './disruption/drift-ignores-budgets.ts';
import { driftWaitsForPods } from './disruption/drift-waits-for-pods.ts';
import { failedDescriptionAsDrift } from './disruption/failed-description-as-drift.ts';
import { budgetIgnoresUnready } from './disruption/budget-ignores-unready.ts';
import { consolidatesBeforeSync } from './disruption/consolidates-before-sync.ts';
import { relaunchedInterruptedOffering } from './interruption/relaunched-interrupted-offering.ts';
import { queueErrorStopsPolling } from './interruption/queue-error-stops-polling.ts';
import { receiveWithoutTimeout } from './interruption/receive-without-timeout.ts';
import { hammeredQueue } from './interruption/hammered-queue.ts';
import { interruptionIgnoredInConsolidation } from './interruption/interruption-ignored-in-consolidation.ts';
import { replacementPerMessage } from './interruption/replacement-per-message.ts';
import { droppedEarlyNotice } from './interruption/dropped-early-notice.ts';
import { droppedOvertakenNotice } from './interruption/dropped-overtaken-notice.ts';
import { criticalPodsWait } from './interruption/critical-pods-wait.ts';
import { ghostNodes } from './interruption/ghost-nodes.ts';
import { immediateTermination } from './interruption/immediate-termination.ts';
import { ignoredInterruption } from './interruption/ignored-interruption.ts';
import { serialInterruptions } from './interruption/serial-interruptions.ts';
import { poisonMessage } from './interruption/poison-message.ts';
import { ignoredArchitecture } from './launch/ignored-architecture.ts';
import { defaultSecurityGroup } from './launch/default-security-group.ts';
import { doubleLaunch } from './launch/double-launch.ts';
import { firstOfFleet } from './launch/first-of-fleet.ts';
import { partialSuccessAsFailure } from './launch/partial-success-as-failure.ts';
import { tokenLostInCrash } from './launch/token-lost-in-crash.ts';
import { newTokenOnRetry } from './launch/new-token-on-retry.ts';
import { ignoredLaunchBackoff } from './launch/ignored-launch-backoff.ts';
import { retriesWithoutBackoff } from './launch/retries-without-backoff.ts';
import { singleTypeLaunches } from './launch/single-type-launches.ts';
import { spacedGpuName } from './launch/spaced-gpu-name.ts';
import { countsUnreadyNodes } from './provisioning/counts-unready-nodes.ts';
import { doubleCountedPods } from './provisioning/double-counted-pods.ts';
import { inMemoryLaunches } from './provisioning/in-memory-launches.ts';
import { launchesForGatedPods } from './provisioning/launches-for-gated-pods.ts';
import { launchesForOptedOutPods } from './provisioning/launches-for-opted-out-pods.ts';
import { launchesForDaemonsetPods } from './provisioning/launches-for-daemonset-pods.ts';
import { repeatedLaunch } from './provisioning/repeated-launch.ts';
import { limitsCheckedOnce } from './launch/limits-checked-once.ts';
import { limitsIgnoreLaunches } from './provisioning/limits-ignore-launches.ts';
import { limitsOfAllPools } from './provisioning/limits-of-all-pools.ts';
import { oneNodeARound } from './provisioning/one-node-a-round.ts';
import { waitsForMissedClaim } from './provisioning/waits-for-missed-claim.ts';
import { waitsForDeadInstance } from './registration/waits-for-dead-instance.ts';
import { timeoutWithoutTermination } from './registration/timeout-without-termination.ts';
import { relaunchesUnreadyNodes } from './registration/relaunches-unready-nodes.ts';
import { leftoverTaint } from './registration/leftover-taint.ts';
import { nodeNameIdentity } from './registration/node-name-identity.ts';
import { nodeObjectRace } from './registration/node-object-race.ts';
import { computedNodeNames } from './registration/computed-node-names.ts';
import { ignoredDevices } from './registration/ignored-devices.ts';
import { chosenByPrice } from './launch/chosen-by-price.ts';
import { typesByName } from './launch/types-by-name.ts';
import { countsReportedDevices } from './provisioning/counts-reported-devices.ts';
import { replacedLabels } from './registration/replaced-labels.ts';
import { overwrittenTaints } from './registration/overwritten-taints.ts';
import { registersForeignTaints } from './registration/registers-foreign-taints.ts';
import { shortRegistrationTimeout } from './registration/short-registration-timeout.ts';
import { batchLimits } from './scheduling/batch-limits.ts';
import { ignoredDaemonsets } from './scheduling/ignored-daemonsets.ts';
import { daemonSetsOnEveryType } from './scheduling/daemonsets-on-every-type.ts';
import { ignoredMemoryLimit } from './scheduling/ignored-memory-limit.ts';
import { ignoredCpuLimit } from './scheduling/ignored-cpu-limit.ts';
import { affinityTermsJoinedByAnd } from './scheduling/affinity-terms-joined-by-and.ts';
import { contradictionsAsAbsence } from './scheduling/contradictions-as-absence.ts';
import { contradictoryWishes } from './scheduling/contradictory-wishes.ts';
import { termsBeforePreferences } from './scheduling/terms-before-preferences.ts';
import { blockedByMissingNode } from './scheduling/blocked-by-missing-node.ts';
import { ignoredMinimumValues } from './scheduling/ignored-minimum-values.ts';
import { nilSelector } from './scheduling/nil-selector.ts';
import { ignoredKubeletSettings } from './scheduling/ignored-kubelet-settings.ts';
import { ignoredNamespaces } from './scheduling/ignored-namespaces.ts';
import { softTaintsAsHard } from './scheduling/soft-taints-as-hard.ts';
import { spreadOverUnusableZones } from './scheduling/spread-over-unusable-zones.ts';
import { spreadOverForeignZones } from './scheduling/spread-over-foreign-zones.ts';
import { ignoredNodeNames } from './scheduling/ignored-node-names.ts';
import { namelessReasons } from './scheduling/nameless-reasons.ts';
import { ignoredMaxPods } from './scheduling/ignored-max-pods.ts';
import { ignoredHostPorts } from './scheduling/ignored-host-ports.ts';
import { ignoredEphemeralStorage } from './scheduling/ignored-ephemeral-storage.ts';
import { volumeErrorFailsBatch } from './scheduling/volume-error-fails-batch.ts';
import { noReasons } from './scheduling/no-reasons.ts';
import { swallowedTopologyError } from './scheduling/swallowed-topology-error.ts';
import { launchesForUnknownLabels } from './scheduling/launches-for-unknown-labels.ts';
import { excludedLabelValues } from './scheduling/excluded-label-values.ts';
import { firstOpenValue } from './scheduling/first-open-value.ts';
import { forgetsPlans } from './scheduling/forgets-plans.ts';
import { ignoredPoolZones } from './scheduling/ignored-pool-zones.ts';
import { ignoredVolumeZones } from './scheduling/ignored-volume-zones.ts';
import { firstVolumeZone } from './scheduling/first-volume-zone.ts';
import { volumeZonesAsAffinity } from './scheduling/volume-zones-as-affinity.ts';
import { criticalPodsFirst } from './termination/critical-pods-first.ts';
import { unverifiedTermination } from './termination/unverified-termination.ts';
import { shortenedGracePeriod } from './termination/shortened-grace-period.ts';
import { deleteInsteadOfEvict } from './termination/delete-instead-of-evict.ts';
import { deniedTerminationAsGone } from './termination/denied-termination-as-gone.ts';
import { finalizerBeforeTermination } from './termination/finalizer-before-termination.ts';
import { noRetryOfDeniedEviction } from './termination/no-retry-of-denied-eviction.ts';
import { nodeDeletionLeaksInstance } from './termination/node-deletion-leaks-instance.ts';
import { earlyFinalizerRemoval } from './termination/early-finalizer-removal.ts';
import { stuckNodeClass } from './termination/stuck-node-class.ts';
import { noDrain } from './termination/no-drain.ts';
import { drainNeedsEc2 } from './termination/drain-needs-ec2.ts';
import { singleEvictionAttempt } from './termination/single-eviction-attempt.ts';
import { deadlineByOwnClock } from './termination/deadline-by-own-clock.ts';
import { givesUpByCache } from './registration/gives-up-by-cache.ts';
import { forgetsOlderEvents } from './provisioning/forgets-older-events.ts';
import { eventsEachTry } from './termination/events-each-try.ts';
import { serverTime } from './termination/server-time.ts';
import { staleDescribe } from './termination/stale-describe.ts';
import type { Mutant } from './mutant.ts';

/** Every planted bug. */
export const mutants: readonly Mutant[] = [
  swallowedTopologyError,
  nodeObjectRace,
  newTokenOnRetry,
  earlyFinalizerRemoval,
  tokenLostInCrash,
  nodeNameIdentity,
  staleDescribe,
  timeoutWithoutTermination,
  ignoredDaemonsets,
  batchLimits,
  daemonSetsOnEveryType,
  ignoredCapacityErrors,
  offeringByOffering,
  retriesWithoutBackoff,
  ignoredLaunchBackoff,
  deleteInsteadOfEvict,
  ignoredInterruption,
  immediateTermination,
  defaultSecurityGroup,
  doubleLaunch,
  firstOfFleet,
  queueErrorStopsPolling,
  receiveWithoutTimeout,
  hammeredQueue,
  leakedLaunchTemplates,
  terminatesForeignInstances,
  shortenedGracePeriod,
  ignoredMinimumValues,
  volumeErrorFailsBatch,
  overwrittenTaints,
  registersForeignTaints,
  ignoredVolumeZones,
  firstVolumeZone,
  volumeZonesAsAffinity,
  criticalPodsFirst,
  unverifiedTermination,
  relaunchedInterruptedOffering,
  countsUnreadyNodes,
  droppedEarlyNotice,
  finalizerBeforeTermination,
  inMemoryLaunches,
  ghostNodes,
  orphanedTaint,
  blockedByMissingNode,
  nilSelector,
  serialInterruptions,
  ignoredMaxPods,
  ignoredHostPorts,
  ignoredEphemeralStorage,
  softTaintsAsHard,
  spreadOverForeignZones,
  spreadOverUnusableZones,
  ignoredNamespaces,
  ignoredNodeNames,
  namelessReasons,
  ignoredKubeletSettings,
  replacedLabels,
  computedNodeNames,
  countsReportedDevices,
  ignoredDevices,
  chosenByPrice,
  typesByName,
  ignoredSpotQuota,
  repeatedLaunch,
  shortRegistrationTimeout,
  throttlingAsNoCapacity,
  ignoredNodeShortfall,
  sizesLearntOneByOne,
  forgetsSizesOfClasses,
  neverForgottenSizes,
  waitsForMissedClaim,
  consolidatesBeforeSync,
  removesBeforeReplacementReady,
  stalePlan,
  driftIgnoresBudgets,
  driftWaitsForPods,
  ignoredDoNotDisrupt,
  ignoredPoolPolicy,
  endlessConsolidation,
  spotTypesByName,
  trustsPriceEstimates,
  movesDespiteSpread,
  doubleCountedPods,
  deniedTerminationAsGone,
  failedListAsEmpty,
  nodeDeletionLeaksInstance,
  forgetsStoppingPods,
  lateOptOutsIgnored,
  kubeletClock,
  unlimitedRepair,
  staleTaintRetry,
  deadlineByOwnClock,
  eventsEachTry,
  forgetsOlderEvents,
  givesUpByCache,
  serverTime,
  staleCacheRemoval,
  noDrain,
  drainNeedsEc2,
  shortOfferingBackoff,
  ignoredCpuLimit,
  ignoredMemoryLimit,
  singleTypeLaunches,
  spacedGpuName,
  interruptionIgnoredInConsolidation,
  failedDescriptionAsDrift,
  launchesForUnknownLabels,
  neverConsolidates,
  forgetsPodEnds,
  ignoresStoppingPods,
  samplesEmptiness,
  ignoredConsolidateAfter,
  movesOntoStartingNodes,
  noReasons,
  launchesForDaemonsetPods,
  launchesForGatedPods,
  launchesForOptedOutPods,
  limitsIgnoreLaunches,
  limitsOfAllPools,
  limitsCheckedOnce,
  oneNodeARound,
  ignoredFullSubnets,
  partialSuccessAsFailure,
  waitsForDeadInstance,
  poisonMessage,
  collectsOtherClusters,
  collectsByCache,
  collectsLaunchesInProgress,
  daemonsetPodsKeepNodes,
  finishedPodsKeepNodes,
  driftIgnoresDoNotDisrupt,
  replacementPerMessage,
  stuckNodeClass,
  leftoverTaint,
  noInstancePolling,
  unboundedOfferingBackoff,
  ignoredBudgetPercentage,
  ignoredTaintDrift,
  unlistedAsGone,
  budgetIgnoresUnready,
  noRetryOfDeniedEviction,
  singleEvictionAttempt,
  partialListAsEmpty,
  affinityTermsJoinedByAnd,
  contradictionsAsAbsence,
  contradictoryWishes,
  termsBeforePreferences,
  ignoredPoolZones,
  globalCapacityBackoff,
  ignoredArchitecture,
  excludedLabelValues,
  firstOpenValue,
  forgetsPlans,
  relaunchesUnreadyNodes,
  ignoresStop,
  droppedOvertakenNotice,
  criticalPodsWait,
];
