import type { TargetConstants } from '../target.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/**
 * Cluster Autoscaler's periods and time-outs. Paths are those of kubernetes/autoscaler, below cluster-autoscaler/, read in 1.36.1;
 * flags are in config/flags/flags.go, with defaults of their own there or in config/const.go.
 */
const SOURCE = {
  /** --scan-interval. */
  scanMs: 10 * SECOND_MS,
  /** core/static_autoscaler.go: unschedulablePodTimeBuffer. While all pending pods are younger, a loop does nothing. */
  podBufferMs: 2 * SECOND_MS,
  /** --max-node-provision-time: then the instance of an unregistered node is removed from its group. */
  provisionMs: 15 * MINUTE_MS,
  /** cloudprovider/aws/aws_manager.go: refreshInterval, between two looks at the groups' instances. */
  refreshMs: MINUTE_MS,
  /** --scale-down-unneeded-time. */
  unneededMs: 10 * MINUTE_MS,
  /** --scale-down-delay-after-add: any scale-up delays all scale-downs. */
  delayAfterAddMs: 10 * MINUTE_MS,
  /** --node-delete-delay-after-taint. */
  delayAfterTaintMs: 5 * SECOND_MS,
  /** --max-pod-eviction-time, until it gives up. */
  evictionMs: 2 * MINUTE_MS,
  /** --initial-node-group-backoff-duration: a group that fails again at once is avoided for longer, up to 30 min. */
  backoffMs: 5 * MINUTE_MS,
} as const;

const removalMs = SOURCE.delayAfterAddMs + SOURCE.unneededMs + 2 * SOURCE.scanMs;

/** The constants that Cluster Autoscaler declares, from the defaults of its flags. */
export const CLUSTER_AUTOSCALER_CONSTANTS: TargetConstants = {
  batchMaxMs: SOURCE.scanMs + SOURCE.podBufferMs,
  retryPeriodMs: SOURCE.scanMs,
  launchTimeoutMs: SOURCE.provisionMs,
  registrationTimeoutMs: SOURCE.provisionMs,
  // It only knows the instances of its groups. One that is there unexpectedly is a node that never registers.
  collectionMs: SOURCE.refreshMs + SOURCE.provisionMs + SOURCE.scanMs,
  // Both periods run at the same time, unless another scale-up begins the delay again just before the end.
  emptyAfterMs: removalMs,
  terminationMs: SOURCE.delayAfterTaintMs + SOURCE.evictionMs + SOURCE.scanMs,
  unavailableOfferingMs: SOURCE.backoffMs,
  // A scale-up is of one group.
  offeringsPerLaunch: 1,
  consolidationMs: removalMs,
};
