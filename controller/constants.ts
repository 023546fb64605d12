/**
 * Limits of the reference autoscaler, and periods that don't depend on the cluster; periods.ts has those that do. Values of
 * constants that Karpenter also has are Karpenter's (v1.14); the others say why.
 */
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** A batch of pending pods is closed when no further pod came for this long ... */
export const BATCH_IDLE_MS = 1 * SECOND_MS;
/** ... or at the latest this long after its first pod. */
export const BATCH_MAX_MS = 10 * SECOND_MS;
/** NodeClaims of one plan that are created in parallel. */
export const CLAIM_CREATES_AT_ONCE = 20;
/** The same message about the same pod is sent as an Event again after this time. */
export const EVENT_REPEAT_MS = 5 * MINUTE_MS;
/** Events that are written at once; others wait. */
export const EVENTS_AT_ONCE = 100;
/** Events that wait at most; more are dropped, as by client-go. */
export const EVENTS_WAITING_MAX = 10_000;
/** Most messages remembered for that; the oldest are dropped first. */
export const REPORTED_MESSAGES_MAX = 100_000;

/** Most offerings (type x zone) in one CreateFleet request. */
export const OFFERINGS_PER_LAUNCH = 60;
/**
 * Most offerings in a request to a doubtful market, as in Karpenter's requests: sixty types in three zones. The wider it is, the
 * sooner the only one with capacity is found.
 */
export const OFFERINGS_PER_PROBE = 180;
/**
 * How often doubtful markets are requested, all together: often enough for a region of 1,334 types to be requested within two and
 * a half minutes, and rarely enough to leave room for other vain launches: a backoff sends 20 a minute.
 */
export const PROBE_PERIOD_MS = 5 * SECOND_MS;
/**
 * The most that a probe takes of what its pool's limits leave while other pods wait, unless no type is that small: where the small
 * ones were refused, the largest would leave nothing for the others, nor for its own replacement.
 */
export const PROBE_SHARE_OF_LIMITS = 0.5;
/** A zone's capacity of a type (spot, on demand) is doubtful after so many families were refused: they share no hardware. */
export const DOUBTED_BY_FAMILIES = 8;
/** A family is doubtful after so many of its types were refused ... */
export const DOUBTED_BY_TYPES = 4;
/** ... in at least so many zones: a single one may be the cause. */
export const DOUBTED_BY_ZONES = 2;
/** A refused type speaks against those that have at least its vCPUs divided by this: whole hosts run out before small parts of them. */
export const DOUBTED_SIZE_RATIO = 4;
/** Most instance types that a NodeClaim names: with at least one zone per type, more would never be requested. */
export const INSTANCE_TYPES_PER_CLAIM = 60;
/** Most CreateFleet requests in parallel: the documented bucket has 50 tokens and refills at 5 per second. */
export const LAUNCHES_AT_ONCE = 20;

/**
 * Like launches become one fleet: until no other came for this long ... Source of these three: Karpenter's AWS provider,
 * `pkg/batcher/createfleet.go`.
 */
export const FLEET_IDLE_MS = 35;
/** ... at most for this long ... */
export const FLEET_MAX_MS = 1 * SECOND_MS;
/** ... and for at most this many instances. As each claim is launched by its own worker, there are at most RECONCILES_AT_ONCE. */
export const FLEET_SIZE_MAX = 1_000;
/**
 * A claim whose attempt is not written this long after its fleet was put together is left out. That of the leader, which is written
 * last, has no such limit.
 */
export const FLEET_WRITE_LIMIT_MS = 2 * SECOND_MS;
/** Most answers of fleets that are remembered, for claims that could not record their instance at once. */
export const FLEET_ANSWERS_MAX = 100;
/** How often a claim looks whether the first one of its fleet was written ... */
export const FLEET_LEADER_POLL_MS = 250;
/** ... for how long: a write that is not there by then was lost, most likely. */
export const FLEET_LEADER_LIMIT_MS = 10 * SECOND_MS;

/** Instances without a claim are first searched this often ... */
export const COLLECTION_FIRST_PERIOD_MS = 10 * SECOND_MS;
/** ... for this many rounds after the start, then as often as claims without an instance. */
export const COLLECTION_FIRST_ROUNDS = 20;

/** After an eviction that a budget blocked: first wait, doubled up to the maximum. */
export const EVICTION_RETRY_MIN_MS = 100;
export const EVICTION_RETRY_MAX_MS = 10 * SECOND_MS;
/** Most parallel evictions per node. */
export const EVICTIONS_AT_ONCE = 10;
/** A pod that still exists this long after its grace period is held by a dead kubelet, and is no longer waited for. */
export const STUCK_POD_MS = 1 * MINUTE_MS;
/** A larger difference can't come from our clock: AWS would refuse our signatures. */
export const CLOCK_SKEW_MAX_MS = 5 * MINUTE_MS;

