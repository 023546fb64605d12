/**
 * Every period, time-out and limit of the reference autoscaler, in one place. Where Karpenter has the same constant its
 * value is taken over (v1.14); the others say why.
 */
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** A batch of pending pods is closed when no further pod came for so long ... */
export const BATCH_IDLE_MS = 1 * SECOND_MS;
/** ... or at the latest so long after its first pod. */
export const BATCH_MAX_MS = 10 * SECOND_MS;
/** Pods that are still pending are looked at again. */
export const PENDING_RETRY_MS = 10 * SECOND_MS;
/** NodeClaims of one plan that are created at the same time. */
export const CLAIM_CREATES_AT_ONCE = 20;
/** A pod that was planned onto a node keeps it from counting as empty for so long: two looks at the pending pods. */
export const NOMINATION_MS = 2 * PENDING_RETRY_MS;
/** The same message about the same pod becomes an Event again after so long. */
export const EVENT_REPEAT_MS = 5 * MINUTE_MS;
/** Most pods that the reporter remembers; the oldest are forgotten first. */
export const REPORTED_PODS_MAX = 10_000;

/** A NodeClaim without an instance is given up so long after its creation. */
export const LAUNCH_TIMEOUT_MS = 5 * MINUTE_MS;
/** A NodeClaim whose Node has not registered so long after the launch is given up, and its instance terminated. */
export const REGISTRATION_TIMEOUT_MS = 15 * MINUTE_MS;
/** A launched NodeClaim that waits for its Node is looked at again even if nothing was heard. */
export const LIFECYCLE_POLL_MS = 30 * SECOND_MS;
/** Most offerings (type x zone) in one CreateFleet request. */
export const OFFERINGS_PER_LAUNCH = 60;
/** Most instance types that a NodeClaim names: with fewer zones than one a type, more would never be asked for. */
export const INSTANCE_TYPES_PER_CLAIM = 60;
/** CreateFleet requests under way at once: the documented bucket holds 50 and refills at 5 a second. */
export const LAUNCHES_AT_ONCE = 20;
/** An offering that EC2 named as having no capacity is left alone for so long. */
export const UNAVAILABLE_OFFERING_MS = 3 * MINUTE_MS;
/**
 * An offering that was asked for in a fleet that got no instance at all, but that no error named, is left alone for so
 * long. Karpenter asks for it again at once, which costs a round per offering when errors name only one (core#3198).
 */
export const DOUBTED_OFFERING_MS = 1 * MINUTE_MS;
/**
 * For so long after its launch, an instance that EC2 does not list may still exist: its reads are eventually consistent
 * (30 s is ample, 5 minutes is the longest that AWS speaks of).
 */
export const VISIBILITY_MS = 5 * MINUTE_MS;
/** A look-up by launch tag that found nothing is repeated until so long after the last possible launch. */
export const LOOKUP_SETTLE_MS = 1 * MINUTE_MS;
/** How often such a look-up is repeated. */
export const LOOKUP_POLL_MS = 5 * SECOND_MS;

/** Instances younger than this are never collected: their claim may be about to record them. */
export const COLLECTION_MIN_AGE_MS = 30 * SECOND_MS;
/** Instances without a claim are looked for at first this often ... */
export const COLLECTION_FIRST_PERIOD_MS = 10 * SECOND_MS;
/** ... for so many rounds after the start ... */
export const COLLECTION_FIRST_ROUNDS = 20;
/** ... then this often. Claims without an instance are looked for this often from the start. */
export const COLLECTION_PERIOD_MS = 2 * MINUTE_MS;

/** A node whose pods are being evicted, or whose instance is ending, is looked at again. */
export const TERMINATION_POLL_MS = 5 * SECOND_MS;
/** After an eviction that a budget forbade: first wait, doubled up to the longest. */
export const EVICTION_RETRY_MIN_MS = 100;
export const EVICTION_RETRY_MAX_MS = 10 * SECOND_MS;
/** Evictions of one node under way at once. */
export const EVICTIONS_AT_ONCE = 10;
/** A pod still there so long after its grace period ended is held by a dead kubelet: nobody waits for it any more. */
export const STUCK_POD_MS = 1 * MINUTE_MS;
/** From the decision to remove a node to TerminateInstances, apart from pods: the longest backoff and one poll. */
export const TERMINATION_MS = 35 * SECOND_MS;

/** Empty nodes are looked for this often. */
export const EMPTINESS_POLL_MS = 10 * SECOND_MS;
/** What pools ask for where they say nothing, and what the target adapter asks for. */
export const CONSOLIDATE_AFTER_MS = 30 * SECOND_MS;

/** Pools and classes are compared with the claims this often, and whenever one of them changes. */
export const POOL_SWEEP_MS = 10 * SECOND_MS;

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

/** A failed reconcile is repeated after this, doubled each time up to the longest. */
export const BACKOFF_MIN_MS = 10;
export const BACKOFF_MAX_MS = 30 * SECOND_MS;
/** Objects of one kind that are reconciled at the same time. */
export const RECONCILES_AT_ONCE = 100;
