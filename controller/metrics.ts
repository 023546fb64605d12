import { Counter, Gauge, Histogram, expose } from './core/metrics.ts';
import type { ClusterState } from './state.ts';
import { KARPENTER, nodePoolOf } from './api.ts';

/** Karpenter's buckets for durations of requests and rounds, in seconds (`pkg/metrics/constants.go`, v1.8). */
const DURATION_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5,
  5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
] as const;
/** For what takes minutes: Karpenter has summaries there, whose quantiles can't be added up. */
const MINUTES_BUCKETS = [1, 5, 10, 20, 30, 45, 60, 90, 120, 180, 300, 600, 900, 1_800, 3_600] as const;

/**
 * What the autoscaler counts, by Karpenter's names where it has them (v1.8, `karpenter.sh/docs/reference/metrics`).
 * Durations of pods and of terminations are histograms here, summaries there.
 */
export class Metrics {
  readonly nodeClaimsCreated = new Counter(
    'karpenter_nodeclaims_created_total',
    'Number of nodeclaims created in total by Karpenter. Labeled by reason the nodeclaim was created and the owning nodepool.',
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
    'Number of unhealthy nodeclaims disrupted in total by Karpenter. Labeled by condition on the node was disrupted and the owning nodepool.',
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
    'karpenter_nodes_eviction_requests_total',
    'The total number of eviction requests made by Karpenter. Labeled by the HTTP status code.',
  );
  readonly podStartup = new Histogram(
    'karpenter_pods_startup_duration_seconds',
    'The time from pod creation until the pod is running.',
    MINUTES_BUCKETS,
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
  /** Pods that the last round could not place. */
  unschedulablePods = 0;
  readonly #gauges: readonly Gauge[];

  constructor(state: ClusterState) {
    this.#gauges = [
      new Gauge('karpenter_scheduler_unschedulable_pods_count', 'The number of unschedulable Pods.', () => [[{}, this.unschedulablePods]]),
      new Gauge('karpenter_cluster_state_node_count', 'Current count of nodes in cluster state', () => [[{}, state.nodes.list().length]]),
      new Gauge('karpenter_nodepools_usage_nodes', 'The number of nodeclaims of each nodepool. Not a metric of Karpenter.', () =>
        [...Map.groupBy(state.claims.list(), nodePoolOf)].map(([nodepool, claims]) => [{ nodepool }, claims.length] as const),
      ),
      new Gauge('karpenter_nodes_initialized', 'The number of Nodes that are ready for pods. Not a metric of Karpenter.', () => [
        [{}, state.nodes.list().filter(({ metadata }) => metadata.labels?.[KARPENTER.initialized] === 'true').length],
      ]),
    ];
  }

  /** Everything in the text exposition format. */
  expose(): string {
    const counted = Object.values(this).filter((value) => value instanceof Counter || value instanceof Histogram);
    return expose([...counted, ...this.#gauges]);
  }
}
