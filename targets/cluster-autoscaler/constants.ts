import type { TargetConstants } from '../target.ts';
import { periodsOf } from './flags.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Periods that no flag sets. Paths are those of kubernetes/autoscaler, below cluster-autoscaler/, read in 1.36.1. */
const FIXED = {
  /** core/static_autoscaler.go: unschedulablePodTimeBuffer. While all pending pods are younger, a loop does nothing. */
  podBufferMs: 2 * SECOND_MS,
  /** cloudprovider/aws/aws_manager.go: refreshInterval, between two looks at the groups' instances. */
  refreshMs: MINUTE_MS,
} as const;

/** The constants that Cluster Autoscaler declares with these flags. @throws FlagError */
export function constantsWith(flags: readonly string[]): TargetConstants {
  const periods = periodsOf(flags);
  const scanMs = periods['scan-interval'];
  const provisionMs = periods['max-node-provision-time'];
  const unneededMs = periods['scale-down-unneeded-time'];
  // Any scale-up delays all scale-downs, also one just before a node has been unneeded for long enough. So do removals and failures.
  const cooldownMs = Math.max(
    periods['scale-down-delay-after-add'],
    periods['scale-down-delay-after-delete'],
    periods['scale-down-delay-after-failure'],
  );
  // A node that could not be removed is looked at again later. One that is not ready has a time of its own.
  const removalMs =
    Math.max(cooldownMs + unneededMs, periods['unremovable-node-recheck-timeout'] + unneededMs, periods['scale-down-unready-time']) +
    2 * scanMs;
  return {
    batchMaxMs: scanMs + Math.max(FIXED.podBufferMs, periods['new-pod-scale-up-delay']),
    retryPeriodMs: scanMs,
    launchFailureMs: FIXED.refreshMs,
    launchTimeoutMs: provisionMs,
    registrationTimeoutMs: provisionMs,
    // It only knows the instances of its groups. One that is there unexpectedly is a node that never registers.
    collectionMs: FIXED.refreshMs + provisionMs + scanMs,
    emptyAfterMs: removalMs,
    terminationMs:
      periods['node-delete-delay-after-taint'] + periods['max-pod-eviction-time'] + periods['node-deletion-batcher-interval'] + scanMs,
    // A group that fails again at once is avoided for longer, up to --max-node-group-backoff-duration.
    unavailableOfferingMs: periods['initial-node-group-backoff-duration'],
    // A scale-up is of one group.
    offeringsPerLaunch: 1,
    consolidationMs: removalMs,
  };
}
