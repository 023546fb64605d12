/**
 * Limits of the reference autoscaler, and the periods that nobody waits for, in one place; periods.ts has those that differ
 * between clusters. Where Karpenter has the same constant its value is taken over (v1.14); the others say why.
 */
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** A batch of pending pods is closed when no further pod came for so long ... */
export const BATCH_IDLE_MS = 1 * SECOND_MS;
/** ... or at the latest so long after its first pod. */
export const BATCH_MAX_MS = 10 * SECOND_MS;
/** NodeClaims of one plan that are created at the same time. */
export const CLAIM_CREATES_AT_ONCE = 20;
/** The same message about the same pod becomes an Event again after so long. */
export const EVENT_REPEAT_MS = 5 * MINUTE_MS;
/** Most messages that are remembered for that; the oldest are forgotten first. */
export const REPORTED_OBJECTS_MAX = 10_000;

/** Most offerings (type x zone) in one CreateFleet request. */
export const OFFERINGS_PER_LAUNCH = 60;
/** Most instance types that a NodeClaim names: with fewer zones than one a type, more would never be asked for. */
export const INSTANCE_TYPES_PER_CLAIM = 60;
/** CreateFleet requests under way at once: the documented bucket holds 50 and refills at 5 a second. */
export const LAUNCHES_AT_ONCE = 20;

/** Instances without a claim are looked for at first this often ... */
export const COLLECTION_FIRST_PERIOD_MS = 10 * SECOND_MS;
/** ... for so many rounds after the start, then as often as claims without an instance. */
export const COLLECTION_FIRST_ROUNDS = 20;

/** After an eviction that a budget forbade: first wait, doubled up to the longest. */
export const EVICTION_RETRY_MIN_MS = 100;
export const EVICTION_RETRY_MAX_MS = 10 * SECOND_MS;
/** Evictions of one node under way at once. */
export const EVICTIONS_AT_ONCE = 10;
/** A pod still there so long after its grace period ended is held by a dead kubelet: nobody waits for it any more. */
export const STUCK_POD_MS = 1 * MINUTE_MS;
/** A clock that is further off than this can't be ours: AWS refuses what was signed by it. */
export const CLOCK_SKEW_MAX_MS = 5 * MINUTE_MS;

/** Instance types and spot prices are read again. */
export const INSTANCE_TYPES_PERIOD_MS = 60 * MINUTE_MS;
/** A failed read of them is repeated. */
export const INSTANCE_TYPES_RETRY_MS = 5 * SECOND_MS;
/** Reads of single instances within this time become one request ... */
export const INSTANCE_BATCH_MS = 100;
/** ... of at most so many ids. */
export const INSTANCE_BATCH_MAX = 100;
/** A launch template known to exist is believed for so long. */
export const LAUNCH_TEMPLATE_CACHE_MS = 5 * MINUTE_MS;
/** One that was just made may be unknown to other requests for a while: it is not made again within this time. */
export const LAUNCH_TEMPLATE_SETTLE_MS = 10 * SECOND_MS;

/** A failed reconcile is repeated after this, doubled each time up to the longest. */
export const BACKOFF_MIN_MS = 10;
export const BACKOFF_MAX_MS = 30 * SECOND_MS;
/** Objects of one kind that are reconciled at the same time. */
export const RECONCILES_AT_ONCE = 100;

/** Most messages of one reception: SQS gives no more. */
export const QUEUE_MESSAGES_MAX = 10;
/** A reception waits so long for a first message, the longest that SQS allows. */
export const QUEUE_WAIT_S = 20;
/** What was received comes again after so long unless it was deleted: soon enough for a claim that had no instance yet. */
export const QUEUE_VISIBILITY_S = 20;
/**
 * The same where the queue is shared with the autoscalers of other pools: what is for them may come to us several times in a row,
 * and they are to have it within the first part of the two minutes of a spot warning.
 */
export const QUEUE_SHARED_VISIBILITY_S = 2;
/** What is left in a shared queue for others is deleted when it is so old: nobody may be there who would, and it comes again till then. */
export const QUEUE_SHARED_AGE_MAX_MS = 15 * MINUTE_MS;
/** Receptions that are being acted on at once: a slow one holds up none behind it. */
export const QUEUE_BATCHES_AT_ONCE = 20;
/** After a failed reception: first wait, doubled up to BACKOFF_MAX_MS. */
export const QUEUE_RETRY_MIN_MS = 1 * SECOND_MS;

/** A Node that was ready once and is not for so long is given up by force: node repair. Karpenter's for Ready on AWS. */
export const REPAIR_AFTER_MS = 30 * MINUTE_MS;
/** How often unhealthy nodes are looked for. */
export const REPAIR_POLL_MS = 1 * MINUTE_MS;
/** No node is repaired while more of its pool's nodes than this part are unhealthy: then it isn't the nodes. */
export const UNHEALTHY_PART_MAX = 0.2;
/** A pool without budgets lets so many of its nodes be disrupted at once. */
export const DEFAULT_BUDGET = '10%';
/** Most nodes that are consolidated into one at a time. */
export const CONSOLIDATED_AT_ONCE = 100;
/**
 * A spot node is replaced by another one only if so many types would be cheaper, and only these are asked for: fewer, and
 * each node would be replaced by the next cheaper one, down to what is taken back soonest.
 */
export const SPOT_TYPES_MIN = 15;
/** Nodes whose replacement did not come are left alone for so long. Karpenter tries again at once. */
export const DISRUPTION_RETRY_MS = 10 * MINUTE_MS;

/** How often a request to Kubernetes that was refused with a Retry-After is sent again, as client-go does it. */
export const KUBE_RETRIES = 10;
/** The longest Retry-After that is waited out as it is. */
export const KUBE_RETRY_MAX_MS = 30 * SECOND_MS;

/**
 * Launches after EC2 throttled one: the rate begins at so many a second ...
 */
export const THROTTLED_LAUNCHES_PER_S = 2;
/** ... is halved by each further refusal down to this, and raised by each answer by so much ... */
export const LAUNCHES_PER_S_MIN = 0.5;
export const LAUNCHES_PER_S_STEP = 0.5;
/** ... until it counts as free again, above the documented refill of the bucket (5 a second). */
export const LAUNCHES_PER_S_FREE = 10;

/** The lease that keeps a second replica from working: client-go's defaults for leader election. */
export const LEASE_DURATION_MS = 15 * SECOND_MS;
export const LEASE_RENEW_DEADLINE_MS = 10 * SECOND_MS;
export const LEASE_RETRY_MS = 2 * SECOND_MS;

/**
 * A process that was asked to stop waits so long for what is under way, and then ends all the same: sooner than a kubelet
 * would kill it (30 s by default).
 */
export const SHUTDOWN_LIMIT_MS = 20 * SECOND_MS;