/** How often instance types and spot prices are read again. */
export const INSTANCE_TYPES_PERIOD_MS = 60 * MINUTE_MS;
/** When a failed read of them is retried. */
export const INSTANCE_TYPES_RETRY_MS = 5 * SECOND_MS;
/** Reads of single instances within this time become one request ... */
export const INSTANCE_BATCH_MS = 100;
/** ... of at most this many ids. */
export const INSTANCE_BATCH_MAX = 100;
/** How long a launch template that was seen is assumed to exist. */
export const LAUNCH_TEMPLATE_CACHE_MS = 5 * MINUTE_MS;
/** A new template may be invisible to other requests for a while: it is not created again within this time. */
export const LAUNCH_TEMPLATE_SETTLE_MS = 10 * SECOND_MS;

/** A failed reconcile is retried after this time, doubled each time up to the maximum. */
export const BACKOFF_MIN_MS = 10;
export const BACKOFF_MAX_MS = 30 * SECOND_MS;
/**
 * A refused launch is retried after this time, doubled each time up to BACKOFF_MAX_MS. What was just created may be invisible for a
 * while, and AWS asks clients to start with a couple of seconds then (EC2 developer guide, eventual consistency).
 */
export const LAUNCH_BACKOFF_MIN_MS = 2 * SECOND_MS;
/** Objects of one kind that are reconciled in parallel. */
export const RECONCILES_AT_ONCE = 100;

/** Most messages per receive: SQS's maximum. */
export const QUEUE_MESSAGES_MAX = 10;
/** How long a receive waits for a first message: SQS's maximum. */
export const QUEUE_WAIT_S = 20;
/** A received message becomes visible again after this time unless it was deleted: early enough for a claim that had no instance yet. */
export const QUEUE_VISIBILITY_S = 20;
/**
 * The same for a queue that is shared with the autoscalers of other pools: we may receive their messages several times in a row,
 * and they should still get them early in the two minutes of a spot warning.
 */
export const QUEUE_SHARED_VISIBILITY_S = 2;
/** Messages for others in a shared queue are deleted at this age: maybe nobody else would, and they reappear until then. */
export const QUEUE_SHARED_AGE_MAX_MS = 15 * MINUTE_MS;
/** Most batches of messages processed in parallel: a slow one does not block those behind it. */
export const QUEUE_BATCHES_AT_ONCE = 20;
/** After a failed receive: first wait, doubled up to BACKOFF_MAX_MS. */
export const QUEUE_RETRY_MIN_MS = 1 * SECOND_MS;

/** A Node that was Ready once and has not been for this long is force-removed: node repair. Karpenter's value for Ready on AWS. */
export const REPAIR_AFTER_MS = 30 * MINUTE_MS;
/** How often to look for unhealthy nodes. */
export const REPAIR_POLL_MS = 1 * MINUTE_MS;
/** No node is repaired while a larger share of its pool is unhealthy: then the nodes are not the cause. */
export const UNHEALTHY_PART_MAX = 0.2;
/** The budget of a pool without budgets. */
export const DEFAULT_BUDGET = '10%';
/** Most nodes that are consolidated into one at once. */
export const CONSOLIDATED_AT_ONCE = 100;
/**
 * A spot node is replaced by another one only if at least this many types are cheaper, and only these are requested: with fewer,
 * each node would be replaced by the next cheaper one, down to the type that is reclaimed soonest.
 */
export const SPOT_TYPES_MIN = 15;
/** Nodes whose replacement failed are not disrupted for this long. Karpenter retries immediately. */
export const DISRUPTION_RETRY_MS = 10 * MINUTE_MS;

/** How often a Kubernetes request that failed with Retry-After is retried, as in client-go. */
export const KUBE_RETRIES = 10;
/** The longest Retry-After that is honoured in full. */
export const KUBE_RETRY_MAX_MS = 30 * SECOND_MS;

/**
 * Launches after EC2 throttled one: the rate starts at this many per second ...
 */
export const THROTTLED_LAUNCHES_PER_S = 2;
/** ... is halved by each further throttling down to this, and raised by each success by the step ... */
export const LAUNCHES_PER_S_MIN = 0.5;
export const LAUNCHES_PER_S_STEP = 0.5;
/** ... until there is no limit again, above the documented refill rate of the bucket (5 per second). */
export const LAUNCHES_PER_S_FREE = 10;

/** The lease that ensures a single active replica: client-go's defaults for leader election. */
export const LEASE_DURATION_MS = 15 * SECOND_MS;
export const LEASE_RENEW_DEADLINE_MS = 10 * SECOND_MS;
export const LEASE_RETRY_MS = 2 * SECOND_MS;

/**
 * How long a process that was told to stop waits for work in progress before it exits anyway: sooner than a kubelet would kill
 * it (30 s by default).
 */
export const SHUTDOWN_LIMIT_MS = 20 * SECOND_MS;
