import type { TargetConstants } from '../target.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/**
 * Karpenter's periods and time-outs, from its source. Paths are those of sigs.k8s.io/karpenter (core) and
 * github.com/aws/karpenter-provider-aws (aws), read in v1.14.1.
 */
const SOURCE = {
  /** core pkg/operator/options: BATCH_MAX_DURATION. */
  batchMaxMs: 10 * SECOND_MS,
  /** core pkg/controllers/provisioning/controller.go: RequeueAfter. */
  pendingRequeueMs: 10 * SECOND_MS,
  /** core pkg/controllers/state/statenode.go: a node stays nominated for twice the longest batch. */
  nominationMs: 20 * SECOND_MS,
  /** core pkg/controllers/disruption/controller.go: pollingPeriod. */
  disruptionPollMs: 10 * SECOND_MS,
  /** core pkg/controllers/disruption/consolidation.go: commandValidationDelay. */
  validationMs: 15 * SECOND_MS,
  /** core pkg/controllers/nodeclaim/podevents/controller.go: pod events closer together than this count as one. */
  podEventsMs: 10 * SECOND_MS,
  /** core pkg/controllers/nodeclaim/lifecycle/liveness.go: LaunchTimeout and registrationTimeout. */
  launchTimeoutMs: 5 * MINUTE_MS,
  registrationTimeoutMs: 15 * MINUTE_MS,
  /** aws pkg/controllers/nodeclaim/garbagecollection/controller.go: instances older than 30 s, at the latest every 2 min. */
  collectionAgeMs: 30 * SECOND_MS,
  collectionPeriodMs: 2 * MINUTE_MS,
  /** core pkg/controllers/node/termination/terminator/eviction.go: evictionQueueMaxDelay; termination/controller.go: its polls. */
  evictionMaxMs: 10 * SECOND_MS,
  terminationPollMs: 5 * SECOND_MS,
  /** core pkg/controllers/disruption/queue.go: queueMaxDelay, between two looks at a running command. */
  commandPollMs: 10 * SECOND_MS,
  /** core pkg/controllers/nodeclaim/disruption/drift.go: RequeueAfter. */
  driftRequeueMs: 5 * MINUTE_MS,
  /** aws pkg/cache/cache.go: UnavailableOfferingsTTL. */
  unavailableOfferingMs: 3 * MINUTE_MS,
  /** aws pkg/providers/instance/instance.go: maxInstanceTypes. */
  instanceTypesPerLaunch: 60,
} as const;

/**
 * The constants that Karpenter declares, from the periods in its source.
 * @param consolidateAfterMs of pools that set none
 */
export function karpenterConstants(consolidateAfterMs: number): TargetConstants {
  const source = SOURCE;
  return {
    batchMaxMs: source.batchMaxMs,
    retryPeriodMs: source.pendingRequeueMs,
    launchTimeoutMs: source.launchTimeoutMs,
    registrationTimeoutMs: source.registrationTimeoutMs,
    collectionMs: source.collectionAgeMs + source.collectionPeriodMs,
    emptyAfterMs: source.nominationMs + source.podEventsMs + consolidateAfterMs + source.validationMs + 2 * source.disruptionPollMs,
    consolidateAfterMs,
    terminationMs: source.commandPollMs + source.evictionMaxMs + 3 * source.terminationPollMs,
    unavailableOfferingMs: source.unavailableOfferingMs,
    offeringsPerLaunch: source.instanceTypesPerLaunch,
    // Multi-node consolidation is tried first, then single nodes: each plan waits for its validation before the next is made.
    consolidationMs: source.nominationMs + source.podEventsMs + consolidateAfterMs + 2 * source.validationMs + 2 * source.disruptionPollMs,
    driftMs: source.driftRequeueMs + 2 * source.disruptionPollMs,
  };
}
