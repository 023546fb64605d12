import { Counter, Histogram } from './core/metrics.ts';

/** Karpenter's `DurationBuckets`, in seconds (`pkg/metrics/constants.go`, v1.8). */
const DURATION_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5,
  5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60, 120, 150, 300, 450, 600,
] as const;
/** Karpenter uses summaries for these, whose quantiles can't be aggregated; here they are histograms for durations of minutes. */
const MINUTES_BUCKETS = [1, 5, 10, 20, 30, 45, 60, 90, 120, 180, 300, 600, 900, 1_800, 3_600] as const;
/** `prometheus.ExponentialBuckets(1, 2, 12)`. */
const TERMINATION_BUCKETS: readonly number[] = Array.from({ length: 12 }, (_, power) => 2 ** power);
const HOUR_S = 3_600;
/** Karpenter's buckets for node lifetimes: a quarter of an hour to 30 days. */
const LIFETIME_BUCKETS: readonly number[] = [0.25, 0.5, 0.75, 1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 48, 72, 120, 240, 360, 480, 600, 720].map(
  (h) => h * HOUR_S,
);
/** The AWS provider's `SizeBuckets` (`pkg/batcher/metrics.go`, v1.9). */
const SIZE_BUCKETS = [
  1, 2, 4, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100, 125, 150, 175, 200, 225, 250, 275, 300, 350, 400, 450, 500, 550, 600, 700,
  800, 900, 1_000,
] as const;

/**
 * The autoscaler's counters and histograms, with Karpenter's names, labels and units (core v1.8, AWS provider v1.9).
 * docs/controller.md lists them, and Karpenter's other metrics.
 */
export class Metrics {
  readonly nodeClaimsCreated = new Counter(
    'karpenter_nodeclaims_created_total',
    'Number of nodeclaims created in total by Karpenter. Labeled by reason the nodeclaim was created, the owning nodepool, and if min values was relaxed for this nodeclaim.',
  );
  readonly nodeClaimsTerminated = new Counter(
    'karpenter_nodeclaims_terminated_total',
    'Number of nodeclaims terminated in total by Karpenter. Labeled by the owning nodepool.',
  );
  readonly nodeClaimsDisrupted = new Counter(
    'karpenter_nodeclaims_disrupted_total',
    'Number of nodeclaims disrupted in total by Karpenter. Labeled by reason the nodeclaim was disrupted and the owning nodepool.',
  );
  readonly nodeClaimsUnhealthyDisrupted = new Counter(
    'karpenter_nodeclaims_unhealthy_disrupted_total',
    'Number of unhealthy nodeclaims disrupted in total by Karpenter. Labeled by condition on the node was disrupted, the owning nodepool, and the image ID.',
  );
  readonly nodesCreated = new Counter(
    'karpenter_nodes_created_total',
    'Number of nodes created in total by Karpenter. Labeled by owning nodepool.',
  );
  readonly nodesTerminated = new Counter(
    'karpenter_nodes_terminated_total',
    'Number of nodes terminated in total by Karpenter. Labeled by owning nodepool.',
  );
  readonly nodesDrained = new Counter('karpenter_nodes_drained_total', 'The total number of nodes drained by Karpenter');
  readonly evictionRequests = new Counter(
    'karpenter_pods_eviction_requests_total',
    'The total number of eviction requests made by Karpenter. Labeled by the HTTP status code.',
  );
  readonly podStartup = new Histogram(
    'karpenter_pods_startup_duration_seconds',
    'The time from pod creation until the pod is running.',
    MINUTES_BUCKETS,
  );
  readonly podBound = new Histogram(
    'karpenter_pods_bound_duration_seconds',
    'The time from pod creation until the pod is bound.',
    DURATION_BUCKETS,
  );
  readonly podProvisioningBound = new Histogram(
    'karpenter_pods_provisioning_bound_duration_seconds',
    'The time from when Karpenter first thinks the pod can schedule until it binds.',
    DURATION_BUCKETS,
  );
  readonly podProvisioningStartup = new Histogram(
    'karpenter_pods_provisioning_startup_duration_seconds',
    'The time from when Karpenter first thinks the pod can schedule until the pod is running.',
    DURATION_BUCKETS,
  );
  readonly podSchedulingDecision = new Histogram(
    'karpenter_pods_scheduling_decision_duration_seconds',
    "The time it takes for Karpenter to first try to schedule a pod after it's been seen.",
    DURATION_BUCKETS,
  );
  readonly podsDrained = new Counter(
    'karpenter_pods_drained_total',
    'The total number of pods drained during node termination by Karpenter, labeled by reason',
  );
  readonly nodeTermination = new Histogram(
    'karpenter_nodes_termination_duration_seconds',
    "The time taken between a node's deletion request and the removal of its finalizer",
    MINUTES_BUCKETS,
  );
  readonly nodeLifetime = new Histogram(
    'karpenter_nodes_lifetime_duration_seconds',
    'The lifetime duration of the nodes since creation.',
    LIFETIME_BUCKETS,
  );
  readonly claimTermination = new Histogram(
    'karpenter_nodeclaims_termination_duration_seconds',
    'Duration of NodeClaim termination in seconds.',
    TERMINATION_BUCKETS,
  );
  readonly instanceTermination = new Histogram(
    'karpenter_nodeclaims_instance_termination_duration_seconds',
    'Duration of CloudProvider Instance termination in seconds.',
    TERMINATION_BUCKETS.slice(0, 11),
  );
  readonly batchWindow = new Histogram(
    'karpenter_cloudprovider_batcher_batch_time_seconds',
    'Duration of the batching window per batcher',
    DURATION_BUCKETS,
  );
  readonly batchSize = new Histogram('karpenter_cloudprovider_batcher_batch_size', 'Size of the request batch per batcher', SIZE_BUCKETS);
  readonly decisionEvaluation = new Histogram(
    'karpenter_voluntary_disruption_decision_evaluation_duration_seconds',
    'Duration of the disruption decision evaluation process in seconds. Labeled by method and consolidation type.',
    DURATION_BUCKETS,
  );
  readonly failedValidations = new Counter(
    'karpenter_voluntary_disruption_failed_validations_total',
    'Number of candidates that were selected for disruption but failed validation. Labeled by consolidation type.',
  );
  readonly schedulingDuration = new Histogram(
    'karpenter_scheduler_scheduling_duration_seconds',
    'Duration of scheduling simulations used for deprovisioning and provisioning in seconds.',
    DURATION_BUCKETS,
  );
  readonly cloudProviderDuration = new Histogram(
    'karpenter_cloudprovider_duration_seconds',
    'Duration of cloud provider method calls. Labeled by the controller, method name and provider.',
    DURATION_BUCKETS,
  );
  readonly cloudProviderErrors = new Counter(
    'karpenter_cloudprovider_errors_total',
    'Total number of errors returned from CloudProvider calls. Labeled by the method name, provider and error code.',
  );
  readonly interruptionsReceived = new Counter(
    'karpenter_interruption_received_messages_total',
    'Count of messages received from the SQS queue. Broken down by message type and whether the message was actionable.',
  );
  readonly interruptionsDeleted = new Counter(
    'karpenter_interruption_deleted_messages_total',
    'Count of messages deleted from the SQS queue.',
  );
  readonly interruptionQueueDuration = new Histogram(
    'karpenter_interruption_message_queue_duration_seconds',
    'Amount of time an interruption message is on the queue before it is processed by karpenter.',
    DURATION_BUCKETS,
  );
  readonly disruptionDecisions = new Counter(
    'karpenter_voluntary_disruption_decisions_total',
    'Number of disruption decisions performed. Labeled by disruption decision, reason, and consolidation type.',
  );
  /** Pods that could not be placed in the last round. */
  unschedulablePods = 0;
  /** Pods that were invalid in the last round. */
  ignoredPods = 0;
  /** Empty nodes that were candidates in the last sweep. */
  eligibleNodes = 0;

  /** All counters and histograms, in order of declaration. */
  families(): (Counter | Histogram)[] {
    return Object.values(this).filter((value) => value instanceof Counter || value instanceof Histogram);
  }
}
